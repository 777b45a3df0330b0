package gitx

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/suites/daily"
)

// A hostile is a repository that tries to make git commands run a program or write a file.
type hostile struct {
	kind, name string
	config     [][2]string       // of the repository; PROG is a program that leaves the mark
	files      map[string]string // of its base commit
	links      map[string]string // symbolic links of its base commit
	edit       map[string]string // files that the proposer of the candidate writes
	before     func(h *host)     // called when the base is committed
	ran        func(h *host)     // what code that ran in the worktree did there
	fails      bool              // the driver may refuse it
}

// A host is a machine with a hostile repository.
type host struct {
	t    *testing.T
	repo string // the user's checkout
	home string
	out  string // a directory that nothing may write to
	mark string // the file that shows that a program ran
	prog string
	w    *Worktree // once the driver has one
}

func (h *host) git(dir string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x")
	text, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, text)
	}
	return strings.TrimSpace(string(text))
}

// evil makes a repository of its own in a directory, with a commit. Its configuration runs PROG on
// any operation there.
func (h *host) evil(dir string) {
	h.t.Helper()
	write(h.t, dir, map[string]string{"f": "1\n", ".gitattributes": "* filter=x diff=x\n"})
	h.git(dir, "init", "-q")
	h.git(dir, "add", "-A")
	h.git(dir, "commit", "-qm", "evil")
	for _, kv := range [][2]string{{"core.fsmonitor", h.prog}, {"filter.x.clean", h.prog}, {"filter.x.smudge", h.prog}, {"diff.x.textconv", h.prog},
		{"diff.external", h.prog}, {"core.hooksPath", h.out + "/hooks"}} {
		h.git(dir, "config", kv[0], kv[1])
	}
	write(h.t, dir, map[string]string{"f": "2\n"}) // same size: only the filter sees the change
}

// configure adds to the repository's configuration.
func (h *host) configure(config [][2]string) {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.repo, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	for _, kv := range config {
		i, j := strings.Index(kv[0], "."), strings.LastIndex(kv[0], ".")
		section := kv[0][:i]
		if i < j {
			section += fmt.Sprintf(" %q", kv[0][i+1:j])
		}
		fmt.Fprintf(f, "[%s]\n\t%s = %q\n", section, kv[0][j+1:], kv[1])
	}
}

func (h *host) script(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		h.t.Fatal(err)
	}
}

func attributes(text string) map[string]string { return map[string]string{".gitattributes": text} }

var allFiles = "* filter=x merge=x diff=x ident text\n"

var hostiles = []hostile{
	{kind: "filter", name: "clean", config: [][2]string{{"filter.x.clean", "PROG"}}, files: attributes(allFiles)},
	{kind: "filter", name: "smudge", config: [][2]string{{"filter.x.smudge", "PROG"}}, files: attributes(allFiles)},
	{kind: "filter", name: "process", config: [][2]string{{"filter.x.process", "PROG"}}, files: attributes(allFiles)},
	{kind: "filter", name: "required", config: [][2]string{{"filter.x.clean", "PROG"}, {"filter.x.smudge", "PROG"}, {"filter.x.required", "true"}}, files: attributes(allFiles)},
	{kind: "filter", name: "attribute of the candidate", config: [][2]string{{"filter.x.clean", "PROG"}, {"filter.x.smudge", "PROG"}}, edit: attributes(allFiles)},
	{kind: "filter", name: "script of the candidate", config: [][2]string{{"filter.x.clean", "sh ./clean.sh"}, {"filter.x.smudge", "sh ./clean.sh"}},
		files: map[string]string{".gitattributes": "*.go filter=x\n", "clean.sh": "cat\n"}, edit: map[string]string{"clean.sh": "PROG\n"}},
	{kind: "filter", name: "attribute that a test leaves", config: [][2]string{{"filter.x.clean", "PROG"}},
		ran: func(h *host) { write(h.t, h.w.Dir, attributes(allFiles)) }},
	{kind: "filter", name: "attributes in info", config: [][2]string{{"filter.x.clean", "PROG"}, {"filter.x.smudge", "PROG"}},
		before: func(h *host) {
			write(h.t, h.repo, map[string]string{".git/info/attributes": allFiles})
		}},
	{kind: "filter", name: "attributes in a file of the configuration", config: [][2]string{{"filter.x.clean", "PROG"}, {"filter.x.smudge", "PROG"}, {"core.attributesFile", "OUT/attributes"}},
		before: func(h *host) { write(h.t, h.out, map[string]string{"attributes": allFiles}) }},
	{kind: "filter", name: "of the user", files: attributes(allFiles), before: func(h *host) {
		write(h.t, h.home, map[string]string{".gitconfig": "[filter \"x\"]\n\tclean = " + h.prog + "\n\tsmudge = " + h.prog + "\n\tprocess = " + h.prog + "\n"})
	}},
	{kind: "filter", name: "in an included file", config: [][2]string{{"include.path", "OUT/config"}}, files: attributes(allFiles), before: func(h *host) {
		write(h.t, h.out, map[string]string{"config": "[filter \"x\"]\n\tclean = " + h.prog + "\n\tsmudge = " + h.prog + "\n"})
	}},

	{kind: "merge", name: "driver", config: [][2]string{{"merge.x.driver", "PROG %A %O %B"}}, files: attributes("* merge=x\n")},
	{kind: "merge", name: "driver that is the default", config: [][2]string{{"merge.x.driver", "PROG %A %O %B"}, {"merge.default", "x"}}},
	{kind: "merge", name: "attribute of the candidate", config: [][2]string{{"merge.x.driver", "PROG %A %O %B"}}, edit: attributes("* merge=x\n")},

	{kind: "diff", name: "external", config: [][2]string{{"diff.external", "PROG"}}},
	{kind: "diff", name: "command of a driver", config: [][2]string{{"diff.x.command", "PROG"}}, files: attributes(allFiles)},
	{kind: "diff", name: "text conversion", config: [][2]string{{"diff.x.textconv", "PROG"}, {"diff.x.cachetextconv", "true"}}, files: attributes(allFiles)},
	{kind: "diff", name: "external of the environment", before: func(h *host) { h.t.Setenv("GIT_EXTERNAL_DIFF", h.prog) }},

	{kind: "signature", name: "signed commits", config: [][2]string{{"commit.gpgSign", "true"}, {"gpg.program", "PROG"}, {"user.signingKey", "x"}}},
	{kind: "signature", name: "shown with the log", config: [][2]string{{"log.showSignature", "true"}, {"gpg.program", "PROG"}}, before: func(h *host) {
		raw := strings.Replace(h.git(h.repo, "cat-file", "commit", "HEAD"), "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1)
		write(h.t, h.out, map[string]string{"commit": raw + "\n"})
		h.git(h.repo, "update-ref", "HEAD", h.git(h.repo, "hash-object", "-t", "commit", "-w", h.out+"/commit"))
		if err := os.Remove(h.out + "/commit"); err != nil {
			h.t.Fatal(err)
		}
	}},
	{kind: "signature", name: "by ssh", config: [][2]string{{"commit.gpgSign", "true"}, {"gpg.format", "ssh"}, {"gpg.ssh.program", "PROG"}, {"gpg.ssh.defaultKeyCommand", "PROG"}}},

	{kind: "program", name: "monitor", config: [][2]string{{"core.fsmonitor", "PROG"}}},
	{kind: "program", name: "pager", config: [][2]string{{"core.pager", "PROG"}, {"pager.log", "PROG"}, {"pager.status", "PROG"}}},
	{kind: "program", name: "editor", config: [][2]string{{"core.editor", "PROG"}, {"sequence.editor", "PROG"}}},
	{kind: "program", name: "aliases", config: [][2]string{{"alias.status", "!PROG"}, {"alias.add", "!PROG"}, {"alias.diff-tree", "!PROG"}}},
	{kind: "program", name: "trace", before: func(h *host) { h.t.Setenv("GIT_TRACE2_EVENT", h.mark) }},
	{kind: "program", name: "in the environment", before: func(h *host) {
		for _, name := range []string{"GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_PROXY_COMMAND"} {
			h.t.Setenv(name, h.prog)
		}
		h.t.Setenv("GIT_CONFIG_COUNT", "1")
		h.t.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
		h.t.Setenv("GIT_CONFIG_VALUE_0", h.prog)
	}},

	{kind: "hook", name: "in the git directory", before: func(h *host) {
		for _, name := range hookNames {
			h.script(filepath.Join(h.repo, ".git/hooks", name), h.prog)
		}
	}},
	{kind: "hook", name: "in the tree", config: [][2]string{{"core.hooksPath", "REPO/hooks"}}, before: func(h *host) {
		for _, name := range hookNames {
			h.script(filepath.Join(h.repo, "hooks", name), h.prog)
		}
	}},
	{kind: "hook", name: "of the candidate", config: [][2]string{{"core.hooksPath", "hooks"}}, ran: func(h *host) {
		for _, name := range hookNames {
			h.script(filepath.Join(h.w.Dir, "hooks", name), h.prog)
		}
	}},

	{kind: "transport", name: "a missing object by ext", config: lazy("ext::PROG"), before: dropBlob, fails: true},
	{kind: "transport", name: "a missing object by ssh", config: append(lazy("ssh://nowhere.invalid/x"), [2]string{"core.sshCommand", "PROG"}), before: dropBlob, fails: true},
	{kind: "transport", name: "a missing object with a credential helper", config: append(lazy("https://localhost:1/x"), [2]string{"credential.helper", "!PROG"}, [2]string{"core.askPass", "PROG"}), before: dropBlob, fails: true},
	{kind: "transport", name: "a missing object from a file with an upload pack", config: append(lazy("file:///"), [2]string{"remote.x.uploadpack", "PROG"}), before: dropBlob, fails: true},
	{kind: "transport", name: "proxy", config: append(lazy("git://localhost/x"), [2]string{"core.gitProxy", "PROG"}), before: dropBlob, fails: true},

	{kind: "submodule", name: "update command", config: [][2]string{{"submodule.s.update", "!PROG"}, {"submodule.s.active", "true"}, {"submodule.recurse", "true"}, {"submodule.s.url", "file:///"}},
		files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = file:///\n\tupdate = !true\n"}, before: addSubmodule},
	{kind: "submodule", name: "options for a url", files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = --upload-pack=x\n"}, before: addSubmodule},
	{kind: "submodule", name: "a name that leads out", files: map[string]string{".gitmodules": "[submodule \"../../x\"]\n\tpath = s\n\turl = x\n"}, before: addSubmodule},
	{kind: "submodule", name: "a repository in its place", files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = x\n"}, before: addSubmodule,
		ran: func(h *host) { h.evil(filepath.Join(h.w.Dir, "s")) }},
	{kind: "submodule", name: "files in its place", files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = x\n"}, before: addSubmodule,
		ran: func(h *host) { write(h.t, filepath.Join(h.w.Dir, "s"), map[string]string{"left.go": "package left\n"}) }},
	{kind: "submodule", name: "in the user's checkout", files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = s\n\turl = x\n"}, before: func(h *host) {
		addSubmodule(h)
		if err := os.RemoveAll(filepath.Join(h.repo, "s")); err != nil {
			h.t.Fatal(err)
		}
		h.evil(filepath.Join(h.repo, "s"))
	}},

	{kind: "repository", name: "inside of the worktree", ran: func(h *host) { h.evil(filepath.Join(h.w.Dir, "inner")) }},
	{kind: "repository", name: "bare inside of the worktree", ran: func(h *host) {
		h.evil(filepath.Join(h.out, "evil"))
		rename(h, filepath.Join(h.out, "evil/.git"), filepath.Join(h.w.Dir, "bare"))
		if err := os.RemoveAll(filepath.Join(h.out, "evil")); err != nil {
			h.t.Fatal(err)
		}
	}},
	{kind: "repository", name: "in place of the worktree's own", ran: func(h *host) {
		if err := os.Remove(filepath.Join(h.w.Dir, ".git")); err != nil {
			h.t.Fatal(err)
		}
		h.evil(h.w.Dir)
	}},
	{kind: "repository", name: "named by the .git file", ran: func(h *host) {
		h.evil(filepath.Join(h.w.Dir, "inner"))
		write(h.t, h.w.Dir, map[string]string{".git": "gitdir: inner/.git\n"})
	}},
	{kind: "repository", name: "named by a link", ran: func(h *host) {
		h.evil(filepath.Join(h.w.Dir, "inner"))
		if err := os.Remove(filepath.Join(h.w.Dir, ".git")); err != nil {
			h.t.Fatal(err)
		}
		link(h, "inner/.git", filepath.Join(h.w.Dir, ".git"))
	}},

	{kind: "link", name: "to a directory", links: map[string]string{"d": "OUT"}},
	{kind: "link", name: "in place of a directory", files: map[string]string{"d/f": "1\n", "d/g/h": "2\n"}, ran: func(h *host) {
		if err := os.RemoveAll(filepath.Join(h.w.Dir, "d")); err != nil {
			h.t.Fatal(err)
		}
		link(h, h.out, filepath.Join(h.w.Dir, "d"))
	}},
	{kind: "link", name: "in place of a file", ran: func(h *host) {
		if err := os.Remove(filepath.Join(h.w.Dir, "a.go")); err != nil {
			h.t.Fatal(err)
		}
		link(h, filepath.Join(h.out, "new"), filepath.Join(h.w.Dir, "a.go"))
	}},
	{kind: "link", name: "in place of a submodule's directory", files: map[string]string{".gitmodules": "[submodule \"s\"]\n\tpath = d/s\n\turl = x\n"},
		before: func(h *host) {
			write(h.t, h.out, map[string]string{"s/keep": "x\n"})
			h.git(h.repo, "update-index", "--add", "--cacheinfo", "160000,"+h.git(h.repo, "rev-parse", "HEAD")+",d/s")
			h.git(h.repo, "commit", "-qm", "submodule")
		}, ran: func(h *host) {
			if err := os.RemoveAll(filepath.Join(h.w.Dir, "d")); err != nil {
				h.t.Fatal(err)
			}
			link(h, h.out, filepath.Join(h.w.Dir, "d"))
		}},
	{kind: "link", name: "attributes", config: [][2]string{{"filter.x.clean", "PROG"}, {"filter.x.smudge", "PROG"}}, links: map[string]string{".gitattributes": "OUT/attributes"},
		before: func(h *host) { write(h.t, h.out, map[string]string{"attributes": allFiles}) }},

	{kind: "name", name: "control characters", files: map[string]string{"new\nline.go": "1\n", "tab\t\x01\x7f.go": "2\n", "\xff\xfe": "3\n"}, edit: map[string]string{"new\nline.go": "4\n", "other\n\n": "5\n"}},
	{kind: "name", name: "options", files: map[string]string{"-rf": "1\n", "--exec=PROG": "2\n", "--": "3\n"}, edit: map[string]string{"-rf": "4\n", "--output=x": "5\n"}},
	{kind: "name", name: "pathspecs", files: map[string]string{":(top)a": "1\n", ":!a.go": "2\n", "*": "3\n", "[a]": "4\n", "\\": "5\n"},
		edit: map[string]string{":(top)a": "6\n", "*": "7\n", ":^x": "8\n"}},
	{kind: "name", name: "quotes and spaces", files: map[string]string{"\"q\" 'p'": "1\n", " ": "2\n", "$(PROG)": "3\n", "`PROG`": "4\n", "a => b": "5\n"}, edit: map[string]string{" ": "6\n", "{a => b}": "7\n"}},
	{kind: "name", name: "git's own, spelled otherwise", files: map[string]string{".gIt.x/config": "1\n", "git~2/hooks/x": "2\n", ".git.x": "3\n"}},

	{kind: "text", name: "line ends", files: map[string]string{".gitattributes": "* text eol=crlf\n", "crlf": "1\r\n2\r\n", "lf": "1\n2\n"}},
	{kind: "text", name: "encoding", files: map[string]string{".gitattributes": "*.txt text working-tree-encoding=ISO-8859-1\n", "a.txt": "\u00e4\n"}},
	{kind: "text", name: "identity", files: map[string]string{".gitattributes": "* ident\n", "id": "$Id$\n"}},
	{kind: "text", name: "line ends by the configuration", config: [][2]string{{"core.autocrlf", "true"}, {"core.eol", "crlf"}}},

	{kind: "object", name: "alternates", before: func(h *host) {
		h.evil(filepath.Join(h.out, "evil"))
		write(h.t, h.repo, map[string]string{".git/objects/info/alternates": h.out + "/evil/.git/objects\n"})
	}},
	{kind: "object", name: "replaced", before: func(h *host) {
		blob, tree := h.git(h.repo, "rev-parse", "HEAD:a.go"), h.git(h.repo, "rev-parse", "HEAD:b.go")
		h.git(h.repo, "replace", blob, tree)
	}},
	{kind: "object", name: "a large file", files: map[string]string{"large": strings.Repeat("0123456789abcdef", 1<<20)}, edit: map[string]string{"large": strings.Repeat("fedcba9876543210", 1<<20)}},
	{kind: "object", name: "deep directories", files: map[string]string{strings.Repeat("d/", 400) + "f": "1\n"}, edit: map[string]string{strings.Repeat("d/", 400) + "f": "2\n"}},
	{kind: "object", name: "special files", ran: func(h *host) {
		if out, err := exec.Command("mkfifo", filepath.Join(h.w.Dir, "fifo")).CombinedOutput(); err != nil {
			h.t.Fatalf("%v: %s", err, out)
		}
	}},
	{kind: "object", name: "another working tree", config: [][2]string{{"core.worktree", "OUT"}}, fails: true},
	{kind: "object", name: "sparse checkout", config: [][2]string{{"core.sparseCheckout", "true"}}, before: func(h *host) {
		write(h.t, h.repo, map[string]string{".git/info/sparse-checkout": "nothing\n"})
	}},
}

var hookNames = []string{"post-checkout", "pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change", "pre-applypatch", "applypatch-msg",
	"post-applypatch", "post-merge", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman", "update", "proc-receive"}

// lazy is a configuration that fetches missing objects from a remote.
func lazy(url string) [][2]string {
	return [][2]string{{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "x"}, {"remote.x.url", url}, {"remote.x.promisor", "true"},
		{"remote.x.partialCloneFilter", "blob:none"}, {"remote.x.fetch", "+refs/heads/*:refs/remotes/x/*"}, {"protocol.allow", "always"}, {"protocol.ext.allow", "always"}}
}

// dropBlob removes an object of the base.
func dropBlob(h *host) {
	blob := h.git(h.repo, "rev-parse", "HEAD:b.go")
	if err := os.Remove(filepath.Join(h.repo, ".git/objects", blob[:2], blob[2:])); err != nil {
		h.t.Fatal(err)
	}
}

func addSubmodule(h *host) {
	h.git(h.repo, "update-index", "--add", "--cacheinfo", "160000,"+h.git(h.repo, "rev-parse", "HEAD")+",s")
	h.git(h.repo, "commit", "-qm", "submodule")
}

func link(h *host, to, at string) {
	h.t.Helper()
	if err := os.Symlink(to, at); err != nil {
		h.t.Fatal(err)
	}
}

func rename(h *host, from, to string) {
	h.t.Helper()
	if err := os.Rename(from, to); err != nil {
		h.t.Fatal(err)
	}
}

// TestHostile: a driver's whole procedure with each hostile repository runs no program of it,
// writes nothing outside of the worktree, and sees the tree as it is.
func TestHostile(t *testing.T) {
	daily.Turn(t, 3, false)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	count := map[string]int{}
	for _, x := range hostiles {
		count[x.kind]++
		t.Run(x.kind+"/"+x.name, func(t *testing.T) { x.try(t) })
	}
	text := ""
	for _, kind := range sortedKinds(count) {
		text += fmt.Sprintf(" %s %d", kind, count[kind])
	}
	t.Logf("%d hostile repositories:%s", len(hostiles), text)
}

func sortedKinds(m map[string]int) []string {
	var kinds []string
	for k := range m {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

func (x *hostile) try(t *testing.T) {
	dir := t.TempDir()
	h := &host{t: t, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home"), out: filepath.Join(dir, "out"), mark: filepath.Join(dir, "mark"), prog: filepath.Join(dir, "prog")}
	for _, d := range []string{h.home, h.out} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", h.home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(h.home, ".config"))
	h.script(h.prog, "echo \"$0 $*\" >> "+h.mark+"\nexec timeout 1 cat\n")
	words := strings.NewReplacer("PROG", h.prog, "OUT", h.out, "REPO", h.repo)
	files := func(m map[string]string) map[string]string {
		out := map[string]string{}
		for name, text := range m {
			out[name] = strings.ReplaceAll(text, "PROG", h.prog)
		}
		return out
	}
	write(t, h.repo, map[string]string{"a.go": "package a\n\n// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n// 8\n", "b.go": "package a\n"})
	write(t, h.repo, files(x.files))
	for at, to := range x.links {
		link(h, words.Replace(to), filepath.Join(h.repo, at))
	}
	h.git(h.repo, "init", "-q", "-b", "main")
	h.configure([][2]string{{"core.autocrlf", "false"}})
	h.git(h.repo, "add", "-A")
	h.git(h.repo, "commit", "-qm", "base")
	if x.before != nil {
		x.before(h)
	}
	var config [][2]string
	for _, kv := range x.config {
		config = append(config, [2]string{kv[0], words.Replace(kv[1])})
	}
	h.configure(config)
	if err := os.RemoveAll(h.mark); err != nil {
		t.Fatal(err)
	}
	outside := listing(t, h.out)
	err := x.drive(t.Context(), h, files(x.edit))
	if err != nil && !x.fails {
		t.Error(err)
	}
	if text, err := os.ReadFile(h.mark); err == nil {
		t.Errorf("it ran a program of the repository: %s", bytes.ReplaceAll(text[:min(len(text), 600)], []byte(dir), nil))
	}
	if x.kind != "repository" && x.kind != "object" {
		if now := listing(t, h.out); now != outside {
			t.Errorf("outside of the worktree was\n%sand is\n%s", outside, now)
		}
	}
}

// listing are the files below a directory, with their contents.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			fmt.Fprintf(&text, "%s %q\n", path[len(dir):], b)
		}
		return nil
	})
	return text.String()
}

// drive does everything that a driver does with a repository. It returns an error if a command
// fails or a tree is wrong.
func (x *hostile) drive(ctx context.Context, h *host, edit map[string]string) error {
	r, err := Open(ctx, h.repo)
	if err != nil {
		return err
	}
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if _, err := r.Dirty(ctx); err != nil {
		return err
	}
	if _, err := r.Message(ctx, head); err != nil {
		return err
	}
	if _, err := r.Author(ctx, head); err != nil {
		return err
	}
	if _, err := r.Range(ctx, head); err != nil {
		return err
	}
	base, err := r.Tree(ctx, head)
	if err != nil {
		return err
	}
	files, err := r.Files(ctx, base)
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(h.repo), "w")
	w, err := r.AddWorktree(ctx, dir, head)
	if err != nil {
		return err
	}
	h.w = w
	// The checkout equals the tree.
	same := func(when, commit, tree string) error {
		for name := range files {
			fi, err := os.Lstat(filepath.Join(w.Dir, name))
			if err != nil || !fi.Mode().IsRegular() {
				if link, _ := os.Readlink(filepath.Join(w.Dir, name)); link == "" {
					return fmt.Errorf("%s: %q is not checked out: %v", when, name, err)
				}
				continue
			}
			text, err := os.ReadFile(filepath.Join(w.Dir, name))
			if err != nil {
				return err
			}
			if want, err := r.File(ctx, tree, name); err != nil || !bytes.Equal(want, text) {
				return fmt.Errorf("%s: %q is %.40q in the worktree and %.40q in the tree, %v", when, name, text, want, err)
			}
		}
		now, err := w.Snapshot(ctx, commit)
		if err == nil && now != tree {
			changes, _ := r.Changes(ctx, tree, now)
			return fmt.Errorf("%s: the worktree differs from its tree: %v", when, changes)
		}
		return err
	}
	if err := same("checked out", head, base); err != nil {
		return err
	}
	// Code of the candidate runs there twice: before a snapshot and before a reset.
	if x.ran != nil {
		x.ran(h)
		if err := os.RemoveAll(h.mark); err != nil {
			return err
		}
		if _, err := w.Snapshot(ctx, head); err != nil && !strings.Contains(err.Error(), "does not have a commit") {
			return err
		}
		if err := w.Reset(ctx, head, base); err != nil {
			return err
		}
		if err := same("reset", head, base); err != nil {
			return err
		}
		// The next git command there, a reviewer's or the user's, uses the repository that the
		// driver made.
		if at := h.git(w.Dir, "rev-parse", "--path-format=absolute", "--git-common-dir"); at != r.Common {
			return fmt.Errorf("git in the worktree is in %s", at)
		}
		left, _ := filepath.Glob(filepath.Join(w.Dir, "s", "*"))
		if len(left) > 0 {
			return fmt.Errorf("left in the worktree: %v", left)
		}
		x.ran(h)
		if err := os.RemoveAll(h.mark); err != nil {
			return err
		}
		if err := w.Reset(ctx, head, base); err != nil {
			return err
		}
	}
	// A proposer's edit, and another one that is merged with it by a three-way merge.
	edit["b.go"] = "package a // faster\n"
	propose := func(more map[string]string) (string, []byte, error) {
		if err := w.Reset(ctx, head, base); err != nil {
			return "", nil, err
		}
		write(h.t, w.Dir, more)
		tree, err := w.Snapshot(ctx, head)
		if err != nil {
			return "", nil, err
		}
		patch, err := r.Diff(ctx, base, tree)
		return tree, patch, err
	}
	merged := maps.Clone(edit)
	merged["a.go"] = "package a\n\n// one\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n// 8\n"
	top, _, err := propose(merged)
	if err != nil {
		return err
	}
	changes, err := r.Changes(ctx, base, top)
	if err != nil {
		return err
	}
	if len(changes) != len(merged) {
		return fmt.Errorf("%d changes of %d: %+v", len(changes), len(merged), changes)
	}
	for _, c := range changes {
		if _, ok := merged[c.Path]; !ok {
			return fmt.Errorf("a change of %q", c.Path)
		}
	}
	_, patch, err := propose(map[string]string{"a.go": "package a\n\n// 1\n// 2\n// 3\n// vier\n// 5\n// 6\n// 7\n// 8\n"})
	if err != nil {
		return err
	}
	tip, err := r.NewCommit(ctx, top, head, "top\n", someone, someone)
	if err != nil {
		return err
	}
	if err := r.SetRef(ctx, "refs/heads/research/s", tip, ""); err != nil {
		return err
	}
	if err := w.Reset(ctx, tip, top); err != nil {
		return err
	}
	if err := w.Apply(ctx, patch); err != nil {
		return fmt.Errorf("three-way: %w", err)
	}
	if text, err := os.ReadFile(filepath.Join(w.Dir, "a.go")); err != nil || !strings.Contains(string(text), "// one\n") || !strings.Contains(string(text), "// vier\n") {
		return fmt.Errorf("merged: %q, %v", text, err)
	}
	judged, err := r.Overlay(ctx, top, base, func(path string) bool { return path != "b.go" })
	if err != nil {
		return err
	}
	if changes, err := r.Changes(ctx, base, judged); err != nil || len(changes) != 1 || changes[0].Path != "b.go" {
		return fmt.Errorf("overlaid: %+v, %v", changes, err)
	}
	if x.ran != nil {
		if err := w.Restore(ctx, tip); err != nil {
			return err
		}
	}
	if err := r.RemoveWorktree(ctx, w.Dir); err != nil {
		return err
	}
	return r.DeleteRef(ctx, "refs/heads/research/s")
}
