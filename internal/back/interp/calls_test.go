package interp

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// runText runs a module and fails the test unless it ends with status want.
func runText(t *testing.T, text string, rc rt.Config, c Options, want rt.Status) *Machine {
	t.Helper()
	m := machine(t, parse(t, text), rc, c)
	if st := m.Run(); st != want {
		t.Fatalf("status %d (%v), want %d", st, m.VM.Finish(st), want)
	}
	return m
}

func wantWords(t *testing.T, m *Machine, want ...uint64) {
	t.Helper()
	for i, x := range want {
		if got := m.testWord(t, 0x10000+8*uint64(i)); got != x {
			t.Errorf("word %d is %d, want %d", i, got, x)
		}
	}
}

const closureText = `
data 64
  0x10020 0200000000000000
  0x10028 2a00000000000000
func @main #1 () -> () {
b0:
  v1 = const ptr 0x10020
  v2 = const i64 5
  v3 = callclosure i64 v1 v2 : (i64) -> (i64, f64)
  v4 = result f64 v3 [1]
  v5 = const ptr 0x10000
  store v5 v3 [0]
  store v5 v4 [8]
  v6 = const i64 INDEX
  v7 = callindex i64 v6 v3 : (i64) -> (i64, f64)
  store v5 v7 [16]
  ret
}
func @closure #2 (i64) -> (i64, f64) {
b0:
  v1 = arg i64 [0]
  v2 = closure ptr
  v3 = load i64 v2 [8]
  v4 = add i64 v1 v3
  v5 = const f64 1.5
  ret v4 v5
}
func @index #3 (i64) -> (i64, f64) {
b0:
  v1 = arg i64 [0]
  v2 = mul i64 v1 v1
  v5 = const f64 1.5
  ret v2 v5
}
func @other #4 (i64, i64) -> (i64) {
b0:
  v1 = arg i64 [1]
  ret v1
}
entry @main
`

func TestFunctionValues(t *testing.T) {
	m := runText(t, strings.ReplaceAll(closureText, "INDEX", "3"), rt.Config{}, Options{}, rt.Exit)
	wantWords(t, m, 47, 0x3ff8000000000000, 47*47)
}

// Calls through bad function values end the run with an error of the instance.
func TestBadFunctionValues(t *testing.T) {
	for name, edit := range map[string][2]string{
		"signature":      {"INDEX", "4"},
		"zero":           {"INDEX", "0"},
		"index":          {"INDEX", "1000000"},
		"negative":       {"INDEX", "-1"},
		"huge":           {"INDEX", "4294967298"},
		"closure":        {"0x10020 02", "0x10020 ff"},
		"closure sig":    {"0x10020 02", "0x10020 04"},
		"not committed":  {"const ptr 0x10020", "const ptr 0x40000000"},
		"never mapped":   {"const ptr 0x10020", "const ptr 0x8"},
		"end of the 4 G": {"const ptr 0x10020", "const ptr 0xffffffff"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(strings.ReplaceAll(closureText, edit[0], edit[1]), "INDEX", "3")
			m := machine(t, parse(t, text), rt.Config{}, Options{})
			st := m.Run()
			want := error(&api.HostError{})
			if strings.HasPrefix(edit[1], "const ptr") {
				want = &api.MemoryFaultError{}
			}
			if err := m.VM.Finish(st); st != rt.Failed || reflect.TypeOf(err) != reflect.TypeOf(want) {
				t.Fatalf("status %d, %v", st, err)
			}
		})
	}
}

const recurseText = `
data 64
func @main () -> () {
b0:
  v1 = const i64 1
  v2 = call i64 @down v1 : (i64) -> (i64)
  ret
}
func @down (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = const ptr 0x10000
  store v2 v1 [0]
  v3 = const i64 1
  v4 = add i64 v1 v3
  v5 = const i64 DEPTH
  v6 = eq i8 v1 v5
  if v6 b1 b2
b1: <- b0
  ret v1
b2: <- b0
  v7 = call i64 @down v4 : (i64) -> (i64)
  v8 = add i64 v7 v1
  ret v8
}
entry @main
`

// The stack limit counts guest units, however large a frame is in the machine.
func TestStackLimit(t *testing.T) {
	mod := parse(t, strings.ReplaceAll(recurseText, "DEPTH", "-1"))
	frame := uint64(bytecode.FrameSize(mod.Func(2)))
	first := uint64(bytecode.FrameSize(mod.Entry))
	for _, limit := range []uint64{2048, 100_000, 1 << 20, 10_000_019} {
		m := machine(t, parse(t, strings.ReplaceAll(recurseText, "DEPTH", "-1")), rt.Config{Config: api.Config{Stack: limit}}, Options{})
		if st := m.Run(); st != rt.StackLimit {
			t.Fatalf("status %d", st)
		}
		if got, want := m.testWord(t, 0x10000), (limit-first)/frame; got != want {
			t.Errorf("limit %d: depth %d, want %d", limit, got, want)
		}
	}
	runText(t, strings.ReplaceAll(recurseText, "DEPTH", "100000"), rt.Config{}, Options{}, rt.Exit)
}

const unwindText = `
data 64
host 0 "gc" () -> ()
func @main () -> () {
b0:
  v1 = const i64 0
  jump b1
b1: <- b0 b1
  v2 = phi i64 v1 v5
  v3 = call i64 @catch v2 : (i64) -> (i64)
  v4 = const i64 1
  v5 = add i64 v2 v4
  v6 = const i64 30000
  v7 = lts i8 v5 v6
  v8 = const ptr 0x10000
  store v8 v3 [0]
  if v7 b1 b2
b2: <- b1
  ret
}
func @catch (i64) -> (i64) flags hasdefer {
  local 0 "x" size 16 align 8 ptrs 0x1
  recover b1
b0:
  v1 = arg i64 [0]
  v2 = localaddr ptr [0]
  v3 = const i64 1000
  v4 = add i64 v1 v3
  v10 = new ptr [0, 8]
  store v2 v10 [0]
  store v10 v4 [0]
  v5 = frameid i64
  v6 = const i64 20
  call @throw v5 v6 : (i64, i64) -> ()
  unreachable
b1:
  v7 = localaddr ptr [0]
  v9 = load ptr v7 [0]
  v8 = load i64 v9 [0]
  ret v8
}
func @throw (i64, i64) -> () {
  local 0 "pad" size 200 align 8
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  v3 = const i64 1
  v4 = sub i64 v2 v3
  v9 = localaddr ptr [0]
  store v9 v4 [8]
  v5 = lts i8 v4 v3
  if v5 b1 b2
b1: <- b0
  host [0] : () -> ()
  unwind v1
  unreachable
b2: <- b0
  call @throw v1 v4 : (i64, i64) -> ()
  ret
}
entry @main
`

// Unwinding gives back stack and shadow stack. Execution continues at the recovery block with the
// function's locals.
func TestUnwind(t *testing.T) {
	m := runText(t, unwindText, rt.Config{Config: api.Config{Stack: 20_000, Memory: 1 << 20}}, Options{}, rt.Exit)
	wantWords(t, m, 30999)
}

func TestUnwindToNowhere(t *testing.T) {
	for _, id := range []string{"const i64 0", "const i64 12345", "const i64 -1"} {
		text := strings.Replace(unwindText, "frameid i64", id, 1)
		runText(t, text, rt.Config{}, Options{}, rt.Failed)
	}
}

// Machines of one program may run at once.
func TestParallel(t *testing.T) {
	mod := parse(t, fibText)
	prog, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			vm, err := rt.New(mod, rt.Config{})
			if err != nil {
				t.Error(err)
				return
			}
			defer vm.Close()
			m, err := New(vm, prog, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if st := m.Run(); st != rt.Exit || m.testWord(t, 0x10000) != 6765 {
				t.Errorf("status %d", st)
			}
		}()
	}
	wg.Wait()
}

const allocText = `
data 64
layout 1 size 16 ptrs 0x1
func @main () -> () {
b0:
  v1 = const i64 0
  v30 = const ptr 0
  v2 = const ptr 0x10000
  jump b1
b1: <- b0 b1
  v3 = phi i64 v1 v9
  v4 = phi ptr v30 v20
  gasloop [1]
  v5 = call ptr @node v4 v3 : (ptr, i64) -> (ptr)
  v21 = const i64 255
  v22 = and i64 v3 v21
  v23 = eq i8 v22 v1
  v20 = select ptr v23 v30 v5
  v6 = const i64 3
  v24 = newarray ptr v6 [0, 8]
  store v24 v3 [16]
  v7 = load i64 v5 [8]
  store v2 v7 [0]
  v8 = const i64 1
  v9 = add i64 v3 v8
  v10 = const i64 COUNT
  v11 = lts i8 v9 v10
  if v11 b1 b2
b2: <- b1
  ret
}
func @node (ptr, i64) -> (ptr) {
  local 0 "p" size 16 align 8 ptrs 0x1
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  v3 = new ptr [1, 16]
  store v3 v1 [0]
  store v3 v2 [8]
  v4 = localaddr ptr [0]
  store v4 v3 [0]
  v5 = load ptr v4 [0]
  ret v5
}
entry @main
`

// In steady state the interpreter makes no Go allocation: neither for calls nor for the guest's
// objects, charges, collections, slices.
func TestNoGoAllocations(t *testing.T) {
	run := func(count string) uint64 {
		m := machine(t, parse(t, strings.ReplaceAll(allocText, "COUNT", count)), rt.Config{}, Options{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if st := m.Run(); st != rt.Exit {
			t.Fatalf("status %d", st)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	few, many := run("100000"), run("4000000")
	if many > few+200 {
		t.Errorf("%d Go allocations for 100,000 iterations, %d for 4,000,000", few, many)
	}
}

// Stack maps: a list that only slots and locals hold survives collections that
// poison what they free.
func TestStackMaps(t *testing.T) {
	for _, every := range []int{1, 7} {
		text := strings.ReplaceAll(allocText, "COUNT", "3000")
		m := runText(t, text, rt.Config{Debug: rt.Debug{GCStress: every, Poison: true}}, Options{}, rt.Exit)
		wantWords(t, m, 2999)
	}
}
