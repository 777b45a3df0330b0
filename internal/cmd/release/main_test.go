package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

var (
	full = flag.Bool("release", false, "build a release twice, compare, and run what there is for this machine: some minutes")
	list = flag.String("platforms", "linux/amd64", "`platforms` of TestRelease, separated by commas, or all; linux/arm64 is run by qemu-user if it is there")
)

// TestRelease builds a release of the checkout and one of a copy elsewhere. They are equal, file by
// file, and sums are right. Each archive has the command for its platform. The commands for linux
// run programs on an otherwise empty system, with equal figures.
func TestRelease(t *testing.T) {
	if !*full {
		t.Skip("it takes some minutes: -release")
	}
	of := strings.Split(*list, ",")
	if *list == "all" {
		of = platforms
	}
	root, dir := checkoutOfTest(t), t.TempDir()
	other := filepath.Join(dir, "other", "place")
	if err := os.CopyFS(other, tracked{os.DirFS(root)}); err != nil {
		t.Fatal(err)
	}
	out, again := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for from, to := range map[string]string{root: out, other: again} {
		if err := release(t.Context(), from, to, of); err != nil {
			t.Fatal(err)
		}
	}
	compareReleases(t, out, again)
	run := runner{t: t, programs: filepath.Join(root, "programs")}
	for _, p := range of {
		goos, arch, _ := strings.Cut(p, "/")
		unpacked := filepath.Join(dir, goos+"-"+arch)
		unpack(t, filepath.Join(out, named(goos+"-"+arch)), goos, unpacked)
		bin := filepath.Join(unpacked, folder, command(goos))
		checkExecutable(t, bin, goos, arch)
		checkBill(t, filepath.Join(out, named(goos+"-"+arch+".cdx.json")), bin)
		run.platform(goos, arch, unpacked)
	}
}

// A tracked tree is a tree without files that belong to the repository and not to a version.
type tracked struct{ fs.FS }

func (f tracked) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name() == ".git" }), err
}

// compareReleases compares the files of two releases, and checks SHA256SUMS against them.
func compareReleases(t *testing.T, a, b string) {
	t.Helper()
	names := func(dir string) (names []string) {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	if x, y := names(a), names(b); !slices.Equal(x, y) {
		t.Fatalf("two builds have %q and %q", x, y)
	}
	var want strings.Builder
	for _, name := range names(a) {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s: two builds differ", name)
		}
		if name != "SHA256SUMS" {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(x), name)
		}
		t.Logf("%s: %d bytes", name, len(x))
	}
	if got, err := os.ReadFile(filepath.Join(a, "SHA256SUMS")); err != nil || string(got) != want.String() {
		t.Errorf("SHA256SUMS is\n%s\nwant\n%s(%v)", got, &want, err)
	}
}

// unpack unpacks an archive into a directory, and checks its names.
func unpack(t *testing.T, base, goos, dir string) {
	t.Helper()
	var files map[string][]byte
	if goos == "windows" {
		files = unzip(t, base+".zip")
	} else {
		files = untar(t, base+".tar.gz")
	}
	want := []string{"gyr/CHANGELOG.md", "gyr/LICENSE", "gyr/LICENSE.go", "gyr/README.md", "gyr/" + command(goos)}
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, want) {
		t.Errorf("the archive for %s has %q, want %q", goos, names, want)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// untar reads a .tar.gz; only the command in it may be executable.
func untar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		checkMode(t, h.Name, h.FileInfo().Mode())
	}
}

// unzip reads a .zip.
func unzip(t *testing.T, name string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		if files[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			t.Fatal(err)
		}
		checkMode(t, f.Name, f.Mode())
	}
	return files
}

func checkMode(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	want := fs.FileMode(0o644)
	if name == "gyr/gyr" || name == "gyr/gyr.exe" {
		want = 0o755
	}
	if mode != want {
		t.Errorf("%s has mode %v, want %v", name, mode, want)
	}
}

// checkExecutable checks that the file is a command of a platform, and on linux that it needs no
// other file.
func checkExecutable(t *testing.T, name, goos, arch string) {
	t.Helper()
	switch goos {
	case "linux":
		f, err := elf.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]; f.Machine != want || f.Type != elf.ET_EXEC {
			t.Errorf("%s is %v for %v, want an executable for %v", name, f.Type, f.Machine, want)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				t.Errorf("%s is linked dynamically", name)
			}
		}
	case "darwin":
		f, err := macho.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if want := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[arch]; f.Cpu != want || f.Type != macho.TypeExec {
			t.Errorf("%s is %v for %v, want an executable for %v", name, f.Type, f.Cpu, want)
		}
	case "windows":
		f, err := pe.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || f.Characteristics&pe.IMAGE_FILE_EXECUTABLE_IMAGE == 0 {
			t.Errorf("%s is for machine %#x", name, f.Machine)
		}
	default:
		t.Errorf("%s: no check of executables of %s", name, goos)
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range info.Settings {
		if s.Key == "GOOS" && s.Value != goos || s.Key == "GOARCH" && s.Value != arch || s.Key == "-tags" && s.Value != "gyrstd" {
			t.Errorf("%s was built with %s=%s", name, s.Key, s.Value)
		}
	}
}

// checkBill checks a bill of materials against the modules that a command was linked from.
func checkBill(t *testing.T, name, bin string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Logf("%s: the module proxy does not have cyclonedx-gomod, so there is no bill of materials", filepath.Base(name))
		return
	}
	var bom struct {
		Format   string `json:"bomFormat"`
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"std " + info.GoVersion}
	for _, m := range info.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	var got []string
	for _, c := range bom.Components {
		got = append(got, c.Name+" "+c.Version)
	}
	slices.Sort(got)
	slices.Sort(want)
	if m := bom.Metadata.Component; bom.Format != "CycloneDX" || m.Name != modulePath || m.Version != "v"+engine.Version || !slices.Equal(got, want) {
		t.Errorf("%s is %s of %s %s with %q, want %q", filepath.Base(name), bom.Format, m.Name, m.Version, got, want)
	}
}

// A runner runs commands for linux.
type runner struct {
	t        *testing.T
	programs string
	first    map[string]string // the output of the first platform
}

// emulated are programs that take an emulator only seconds.
var emulated = [][]string{
	{"nbody", "2000"}, {"fannkuch", "6"}, {"binarytrees", "8"}, {"json", "60"}, {"channels", "20"}, {"maps", "2000"}, {"hashes", "6"},
	{"mandelbrot", "24"}, {"spectralnorm", "12"}, {"closures", "200"}, {"generics", "1"}, {"structsort", "800"}, {"template", "30"}, {"regexredux", "100"},
}

// platform runs programs with the command of a platform. Its root directory has only the command
// and the programs' sources, as in an image that the Dockerfile makes. Output and figures in the
// interpreter are the same for all platforms.
func (r *runner) platform(goos, arch, dir string) {
	t := r.t
	var emulator string
	switch {
	case goos != "linux" || runtime.GOOS != "linux":
		t.Logf("%s/%s: not run here", goos, arch)
		return
	case arch != runtime.GOARCH:
		qemu := map[string]string{"arm64": "qemu-aarch64-static", "amd64": "qemu-x86_64-static"}[arch]
		path, err := exec.LookPath(qemu)
		if err != nil {
			t.Logf("%s/%s: not run, for there is no %s", goos, arch, qemu)
			return
		}
		emulator = path
	}
	files := filepath.Join(dir, "src")
	for _, p := range emulated {
		if err := os.CopyFS(filepath.Join(files, p[0]), os.DirFS(filepath.Join(r.programs, p[0]))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(files, "go.mod"), []byte("module programs\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range emulated {
		args := append([]string{"run", "-tier=interp", "-stats=brief", "./" + p[0]}, p[1:]...)
		cmd := exec.Command(filepath.Join(dir, folder, "gyr"), args...)
		if emulator != "" {
			cmd = exec.Command(emulator, append([]string{cmd.Path}, args...)...)
		} else {
			alone(cmd, dir)
		}
		if cmd.Dir = "/src"; cmd.SysProcAttr == nil {
			cmd.Dir = files
		}
		cmd.Env = []string{"GYRCACHE=off"}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s/%s: %q: %v\n%s", goos, arch, args, err, &stderr)
			continue
		}
		got[p[0]] = stdout.String() + figures(t, stderr.Bytes())
	}
	if r.first == nil {
		r.first = got
		return
	}
	for _, p := range emulated {
		if got[p[0]] != r.first[p[0]] {
			t.Errorf("%s/%s: %s prints and counts\n%s\nelsewhere\n%s", goos, arch, p[0], got[p[0]], r.first[p[0]])
		}
	}
	t.Logf("%s/%s: %d programs print and count the same", goos, arch, len(got))
}

// figures returns the figures of -stats=brief without times.
func figures(t *testing.T, text []byte) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	maps.DeleteFunc(all, func(name string, _ any) bool { return strings.HasSuffix(name, "_ns") })
	if all["gas"] == nil {
		t.Errorf("no gas in %s", text)
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestArchives: archives do not depend on when and by whom their files were written.
func TestArchives(t *testing.T) {
	for suffix, write := range map[string]func(io.Writer, []archived) error{".tar.gz": writeTar, ".zip": writeZip} {
		var first []byte
		for i, mode := range []fs.FileMode{0o600, 0o755} {
			dir := t.TempDir()
			from := filepath.Join(dir, "x")
			if err := os.WriteFile(from, bytes.Repeat([]byte("gyr"), 1000), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(from, archiveTime, archiveTime.AddDate(30+i, 0, 0)); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, "a"+suffix)
			if err := archive(name, []archived{{"gyr", from, true}, {"LICENSE", from, false}}, write); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = data
			} else if !bytes.Equal(data, first) {
				t.Errorf("%s: two archives of equal files differ", suffix)
			}
			read := untar
			if suffix == ".zip" {
				read = unzip
			}
			if files := read(t, name); len(files) != 2 || len(files["gyr/gyr"]) != 3000 || len(files["gyr/LICENSE"]) != 3000 {
				t.Errorf("%s: %d files", suffix, len(files))
			}
		}
	}
}

// TestDockerfile: the image is made of archives that a release has.
func TestDockerfile(t *testing.T) {
	if want := "\nADD gyr-VERSION-linux-${TARGETARCH}.tar.gz /\n"; !strings.Contains(dockerfile, want) {
		t.Errorf("no line %q", want)
	}
	if want := "\nENTRYPOINT [\"/" + folder + "/" + command("linux") + "\"]\n"; !strings.Contains(dockerfile, want) {
		t.Errorf("no line %q", want)
	}
	if strings.Count(dockerfile, "VERSION") != 1 || !strings.Contains(dockerfile, "\nFROM scratch\n") {
		t.Error("one thing stands for the version, and the image is made of nothing")
	}
}

// TestRefused: a directory that is not empty is left alone, and platforms are checked before
// anything is built.
func TestRefused(t *testing.T) {
	root, dir := checkoutOfTest(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), root, dir, []string{"linux/amd64"}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a directory in use: %v", err)
	}
	if err := release(t.Context(), root, dir, []string{"linux"}); err == nil || !strings.Contains(err.Error(), `platform "linux"`) {
		t.Errorf("half a platform: %v", err)
	}
}
