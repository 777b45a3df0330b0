//go:build linux && amd64

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/suites/daily"
)

const guest = `package main

import "fmt"

//go:noinline
func guestleaf(n int) int {
	return n*3 + len(fmt.Sprint(n))
}

//go:noinline
func guestfib(n int) int {
	if n < 2 {
		return guestleaf(n)
	}
	return guestfib(n-1) + guestfib(n-2)
}

func main() { fmt.Println(guestfib(%d)) }
`

// TestTools runs gyr under the tools to which it describes its code.
func TestTools(t *testing.T) {
	daily.Turn(t, 3, false)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	gyr := filepath.Join(t.TempDir(), "gyr")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", gyr, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, x := range []struct {
		name, tool string
		n          int
		run        func(t *testing.T, dir, gyr string)
	}{
		{"gdb", "gdb", 3, testGdb},
		{"perfmap", "", 3, testPerfMap},
		{"jitdump", "perf", 24, testPerfJitDump},
		{"interp", "", 3, testTellersNeedMachineCode},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.tool != "" {
				if _, err := exec.LookPath(x.tool); err != nil {
					t.Skipf("%s is not installed", x.tool)
				}
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "guest.go"), fmt.Appendf(nil, guest, x.n), 0o644); err != nil {
				t.Fatal(err)
			}
			x.run(t, dir, gyr)
		})
	}
}

// runTool runs a command in dir, and puts its temporary files there too. A command that does not
// end is killed with its children: by the process group, and by the kernel the children that gdb
// has put into their own group, once gdb is gone.
func runTool(dir string, args ...string) (*exec.Cmd, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "GYRCACHE=off", "HOME="+dir, "DEBUGINFOD_URLS=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not end: %w", ctx.Err())
	}
	return cmd, out.String(), err
}

// testGdb stops in guest code by name, steps in it, and shows the guest's stack with lines of its
// source, or of its IR. Where it steps, Go's runtime must send no signals; where it only stops,
// they do no harm.
func testGdb(t *testing.T, dir, gyr string) {
	for _, x := range []struct{ settings, godebug, then, file string }{
		{"gdbjit", "asyncpreemptoff=0", "info line", `guest\.go:6`},
		{"gdbjit", "asyncpreemptoff=1", "stepi 12", `guest\.go:7`},
		{"gdbjit,irlines", "asyncpreemptoff=1", "stepi 12", `\d+\.ir:\d+`},
	} {
		_, out, err := runTool(dir, "gdb", "-nx", "-batch", "-ex", "set auto-load off", "-ex", "set breakpoint pending on",
			"-ex", "handle SIGURG nostop noprint", "-ex", "set environment GODEBUG "+x.godebug,
			"-ex", "break main.guestleaf", "-ex", "run", "-ex", x.then, "-ex", "bt", "-ex", "kill",
			"--args", gyr, "run", "-tier=native", "-d="+x.settings, "guest.go")
		if strings.Contains(out, "ptrace: ") || strings.Contains(out, "Could not trace") {
			t.Skipf("gdb may not trace here:\n%s", out)
		}
		if err != nil {
			t.Fatalf("gdb: %v\n%s", err, out)
		}
		for _, want := range []string{
			`#0 +(?:0x[0-9a-f]+ in )?main\.guestleaf \(\) at \S*` + x.file,
			`#[2-4] +0x[0-9a-f]+ in main\.guestfib \(\) at \S*`,
			`in main\.main \(\) at \S*`,
			`in gyr_stubs \(\)`,
		} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%s, %s: no %s in\n%s", x.settings, x.then, want, out)
			}
		}
	}
}

// testPerfMap finds the names of guest functions in perf's map.
func testPerfMap(t *testing.T, dir, gyr string) {
	cmd, out, err := runTool(dir, gyr, "run", "-tier=native", "-d=perfmap", "guest.go")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	name := fmt.Sprintf("/tmp/perf-%d.map", cmd.Process.Pid)
	defer os.Remove(name)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^[0-9a-f]+ [0-9a-f]+ main\.guestfib$`, `(?m)^[0-9a-f]+ [0-9a-f]+ gyr_stubs$`} {
		if !regexp.MustCompile(want).Match(b) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
}

// testPerfJitDump attributes perf's samples to guest functions and lines by the dump.
func testPerfJitDump(t *testing.T, dir, gyr string) {
	_, out, err := runTool(dir, "perf", "record", "-q", "-k", "mono", "-e", "cpu-clock", "-o", "p.data", gyr, "run", "-tier=native", "-d=jitdump", "guest.go")
	if _, e := os.Stat(filepath.Join(dir, "p.data")); err != nil && e != nil {
		t.Skipf("perf may not record here: %v\n%s", err, out)
	} else if err != nil {
		t.Fatalf("perf record: %v\n%s", err, out)
	}
	if _, out, err := runTool(dir, "perf", "inject", "--jit", "-i", "p.data", "-o", "q.data"); err != nil {
		t.Skipf("this perf cannot inject: %v\n%s", err, out)
	}
	_, out, err = runTool(dir, "perf", "report", "-i", "q.data", "--stdio")
	if err != nil || !regexp.MustCompile(`jitted-\d+-\d+\.so +\[\.\] (?:main|fmt|strconv|sync)\.`).MatchString(out) {
		t.Errorf("perf report: %v\n%s", err, out)
	}
}

// testTellersNeedMachineCode: describing code to tools needs machine code.
func testTellersNeedMachineCode(t *testing.T, dir, gyr string) {
	_, out, err := runTool(dir, gyr, "run", "-tier=interp", "-d=gdbjit", "guest.go")
	if err == nil || !strings.Contains(out, "gdbjit is about machine code") {
		t.Errorf("%v\n%s", err, out)
	}
}
