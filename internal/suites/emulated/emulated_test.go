// Package emulated tests machine code for arm64 on machines that have another processor.
//
// The test binaries of other suites are built for arm64, and qemu runs them: as a user of Linux, with the
// system calls of this machine. What an emulator cannot show is in docs/decisions/0033-arm64.md.
package emulated

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/suites/again"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var (
	whole        = flag.Bool("emulated", false, "run all parts, not one of the short ones; takes hours")
	only         = flag.String("emulated.only", "", "run only the parts whose names match this `expression`")
	progressFile = flag.String("emulated.state", "", "leave out the parts that have passed, by this `file`, and note in it those that pass")
)

// A part is a test binary with some of its tests.
type part struct {
	name  string
	pkg   string // below internal
	run   string // of the tests
	args  []string
	full  []string // further arguments with -emulated
	qemu  []string // flags of qemu
	env   []string
	short bool // one of these is the sample of a day
}

const native = "back/native"

// withoutFeatures takes away what code can do without.
var withoutFeatures = []string{"GODEBUG=cpu.crc32=off,cpu.sha2=off,cpu.aes=off,cpu.atomics=off"}

var parts = []part{
	{name: "operations", pkg: native, run: "^(TestOperations|TestBase|TestCases|TestEnter|TestUnderFire|TestStored.*|TestStop.*)$/^(type-safe)?$", short: true},
	{name: "checked operations", pkg: native, run: "^TestOperations$/^checked$", short: true},
	{name: "random modules", pkg: native, run: "^(TestRandom|TestRandomBase|TestBulk|TestKernels|TestLongSums|TestDivideByConstant)$", full: []string{"-seeds=2000"}, short: true},
	{name: "faults", pkg: native, run: "^(TestFault.*|TestGrow.*|TestCounted.*)$", args: []string{"-test.short"}, short: true},
	{name: "displacements", pkg: native, run: "^TestDisplacements$", short: true},
	{name: "without features", pkg: native, run: "^(TestOperations|TestBulk|TestKernels|TestLongSums)$/^(type-safe)?$", env: withoutFeatures, short: true},
	{name: "a Cortex-A53", pkg: native, run: "^(TestOperations|TestBulk|TestKernels|TestLongSums)$/^(type-safe)?$", qemu: []string{"-cpu", "cortex-a53"}, short: true},
	// With pages larger than those of the machine, about one run of eight of qemu 7.2 denies memory to Go's runtime.
	{name: "pages of 64 KiB", pkg: native, run: "^(TestBase|TestCases|TestEnter|TestStored.*)$", qemu: []string{"-p", "65536"}},
	{name: "code of 1 MiB", pkg: native, run: "^TestReach$/^1_MiB$", short: true},
	{name: "code of 128 MiB", pkg: native, run: "^TestReach$/^128_MiB$", short: true},
	{name: "operations, interpreted", pkg: "back/interp", run: "^TestOperations$", short: true},
	{name: "programs", pkg: "suites/conformance", run: "^TestPrograms$"},
	{name: "language", pkg: "tools/filetest", run: "^TestLanguage$"},
	{name: "GOROOT/test", pkg: "suites/conformance", run: "^TestGoroot$", full: []string{"-goroot"}},
	{name: "std", pkg: "suites/conformance", run: "^TestStd$", full: []string{"-std=engine"}},
	{name: "random programs", pkg: "suites/randgo", run: "^TestDifferential$", full: []string{"-programs=5000", "-batch=500", "-ways=1"}},
	{name: "hostile guests", pkg: "suites/hostile", run: "."},
	{name: "NaNs and states", pkg: "suites/embedding", run: "^Test(NaNs|.*State.*|.*Root.*)$"},
}

// TestEmulated runs the parts, or with -emulated unset one of the short ones each day.
func TestEmulated(t *testing.T) {
	qemu := needsQemu(t)
	list := parts
	if !*whole && *only == "" {
		list = daily.Part(t, slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !p.short }), 1, false)
	}
	passed := read(t)
	built := map[string]string{}
	dir := t.TempDir()
	for _, p := range list {
		t.Run(p.name, func(t *testing.T) {
			if *only != "" && !regexp.MustCompile(*only).MatchString(p.name) {
				t.Skip("not one of -emulated.only")
			}
			if took, ok := passed[p.name]; ok {
				t.Skipf("passed in %s", took)
			}
			if built[p.pkg] == "" {
				built[p.pkg] = build(t, dir, p.pkg)
			}
			args := append(slices.Clone(p.qemu), built[p.pkg], "-test.run="+p.run, "-test.timeout=300m")
			if args = append(args, p.args...); *whole {
				args = append(args, p.full...)
			}
			cmd := exec.Command(qemu, args...)
			cmd.Dir = filepath.Join("..", "..", filepath.FromSlash(p.pkg))
			cmd.Env = append(append(os.Environ(), again.Emulator+"="+strings.Join(append([]string{qemu}, p.qemu...), " ")), p.env...)
			begun := time.Now()
			out, err := cmd.CombinedOutput()
			took := time.Since(begun).Round(time.Second)
			if err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("PASS")) {
				t.Fatalf("%s: %v\n%s", took, err, tail(out))
			}
			t.Log(took)
			passed[p.name] = took.String()
			write(t, passed)
		})
	}
}

// needsQemu returns the path of qemu for arm64.
func needsQemu(t *testing.T) string {
	t.Helper()
	qemu, err := exec.LookPath("qemu-aarch64-static")
	switch {
	case runtime.GOOS != "linux":
		t.Skip("qemu runs programs of Linux on Linux only")
	case err != nil:
		t.Skip("no qemu-aarch64-static, of Debian's package qemu-user-static")
	}
	return qemu
}

// build builds the test binary of a package for arm64.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	out := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-"))
	cmd := exec.Command("go", "test", "-c", "-o", out, "github.com/gyrvm/gyr/internal/"+pkg)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

// tail returns the end of an output, with the failures before it.
func tail(out []byte) []byte {
	const most = 8 << 10
	return out[max(0, len(out)-most):]
}

// read returns the parts that have passed, with the time that they took.
func read(t *testing.T) map[string]string {
	passed := map[string]string{}
	if *progressFile == "" {
		return passed
	}
	b, err := os.ReadFile(*progressFile)
	if errors.Is(err, fs.ErrNotExist) {
		return passed
	}
	if err == nil {
		err = json.Unmarshal(b, &passed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return passed
}

func write(t *testing.T, passed map[string]string) {
	if *progressFile == "" {
		return
	}
	b, err := json.MarshalIndent(passed, "", "\t")
	if err == nil {
		err = os.WriteFile(*progressFile, append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
