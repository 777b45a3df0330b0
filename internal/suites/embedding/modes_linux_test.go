package embedding_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// modesProgram does the usual things with permissions, in a directory of its own. It prints no path
// that differs between systems.
const modesProgram = `package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

var dir string

func at(name string) string { return filepath.Join(dir, name) }

func say(what string, err error) {
	text := "ok"
	if err != nil {
		text = strings.ReplaceAll(err.Error(), dir, "DIR")
	}
	fmt.Println(what+":", text, errors.Is(err, fs.ErrPermission))
}

func mode(name string) {
	for what, stat := range []func(string) (fs.FileInfo, error){os.Stat, os.Lstat} {
		fi, err := stat(at(name))
		if err != nil {
			say(fmt.Sprint("stat ", what), err)
			continue
		}
		fmt.Println(name, fi.Mode(), fi.Mode().Perm())
	}
}

// tries does with a file and a directory all that permissions are about.
func tries(name string) {
	f, err := os.Open(at(name))
	say("read", err)
	if err == nil {
		_, err = f.ReadDir(-1)
		say("list", err)
		f.Close()
	}
	f, err = os.OpenFile(at(name), os.O_WRONLY, 0)
	say("write", err)
	f.Close()
	f, err = os.OpenFile(at(name), os.O_RDWR, 0)
	say("read and write", err)
	f.Close()
	_, err = os.Stat(at(name))
	say("stat", err)
	_, err = os.Stat(at(name + "/in"))
	say("stat below", err)
	_, err = os.Stat(at(name + "/none"))
	say("stat below of nothing", err)
	say("create below", os.WriteFile(at(name+"/new"), nil, 0o666))
	say("mkdir below", os.Mkdir(at(name+"/newdir"), 0o777))
	say("symlink below", os.Symlink("x", at(name+"/link")))
	say("link below", os.Link(at("other"), at(name+"/hard")))
	say("rename into", os.Rename(at("other"), at(name+"/moved")))
	say("rename back", os.Rename(at(name+"/moved"), at("other")))
	say("rename out", os.Rename(at(name+"/in"), at("out")))
	say("rename in", os.Rename(at("out"), at(name+"/in")))
	say("truncate", os.Truncate(at(name+"/in"), 0))
	say("chmod below", os.Chmod(at(name+"/in"), 0o644))
	say("remove below", os.Remove(at(name+"/new")))
	say("remove all below", os.RemoveAll(at(name+"/newdir")))
	say("remove the link", os.Remove(at(name+"/link")))
	say("remove the hard link", os.Remove(at(name+"/hard")))
	say("chdir", os.Chdir(at(name)))
	os.Chdir(dir)
}

func main() {
	syscall.Umask(0o022)
	var err error
	dir, err = os.MkdirTemp("", "modes")
	if err != nil {
		panic(err)
	}
	fi, err := os.Stat(dir)
	fmt.Println(fi.Mode(), err)

	// What is made has the mode that was asked for.
	for _, m := range []os.FileMode{0, 0o400, 0o600, 0o644, 0o666, 0o700, 0o755, 0o777, 0o777 | os.ModeSticky, 0o755 | os.ModeSetuid | os.ModeSetgid} {
		name := fmt.Sprintf("f%o", m)
		say("write", os.WriteFile(at(name), nil, m))
		mode(name)
		name = fmt.Sprintf("d%o", m)
		say("mkdir", os.Mkdir(at(name), m))
		mode(name)
	}
	say("mkdir all", os.MkdirAll(at("a/b/c"), 0o750))
	mode("a")
	mode("a/b")
	f, err := os.CreateTemp(dir, "t")
	say("temp", err)
	fi, err = f.Stat()
	fmt.Println(fi.Mode(), err)
	say("fchmod", f.Chmod(0o640))
	fi, err = f.Stat()
	fmt.Println(fi.Mode(), err)
	say("write in spite of it", f.Chmod(0))
	_, err = f.WriteString("x")
	say("write", err)
	f.Close()
	os.Remove(f.Name())
	say("link", os.Symlink("f644", at("l")))
	mode("l")
	say("chmod through a link", os.Chmod(at("l"), 0o604))
	mode("l")
	say("chmod of nothing", os.Chmod(at("none"), 0o604))
	say("chmod below a file", os.Chmod(at("f644/x"), 0o604))
	say("chmod of no name", os.Chmod("", 0o604))
	say("rewrite", os.WriteFile(at("f600"), []byte("x"), 0o644))
	mode("f600")
	for _, m := range []os.FileMode{0o777 | os.ModeSticky, 0o755 | os.ModeSetuid, 0o755 | os.ModeSetgid, 0} {
		say("chmod", os.Chmod(at("f755"), m))
		mode("f755")
		say("chmod", os.Chmod(at("d755"), m))
		mode("d755")
	}
	entries, err := os.ReadDir(dir)
	say("list", err)
	for _, e := range entries {
		fi, err := e.Info()
		fmt.Println(e.Name(), fi.Mode(), err)
	}

	// Who may do what.
	for m := os.FileMode(0); m <= 0o700; m += 0o100 {
		fmt.Println("mode", m)
		os.WriteFile(at("file"), []byte("text"), 0o644)
		os.Mkdir(at("dir"), 0o755)
		os.WriteFile(at("dir/in"), []byte("text"), 0o644)
		os.WriteFile(at("other"), nil, 0o644)
		say("chmod", os.Chmod(at("file"), m|0o077))
		tries("file")
		say("chmod", os.Chmod(at("dir"), m|0o077))
		tries("dir")
		say("move a directory", os.Rename(at("dir"), at("a/dir")))
		say("and rename it", os.Rename(at("dir"), at("dir2")))
		os.Rename(at("a/dir"), at("dir2"))
		say("remove all", os.RemoveAll(at("dir2")))
		os.Chmod(at("dir2"), 0o700)
		say("remove all", os.RemoveAll(at("dir2")))
		os.RemoveAll(at("file"))
	}

	// A Root is as everything else.
	r, err := os.OpenRoot(dir)
	say("root", err)
	say("mkdir", r.Mkdir("rd", 0o710))
	say("write", r.WriteFile("rd/f", nil, 0o604))
	mode("rd")
	mode("rd/f")
	say("chmod", r.Chmod("rd/f", 0o400))
	mode("rd/f")
	say("write", r.WriteFile("rd/f", nil, 0o604))
	say("chmod", r.Chmod("rd", 0))
	_, err = r.Open("rd/f")
	say("open", err)
	say("remove", r.Remove("rd/f"))
	say("remove all", r.RemoveAll("rd"))
	say("chmod", r.Chmod("rd", 0o700))
	say("remove all", r.RemoveAll("rd"))
	r.Close()

	old := syscall.Umask(0o077)
	os.WriteFile(at("masked"), nil, 0o666)
	mode("masked")
	fmt.Printf("%03o %03o\n", old, syscall.Umask(old))
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			say("walk", err)
		}
		return nil
	})
	say("clean up", os.RemoveAll(dir))
	os.Chmod(at("d0"), 0o700)
	say("clean up", os.RemoveAll(dir))
}
`

// TestModes runs a program about permissions in native Go, as a user other than root, and in both
// tiers: the output is the same.
func TestModes(t *testing.T) {
	p := compileText(t, modesProgram)
	want := nativeByUser(t, modesProgram)
	for _, tier := range bothTiers {
		var out bytes.Buffer
		if err := runModes(t, p, gyr.Config{Tier: tier, Stdout: &out, Stderr: &out}); err != nil {
			t.Errorf("%s: %v", tier, err)
		}
		sameLines(t, fmt.Sprint(tier), out.String(), want)
	}
	// The output is the same in a directory that the host mounts as in /tmp.
	var out bytes.Buffer
	err := runModes(t, p, gyr.Config{Stdout: &out, Stderr: &out, Env: []string{"TMPDIR=/m"},
		Mounts: []gyr.Mount{{Guest: "/m", Write: true, FS: fstest.MapFS{"x": {}}}}})
	if err != nil {
		t.Error(err)
	}
	sameLines(t, "mounted", out.String(), want)
}

func runModes(t *testing.T, p *gyr.Program, c gyr.Config) error {
	t.Helper()
	in, err := p.NewInstance(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	return in.Run(context.Background())
}

// sameLines reports the first line that differs from native Go's.
func sameLines(t *testing.T, what, got, want string) {
	t.Helper()
	is, should := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i, line := range should {
		if i >= len(is) || is[i] != line {
			t.Errorf("%s: line %d is\n%q, native Go has\n%q, behind\n%s", what, i+1, strings.Join(is[min(i, len(is)):min(i+1, len(is))], ""), line,
				strings.Join(should[max(0, i-8):i], "\n"))
			return
		}
	}
	if len(is) != len(should) {
		t.Errorf("%s: %d lines, native Go has %d", what, len(is), len(should))
	}
}

// nativeByUser builds a program with the go command and runs it as a user other than root.
func nativeByUser(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, bin, tmp := filepath.Join(dir, "main.go"), filepath.Join(dir, "main"), filepath.Join(dir, "tmp")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", bin, file)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin)
	cmd.Dir, cmd.Env = tmp, append(os.Environ(), "TMPDIR="+tmp)
	if os.Getuid() == 0 {
		const nobody = 65534
		for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(tmp, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var errs bytes.Buffer
	cmd.Stderr = io.Writer(&errs)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("native Go: %v\n%s%s", err, out, &errs)
	}
	return string(out)
}
