package rt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// fakeExec is a tier without code: stacks are numbers, roots a list.
type fakeExec struct {
	vm     *VM
	gas    int64
	roots  []uint32
	pcs    []uint64
	cur, g uint32
	stacks uint32
	freed  []uint32
	onMark func()
}

func (e *fakeExec) NewStack(fn uint32) (uint32, Status) {
	if e.stacks == 3 {
		return 0, OutOfMemory
	}
	e.stacks++
	return e.stacks, OK
}
func (e *fakeExec) FreeStack(stk uint32) { e.freed = append(e.freed, stk) }
func (e *fakeExec) SwitchTo(stk uint32) bool {
	if stk == 0 || stk > e.stacks {
		return false
	}
	e.cur = stk
	return true
}
func (e *fakeExec) CurStack() uint32 { return e.cur }
func (e *fakeExec) G() uint32        { return e.g }
func (e *fakeExec) SetG(g uint32)    { e.g = g }
func (e *fakeExec) Callers(stk uint32, skip int, buf []uint64) int {
	if skip > len(e.pcs) {
		return 0
	}
	return copy(buf, e.pcs[skip:])
}
func (e *fakeExec) ParentFrame(frame uint64) uint64 { return frame / 2 }
func (e *fakeExec) GasLeft() int64                  { return 1 << 60 }
func (e *fakeExec) MarkRoots() Status {
	for _, r := range e.roots {
		e.vm.Heap.MarkPtr(r)
	}
	if e.onMark != nil {
		e.onMark()
	}
	return OK
}
func (e *fakeExec) MarkLocals() (bool, Status) {
	_, ok := e.vm.Heap.NextChunkPtr()
	return ok, OK
}
func (e *fakeExec) Release()             {}
func (e *fakeExec) GasUsed() int64       { return e.gas }
func (e *fakeExec) Elapsed() int64       { return e.gas }
func (e *fakeExec) FreeEnds()            {}
func (e *fakeExec) Spend(n int64)        { e.gas += n }
func (e *fakeExec) SpendOutside(n int64) { e.gas += n }
func (e *fakeExec) LimitGas(int64) bool  { return true }
func (e *fakeExec) GasLimit() int64      { return e.vm.Config.Gas }
func (e *fakeExec) AddGas(int64)         {}
func (e *fakeExec) Overdrawn() bool      { return false }
func (e *fakeExec) StopGas()             {}
func (e *fakeExec) DropPools()           {}

// Layouts of the test module: 1 is a cell {next *cell, value int}.
const cell = 1

// Addresses in the test module's data segment.
const (
	scratchAt = ir.DataBase + 0x1000
	rootAt    = ir.DataBase + 0x3000 // one pointer, a root
	flagsAt   = ir.DataBase + 0x3100
	typesAt   = ir.DataBase + 0x4000
	dataEnd   = ir.DataBase + 0x8000
)

func testModule() *ir.Module {
	m := &ir.Module{
		Data:    bytes.Repeat([]byte{7}, 16),
		BSS:     dataEnd - ir.DataBase - 16,
		Layouts: []ir.Layout{{}, {Size: 16, Ptrs: []uint64{1}}, {Size: 8, Ptrs: []uint64{1}}},
		Roots:   []ir.Root{{Addr: rootAt, Layout: 2, Count: 1}},
		Files:   []string{"", "/src/main.go"},
		Sites:   []ir.Site{{}, {Func: 1, File: 1, Line: 10}, {Func: 2, File: 1, Line: 22}, {Func: 99, File: 99, Line: 3}},
		Pos:     []ir.PosEntry{{}, {Site: 1}},
	}
	m.SetFuncs([]*ir.Func{nil,
		{Name: "main.main", Index: 1, Pos: 1, Shape: 1},
		{Name: "main.(*T).M", Index: 2, Shape: 2},
		{Name: "unpack", Index: 3, Shape: 77},
	})
	m.Shapes = []*ir.Shape{{Unpack: 3}, {}}
	return m
}

func newVM(t testing.TB, c Config) (*VM, *fakeExec) {
	t.Helper()
	vm, err := New(testModule(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vm.Close() })
	e := &fakeExec{vm: vm}
	vm.Exec = e
	return vm, e
}

// call calls a host function.
func call(vm *VM, name string, args ...uint64) (ir.Args, Status) {
	var a ir.Args
	copy(a[:], args)
	st := Host[name](vm, &a)
	return a, st
}

// must calls one that has to succeed.
func must(t testing.TB, vm *VM, name string, args ...uint64) ir.Args {
	t.Helper()
	a, st := call(vm, name, args...)
	if st != OK {
		t.Fatalf("%s%#x: status %d, %v", name, args, st, vm.Err)
	}
	return a
}

func mem(t testing.TB, vm *VM, addr, n uint64) []byte {
	t.Helper()
	b, ok := vm.Space.Bytes(addr, n)
	if !ok {
		t.Fatalf("no memory at %#x", addr)
	}
	return b
}

func put64(t testing.TB, vm *VM, addr, v uint64) {
	t.Helper()
	binary.LittleEndian.PutUint64(mem(t, vm, addr, 8), v)
}

func get64(t testing.TB, vm *VM, addr uint64) uint64 {
	t.Helper()
	return binary.LittleEndian.Uint64(mem(t, vm, addr, 8))
}

func TestNewLoadsTheDataAndResetRestoresIt(t *testing.T) {
	vm, _ := newVM(t, Config{Config: api.Config{Name: "p"}})
	if b := mem(t, vm, ir.DataBase, 17); b[15] != 7 || b[16] != 0 {
		t.Errorf("data: %v", b)
	}
	mem(t, vm, ir.DataBase, 1)[0] = 1
	mem(t, vm, scratchAt, 1)[0] = 1
	vm.Alloc(cell, 16)
	must(t, vm, "idle", 1<<40)
	call(vm, "exit", 3)
	first := must(t, vm, "rand")[0]
	if err := vm.Reset(Config{}); err != nil {
		t.Fatal(err)
	}
	if mem(t, vm, ir.DataBase, 1)[0] != 7 || mem(t, vm, scratchAt, 1)[0] != 0 {
		t.Error("memory is not as at first")
	}
	if vm.Heap.Stats().Mallocs != 0 || vm.ExitCode != 0 || vm.Nanotime() != monotonicStart {
		t.Error("state is not as at first")
	}
	if again := must(t, vm, "rand")[0]; again != first {
		t.Error("randomness is not as at first")
	}
}

func TestNewRefuses(t *testing.T) {
	m := testModule()
	if _, err := New(m, Config{Config: api.Config{Memory: 1000}}); !errors.As(err, new(*api.MemoryLimitError)) {
		t.Errorf("data beyond the limit: %v", err)
	}
	if _, err := New(m, Config{Config: api.Config{Dirs: []api.Dir{{Host: "/does/not/exist"}}}}); err == nil {
		t.Error("a missing directory")
	}
	m.BSS = -1
	if _, err := New(m, Config{}); err == nil {
		t.Error("negative size")
	}
}

func TestStacksAreTheTiers(t *testing.T) {
	vm, e := newVM(t, Config{})
	if a := must(t, vm, "newstack", scratchAt); a[0] != 1 {
		t.Errorf("stack %d", a[0])
	}
	if _, st := call(vm, "switch", 1); st != Switch || must(t, vm, "curstack")[0] != 1 {
		t.Errorf("switch: status %d", st)
	}
	must(t, vm, "setg", 0x12345)
	if must(t, vm, "getg")[0] != 0x12345 {
		t.Error("getg")
	}
	must(t, vm, "freestack", 1)
	if len(e.freed) != 1 {
		t.Error("freestack")
	}
	if must(t, vm, "parentframe", 10)[0] != 5 {
		t.Error("parentframe")
	}
	e.gas = 42
	if must(t, vm, "tracegas")[0] != 42 {
		t.Error("tracegas")
	}
	call(vm, "newstack", scratchAt)
	call(vm, "newstack", scratchAt)
	if _, st := call(vm, "newstack", scratchAt); st != OutOfMemory {
		t.Errorf("newstack: status %d", st)
	}
	for _, stk := range []uint64{0, 9, 1 << 32} {
		vm.Err = nil
		if _, st := call(vm, "switch", stk); st != Failed || !errors.Is(vm.Err, memory.ErrCorrupt) {
			t.Errorf("switch %d: status %d", stk, st)
		}
	}
}

func TestTracebacks(t *testing.T) {
	vm, e := newVM(t, Config{})
	e.pcs = []uint64{ir.SitePC(2), ir.SitePC(1)}
	a := must(t, vm, "callers", 0, 0, scratchAt, 10)
	if a[0] != 2 || get64(t, vm, scratchAt) != ir.SitePC(2) || get64(t, vm, scratchAt+8) != ir.SitePC(1) {
		t.Errorf("callers: %d", a[0])
	}
	if a := must(t, vm, "callers", 0, 1, scratchAt, 1); a[0] != 1 || get64(t, vm, scratchAt) != ir.SitePC(1) {
		t.Error("callers with skip")
	}
	text := func(name string, pc uint64, n uint64) (string, ir.Args) {
		clear(mem(t, vm, scratchAt, 100))
		a := must(t, vm, name, pc, scratchAt, n)
		return string(bytes.TrimRight(mem(t, vm, scratchAt, 100), "\x00")), a
	}
	if s, a := text("pcname", ir.SitePC(2), 100); s != "main.(*T).M" || a[0] != 11 {
		t.Errorf("pcname: %q, %d", s, a[0])
	}
	if s, a := text("pcname", ir.SitePC(2)-1, 4); s != "main" || a[0] != 11 {
		t.Errorf("pcname in a short buffer: %q, %d", s, a[0])
	}
	if s, _ := text("pcname", 1, 100); s != "main.main" {
		t.Errorf("pcname of an entry: %q", s)
	}
	if s, a := text("pcfile", ir.SitePC(2), 100); s != "/src/main.go" || a[0] != 12 || a[1] != 22 {
		t.Errorf("pcfile: %q, %d", s, a[:2])
	}
	if s, a := text("pcfile", 1, 100); s != "/src/main.go" || a[1] != 10 {
		t.Errorf("pcfile of an entry: %q, %d", s, a[:2])
	}
	for pc, want := range map[uint64]uint64{ir.SitePC(2): 2, 2: 2, 0: 0, 77: 0, ir.SitePC(50): 0, ^uint64(0): 0, ir.SitePC(3): 0} {
		if got := must(t, vm, "pcentry", pc)[0]; got != want {
			t.Errorf("pcentry %#x: %d, want %d", pc, got, want)
		}
	}
	for _, pc := range []uint64{0, 77, ^uint64(0), ir.SitePC(50), ir.SitePCBase} {
		if a := must(t, vm, "pcname", pc, scratchAt, 8); a[0] != 0 {
			t.Errorf("pcname %#x: %d", pc, a[0])
		}
		if a := must(t, vm, "pcfile", pc, scratchAt, 8); a[0] != 0 || a[1] != 0 {
			t.Errorf("pcfile %#x: %d", pc, a[:2])
		}
	}
	for fn, want := range map[uint64]uint64{1: 3, 2: 0, 3: 0, 0: 0, 99: 0, ^uint64(0): 0} {
		if got := must(t, vm, "shapestub", fn)[0]; got != want {
			t.Errorf("shapestub %d: %d, want %d", fn, got, want)
		}
	}
}

func TestOutputArgumentsEnd(t *testing.T) {
	var out, errs strings.Builder
	vm, _ := newVM(t, Config{Config: api.Config{Name: "prog", Args: []string{"a b"}, Env: []string{"K=v"}, Stdout: &out, Stderr: &errs}})
	copy(mem(t, vm, scratchAt, 5), "hello")
	if a := must(t, vm, "write", 2, scratchAt, 5); a[0] != 5 || errs.String() != "hello" {
		t.Errorf("write: %d, %q", a[0], errs.String())
	}
	if a := must(t, vm, "write", 1, scratchAt, 2); a[0] != 2 || out.String() != "he" {
		t.Errorf("write: %d, %q", a[0], out.String())
	}
	if a := must(t, vm, "write", 1<<32+1, scratchAt, 2); a[0] != 0 {
		t.Errorf("write to nowhere: %d", a[0])
	}
	if a := must(t, vm, "args", scratchAt, 100); string(mem(t, vm, scratchAt, a[0])) != "prog\x00a b\x00" {
		t.Errorf("args: %q", mem(t, vm, scratchAt, a[0]))
	}
	if a := must(t, vm, "args", 0, 0); a[0] != 9 {
		t.Errorf("length of args: %d", a[0])
	}
	if a := must(t, vm, "environ", scratchAt, 3); a[0] != 4 || string(mem(t, vm, scratchAt, 3)) != "K=v" {
		t.Errorf("environ: %d", a[0])
	}
	minus := int64(-1)
	if _, st := call(vm, "exit", uint64(minus)); st != Exit || vm.ExitCode != -1 {
		t.Errorf("exit: %d", vm.ExitCode)
	}
	if _, st := call(vm, "wasi_snapshot_preview1.proc_exit", 7); st != Exit || vm.ExitCode != 7 {
		t.Errorf("proc_exit: %d", vm.ExitCode)
	}
	var e *api.ExitError
	if err := vm.Finish(Exit); !errors.As(err, &e) || e.Code != 7 {
		t.Errorf("Finish: %v", err)
	}
	copy(mem(t, vm, scratchAt, 5), "fatal")
	must(t, vm, "dying", scratchAt, 5)
	if _, st := call(vm, "fatal"); st != Exit || vm.ExitCode != 2 || vm.Fatal != "fatal" {
		t.Errorf("fatal: %d, %q", vm.ExitCode, vm.Fatal)
	}
}

func TestFinish(t *testing.T) {
	vm, e := newVM(t, Config{Config: api.Config{Gas: 1000, Stack: 1 << 20, Memory: 3 << 20, Output: 64 << 10}})
	e.pcs = []uint64{ir.SitePC(2)}
	for st, want := range map[Status]string{
		Exit:        "",
		OutOfGas:    "out of gas: limit of 1000 units reached in main.(*T).M (/src/main.go:22)",
		OutOfMemory: "memory limit of 3 MiB reached in main.(*T).M (/src/main.go:22)",
		StackLimit:  "stack limit of 1 MiB reached in main.(*T).M (/src/main.go:22)",
		OutputLimit: "output limit of 64 KiB reached in main.(*T).M (/src/main.go:22)",
		Interrupted: "interrupted: interrupted in main.(*T).M (/src/main.go:22)",
		Failed:      "run: the guest's memory is corrupt in main.(*T).M (/src/main.go:22)",
		OK:          "run: the tier returned status 0 in main.(*T).M (/src/main.go:22)",
	} {
		got := ""
		if err := vm.Finish(st); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("status %d: %q, want %q", st, got, want)
		}
	}
	if err := vm.Finish(OutOfGas).(*api.OutOfGasError); err.Used != 1000 || err.Line != 22 || err.Func != "main.(*T).M" {
		t.Errorf("%+v", err)
	}
	_, st := call(vm, "memstats", 0x10)
	err := vm.Finish(st)
	var fault *api.MemoryFaultError
	if !errors.As(err, &fault) || fault.Class != api.FaultLow || !IsAddress(err) || fault.Line != 22 {
		t.Errorf("a bad address: %v", err)
	}
}

func TestTheContextEndsTheRun(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	vm, _ := newVM(t, Config{})
	vm.SetContext(ctx)
	if st := vm.Poll(); st != OK {
		t.Fatalf("status %d", st)
	}
	cancel(cause)
	if st := vm.Poll(); st != Interrupted {
		t.Fatalf("status %d", st)
	}
	var d *api.DeadlineError
	if err := vm.Finish(Interrupted); !errors.As(err, &d) || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	for name, args := range map[string][]uint64{"idle": {1 << 60}, "wasi_snapshot_preview1.poll_oneoff": {scratchAt, scratchAt + 100, 1, scratchAt + 200}} {
		if _, st := call(vm, name, args...); st != Interrupted {
			t.Errorf("%s: status %d", name, st)
		}
	}
}

func TestHintsAreFew(t *testing.T) {
	vm, _ := newVM(t, Config{})
	minus := int64(-1)
	for i := range 100 {
		p := mem(t, vm, scratchAt, 2)
		p[0], p[1] = byte('a'+i%26), byte('a'+i/26)
		call(vm, "wasi_snapshot_preview1.path_unlink_file", uint64(minus), scratchAt, 2)
	}
	if len(vm.Hints) != maxHints || !strings.Contains(vm.Hints[0].ForCommand(), "-dir") ||
		!strings.Contains(vm.Hints[0].ForHost(), "Config.Dirs") {
		t.Errorf("%d hints: %+v", len(vm.Hints), vm.Hints)
	}
}

func TestMemstats(t *testing.T) {
	vm, _ := newVM(t, Config{})
	vm.Alloc(cell, 16)
	vm.Alloc(cell, 16)
	must(t, vm, "gc")
	vm.Alloc(cell, 16)
	must(t, vm, "memstats", scratchAt)
	for i, want := range []uint64{0: 16, 1: 48, 2: 3, 3: 2, 4: 1} {
		if got := get64(t, vm, scratchAt+8*uint64(i)); got != want {
			t.Errorf("figure %d: %d, want %d", i, got, want)
		}
	}
	if got := get64(t, vm, scratchAt+80); got < memory.MinTrigger/2 || got > 2*memory.MinTrigger {
		t.Errorf("next collection at %d", got)
	}
	if s := vm.Stats(); s.Collections != 1 {
		t.Errorf("%+v", s)
	}
}
