//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	gyrexec "github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// faultText reads at an address from memory, two calls down, and then at another one: the second
// access is in another function.
const faultText = `
data 16
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = load i64 v1 [0]
  v3 = inttoptr ptr v2
  v4 = const i64 1000
  v5 = call i64 @f v3 v4 : (ptr, i64) -> (i64)
  store v1 v5 [8]
  ret
}
func @f (ptr, i64) -> (i64) {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = const i64 0
  v3 = eq i8 v1 v2
  if v3 b1 b2
b1: <- b0
  v4 = load i64 v0 [24]
  ret v4
b2: <- b0
  v5 = const i64 1
  v6 = sub i64 v1 v5
  v7 = call i64 @f v0 v6 : (ptr, i64) -> (i64)
  v8 = add i64 v7 v6
  ret v8
}
entry @main
`

// runFault runs faultText with an address.
func runFault(mod *ir.Module, prog *Module, addr uint64) error {
	vm, err := rt.New(mod, rt.Config{})
	if err != nil {
		return err
	}
	defer vm.Close()
	b, ok := vm.Space.Bytes(0x10000, 8)
	if !ok {
		return errors.New("no memory")
	}
	for i := range b {
		b[i] = byte(addr >> (8 * i))
	}
	m, err := New(vm, prog, gyrexec.Options{})
	if err != nil {
		return err
	}
	err = vm.Finish(m.Run())
	if errors.As(err, new(*api.MemoryFaultError)) {
		return vm.Err // which knows the address
	}
	return err
}

func faultProgram(t *testing.T) (*ir.Module, *Module) {
	mod, err := ir.ParseModule(faultText)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := NewModule(nil, mod, Options{Checked: true})
	if err != nil {
		t.Skip(err)
	}
	return mod, prog
}

func checkFault(addr uint64, err error) error {
	want := fmt.Sprintf("%v: 1 bytes at %#x", rt.ErrAddress, addr+24)
	if !rt.IsAddress(err) || !strings.Contains(err.Error(), want) {
		return fmt.Errorf("at %#x: %v, want %s", addr, err, want)
	}
	return nil
}

//go:noinline
func nilPanic(p *int) (caught bool) {
	defer func() { caught = recover() != nil }()
	*p = 1
	return false
}

// TestFaults: code that accesses memory that the guest does not have ends its run with an error, in
// many goroutines at once, while Go code faults too, stacks move and the collector runs.
func TestFaults(t *testing.T) {
	mod, prog := faultProgram(t)
	n := 300
	if testing.Short() {
		n = 30
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range n {
				addr := []uint64{0, 0x8000, 1 << 31, 1<<32 - 8, 1<<32 - 1, 0x7654_3210}[(g+i)%6]
				if err := checkFault(addr, runFault(mod, prog, addr)); err != nil {
					t.Error(err)
					return
				}
				if g%4 == 0 && i%16 == 0 {
					runtime.GC()
				}
				recurse(i)
			}
		})
		wg.Go(func() {
			old := debug.SetPanicOnFault(true)
			defer debug.SetPanicOnFault(old)
			for range 20 * n {
				if !nilPanic(nil) {
					t.Error("no panic")
					return
				}
			}
		})
	}
	wg.Wait()
	if err := runFault(mod, prog, 0x10000-16); err != nil {
		t.Error(err)
	}
}

// TestFaultHandlers: the handler comes back when Go's does, and is not installed again after one
// that calls it.
func TestFaultHandlers(t *testing.T) {
	mod, prog := faultProgram(t)
	for range 3 {
		var own, other sigaction
		if err := rtSigaction(syscall.SIGSEGV, nil, &own); err != nil {
			t.Fatal(err)
		}
		if own.handler != faultHandlerAddress() {
			t.Fatal("the handler is not there")
		}
		other = own
		other.handler = chained[syscall.SIGSEGV]
		if err := rtSigaction(syscall.SIGSEGV, &other, nil); err != nil {
			t.Fatal(err)
		}
		if !nilPanic(nil) {
			t.Error("no panic")
		}
		if err := checkFault(1<<31, runFault(mod, prog, 1<<31)); err != nil {
			t.Error(err)
		}
		if !nilPanic(nil) {
			t.Error("no panic")
		}
	}
	if err := handleFaults(); err != nil {
		t.Error(err)
	}
	if chained[syscall.SIGSEGV] == faultHandlerAddress() {
		t.Error("the handler calls itself")
	}
}

// TestFaultElsewhere: a fault of the host's own code still kills it, with Go's report.
func TestFaultElsewhere(t *testing.T) {
	if os.Getenv("GYR_FAULT") != "" {
		faultProgram(t)
		nilAt(pointer(0x123450000))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFaultElsewhere$")
	cmd.Env = append(os.Environ(), "GYR_FAULT=1")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator cannot start this program again")
	}
	if err == nil || !strings.Contains(string(out), "unexpected fault address 0x123450000") {
		t.Errorf("%v\n%s", err, out)
	}
}

//go:noinline
func nilAt(p unsafe.Pointer) { *(*int)(p) = 1 }
