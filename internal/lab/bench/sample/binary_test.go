package sample

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// goProgram spends its time in one function, into which another is inlined.
const goProgram = `package main

import (
	"fmt"
	"os"
	"syscall"
)

func mix(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

//go:noinline
func work(n int) (x uint64) {
	for range n {
		x = mix(x)
	}
	return x
}

func main() {
	fmt.Fprintln(os.Stderr, "started")
	x := uint64(0)
	for used() < 300e6 { // of processor time, however loaded the machine is
		x += work(100_000)
	}
	fmt.Println(x)
}

func used() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}
`

// built builds the program with the go command.
func built(t *testing.T, flags ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no ELF here")
	}
	dir := t.TempDir()
	src := filepath.Join(dir, "main.go")
	if err := os.WriteFile(src, []byte(goProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "prog")
	cmd := exec.Command("go", append(append([]string{"build", "-o", bin}, flags...), src)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

// A child is sampled from its first instruction on, with all its threads, and its output is the
// same as usual. Its addresses have names, and inlined calls if it has debugging information.
func TestChild(t *testing.T) {
	for _, flags := range [][]string{nil, {"-ldflags=-s -w"}} {
		bin := built(t, flags...)
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(context.Background(), bin)
		cmd.Stdout, cmd.Stderr = &out, &errs
		s, err := Start(cmd, Config{Calls: true})
		if err != nil {
			if errors.As(err, new(*DeniedError)) {
				t.Skip(err)
			}
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if out.Len() == 0 || errs.String() != "started\n" {
			t.Errorf("it printed %q and %q", &out, &errs)
		}
		b, err := OpenBinary(bin)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		list, _ := s.Samples()
		work, inlined, called := 0, 0, 0
		for _, x := range list {
			p := b.Resolve(x)
			if p.Func != "main.work" {
				continue
			}
			work++
			if p.Kind != Guest || filepath.Base(p.File) != "main.go" || p.Line < 9 || p.Line > 18 {
				t.Errorf("%+v", p)
			}
			for _, at := range x.Chain { // work has no frame, which hides the call from main
				if b.Resolve(Sample{IP: at - 1}).Func == "runtime.main" {
					called++
				}
			}
		}
		code, at := b.Code("main.work")
		for i := range code {
			p := b.Resolve(Sample{IP: at + uint64(i)})
			if p.Func != "main.work" || p.Offset != i {
				t.Errorf("%+v", p)
			}
			if len(p.Frames) == 2 && p.Frames[0].Func == "main.mix" && p.Frames[0].Line == 9 && p.Frames[1].Line == 14 {
				inlined++
			}
		}
		t.Logf("%s: %d samples, %d in work, %d inlined, %d called by main", s.By(), len(list), work, inlined, called)
		if len(list) < 50 || work < len(list)/2 || called < work*8/10 || (len(flags) == 0) != (inlined >= 10) {
			t.Errorf("%d samples, %d in work, %d inlined, %d called by main", len(list), work, inlined, called)
		}
		if name, _ := b.Symbol(b.table.LookupFunc("main.main").Entry + 3); name != "main.main" {
			t.Errorf("the symbol is %q", name)
		}
	}
}

// A command that cannot be started and one that ends at once do no harm.
func TestStartErrors(t *testing.T) {
	if _, err := Start(exec.Command("/does/not/exist"), Config{}); err == nil {
		t.Error("a program that does not exist was started")
	}
	cmd := exec.Command("true")
	s, err := Start(cmd, Config{})
	if err != nil {
		if errors.As(err, new(*DeniedError)) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenBinary("/bin/true"); err == nil || !strings.Contains(err.Error(), "Go's linker") {
		t.Errorf("%v", err)
	}
}

// A profile of runtime/pprof gives samples too, with addresses of this binary.
func TestReadPprof(t *testing.T) {
	var b bytes.Buffer
	var list []Sample
	in, called := 0, 0
	for range 20 { // until the machine has had time for this process
		b.Reset()
		if err := pprof.StartCPUProfile(&b); err != nil {
			t.Skip(err)
		}
		spin(400 * time.Millisecond)
		pprof.StopCPUProfile()
		got, err := ReadPprof(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, got...)
		for _, s := range got {
			for _, at := range append([]uint64{s.IP + 1}, s.Chain...) { // the scheduler may have interrupted it
				switch f := host(at - 1).Func; {
				case strings.HasSuffix(f, "sample.spin"):
					in++
				case strings.HasSuffix(f, "sample.TestReadPprof"):
					called++
				}
			}
		}
		if in >= 5 {
			break
		}
	}
	if in < 5 || in < len(list)/3 || called < in*8/10 {
		t.Errorf("%d samples, %d in spin, %d called by the test", len(list), in, called)
	}
	for _, cut := range []int{0, 10, b.Len() / 2, b.Len() - 9} {
		if _, err := ReadPprof(b.Bytes()[:cut]); !errors.Is(err, errPprof) {
			t.Errorf("%d of %d bytes: %v", cut, b.Len(), err)
		}
	}
}
