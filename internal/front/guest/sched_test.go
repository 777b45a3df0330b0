package guest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The scheduler half of the runtime overlay is plain Go above a few host functions. TestScheduler
// compiles those files natively, under another package name, with a host of goroutines that pass a
// baton (testdata/sched/host.go), and runs the tests in testdata/sched.
func TestScheduler(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	directive := regexp.MustCompile(`(?m)^//go:(linkname .*|noescape)$`)
	copyfile := func(name, src string) {
		b, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		text := directive.ReplaceAllString(string(b), "")
		text = strings.ReplaceAll(text, `"internal/abi"`, `"emulated/abi"`)
		text = strings.ReplaceAll(text, `_ "internal/runtime/atomic"`, `_ "unsafe"`)
		text = strings.ReplaceAll(text, `"internal/goarch"`, `"emulated/goarch"`)
		write(name, text)
	}
	write("go.mod", "module emulated\n\ngo 1.26\n")
	for _, name := range strings.Fields("proc account chan charge select sema time coro finalizer synctest waitreason sigqueue netpoll") {
		copyfile("sched/"+name+".go", "_src/runtime/"+name+".go")
	}
	for _, name := range strings.Fields("host chan_test sched_test time_test special_test") {
		copyfile("sched/"+name+".go", "testdata/sched/"+name+".go")
	}
	// internal/abi cannot be imported from here; a copy reads the same descriptors.
	goroot := runtime.GOROOT()
	for _, pkg := range []string{"abi", "goarch"} {
		files, err := filepath.Glob(filepath.Join(goroot, "src/internal", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skip("no GOROOT sources")
		}
		for _, file := range files {
			name := filepath.Base(file)
			if strings.HasSuffix(name, "_test.go") || name == "funcpc.go" || name == "funcpc_gccgo.go" || name == "stub.s" {
				continue
			}
			copyfile(pkg+"/"+name, file)
		}
	}
	cmd := exec.Command(filepath.Join(goroot, "bin/go"), "test", "-count=1", "-vet=off", "./sched")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGC=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
