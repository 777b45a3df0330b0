// Package gitx is the part of git that a research session needs, by plumbing commands alone:
// worktrees outside the repository's own tree (tree.go), trees and commits made without the user's
// index (commit.go), and refs that move by compare-and-swap. repo.go runs git.
//
// Nothing here writes the user's checkout or index. Only one process at a time makes or removes
// worktrees. Commands run without optional locks, so that not even the index's cached times change,
// and without environment variables that point to another repository.
//
// # What is not run
//
// No program that a repository names is run: no filter, hook, merge or diff driver, monitor,
// signer, credential helper or transport, and nothing of a repository inside of a worktree.
// Configuration and attributes name programs. So commands that look at files have a git directory
// of their own (plain.go), which takes neither from anywhere. A file is then, byte for byte, what
// the tree has. Other commands, which see only objects and refs, use the repository's configuration
// except what environ and settings override.
package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Repo is a git repository. Several goroutines may call its methods at once, on different
// worktrees.
type Repo struct {
	Top    string // top of the user's checkout, empty in a bare repository
	Common string // directory of the objects and refs that all worktrees share
	dir    string // git directory of the user's checkout: Common, or one in Common's worktrees
	ignore string // the user's core.excludesFile
}

// An Error is a git command that failed.
type Error struct {
	Args   []string
	Stderr string
	Err    error
}

func (e *Error) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		text = e.Err.Error()
	}
	return "git " + e.Args[0] + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

// Errors of Open and Resolve.
var (
	ErrNoRepo    = errors.New("not a git repository")
	ErrNoCommits = errors.New("the repository has no commits")
)

// Open finds the repository of a directory.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{Top: dir}
	// This is the only command that reads the user's configuration: that may say which repositories
	// are safe, and runs nothing.
	own := []string{"GIT_CONFIG_NOSYSTEM=0", "GIT_CONFIG_GLOBAL="}
	for _, x := range []struct {
		to   *string
		what string
	}{{&r.Common, "--git-common-dir"}, {&r.dir, "--absolute-git-dir"}, {&r.Top, "--show-toplevel"}} {
		out, err := r.git(ctx, dir, own, nil, "rev-parse", "--path-format=absolute", x.what)
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return nil, err
		case err != nil && r.Common == "":
			return nil, fmt.Errorf("%s: %w", dir, ErrNoRepo)
		case err != nil:
			return nil, fmt.Errorf("%s: no working tree", dir)
		}
		*x.to = out
	}
	// An error means that there is none.
	r.ignore, _ = r.git(ctx, dir, own, nil, "config", "--type=path", "--get", "core.excludesFile")
	return r, nil
}

// Environ returns the process's environment without the variables of git. Git sets some when it runs
// a hook or a bisection: they name a repository, which commands in another directory would write to.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
}

// environ is the environment of git commands. Git reads neither the system's nor the user's
// configuration, asks nobody, and fetches nothing.
func environ(more []string) []string {
	env := append(Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	for _, kv := range more {
		if name, value, _ := strings.Cut(kv, "="); value == "" { // empty counts as unset
			env = slices.DeleteFunc(env, func(have string) bool { return strings.HasPrefix(have, name+"=") })
			continue
		}
		env = append(env, kv)
	}
	return env
}

// settings keep the repository's configuration from running programs.
var settings = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
	"-c", "maintenance.auto=false", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c",
	"advice.detachedHead=false", "-c", "diff.noprefix=false", "-c", "log.showSignature=false", "-c", "commit.gpgSign=false",
	"-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "diff.external=", "-c", "core.pager=cat"}

// git runs a command and returns its output, without the last newline.
func (r *Repo) git(ctx context.Context, dir string, env []string, stdin []byte, args ...string) (string, error) {
	out, err := r.raw(ctx, dir, env, stdin, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

func (r *Repo) raw(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, settings...), args...)...)
	cmd.Dir = dir
	cmd.Env = environ(env)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return stdout.Bytes(), &Error{args, stderr.String(), err}
	}
	return stdout.Bytes(), nil
}

// at runs a command of the repository itself.
func (r *Repo) at(ctx context.Context, args ...string) (string, error) {
	return r.git(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, nil, args...)
}

// Resolve returns the commit that a revision names. HEAD is that of the user's checkout.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	head := []string{"GIT_DIR=" + r.dir}
	out, err := r.git(ctx, r.dir, head, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if _, none := r.git(ctx, r.dir, head, nil, "rev-parse", "--verify", "--quiet", "HEAD"); none != nil && rev == "HEAD" {
			return "", ErrNoCommits
		}
		return "", fmt.Errorf("%s is no commit of the repository", rev)
	}
	return out, nil
}

// Tree returns the tree of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.at(ctx, "rev-parse", "--verify", commit+"^{tree}")
}

// Dirty lists the changes of the user's checkout against its HEAD, including untracked files, as
// git status prints them. It ignores changes inside of submodules.
func (r *Repo) Dirty(ctx context.Context) ([]string, error) {
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "gyr-git-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := r.plain(ctx, tmp, head); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, r.Top, r.plainEnv(tmp, r.Top, filepath.Join(r.dir, "index")), nil, "status", "--porcelain",
		"--untracked-files=all", "--ignore-submodules=all")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// Message returns a commit's message.
func (r *Repo) Message(ctx context.Context, commit string) (string, error) {
	return r.at(ctx, "log", "-1", "--format=%B", commit)
}

// Author returns the author of a commit, for NewCommit.
func (r *Repo) Author(ctx context.Context, commit string) (Ident, error) {
	out, err := r.at(ctx, "log", "-1", "--format=%an%x00%ae%x00%ad", "--date=raw", commit)
	if err != nil {
		return Ident{}, err
	}
	f := strings.SplitN(out, "\x00", 3)
	if len(f) != 3 {
		return Ident{}, fmt.Errorf("git log: %q", out)
	}
	return Ident{f[0], f[1], f[2]}, nil
}

// Range lists the commits of A..B without merges, the oldest first.
func (r *Repo) Range(ctx context.Context, rng string) ([]string, error) {
	out, err := r.git(ctx, r.dir, []string{"GIT_DIR=" + r.dir}, nil, "rev-list", "--reverse", "--topo-order", "--no-merges", "--end-of-options",
		rng, "--")
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}

// Time returns a commit's committer date in seconds since 1970.
func (r *Repo) Time(ctx context.Context, commit string) (int64, error) {
	out, err := r.at(ctx, "log", "-1", "--format=%ct", commit)
	if err != nil {
		return 0, err
	}
	var s int64
	_, err = fmt.Sscan(out, &s)
	return s, err
}

// Ancestor reports whether commit a is reachable from b.
func (r *Repo) Ancestor(ctx context.Context, a, b string) bool {
	_, err := r.at(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// Clean returns a path in a comparable form: absolute and without symbolic links, as far as it
// exists.
func Clean(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}
