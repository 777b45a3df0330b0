package interp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// initText is a program of eight packages that log their numbers at 0x10108, after their count.
// Each has a side effect of its own.
const initText = `
host 0 "nextinit" () -> (ptr)
host 1 "walltime" () -> (i64, i32, i64)
host 2 "maprand" () -> (i64)
host 3 "rand" () -> (i64)
host 4 "malloc" (i64, ptr, i64) -> (ptr)
host 5 "gc" () -> ()
data 1024
  0x10000 0200000000000000030000000000000004000000000000000500000000000000
  0x10020 0600000000000000070000000000000008000000000000000900000000000000
entry @entry
init "pure" @pure closure 0x10000 std deps -
init "clock" @clock closure 0x10008 std deps -
init "user of clock" @userofclock closure 0x10010 std deps 0,1
init "map" @map closure 0x10018 std deps 0
init "rand" @rand closure 0x10020 std deps -
init "collect" @collect closure 0x10028 std deps -
init "main/a" @a closure 0x10030
init "main" @b closure 0x10038

func @entry #1 () -> () {
b0:
  jump b1
b1: <- b0 b2
  v1 = host ptr [0] : () -> (ptr)
  v2 = const ptr 0
  v3 = eq i8 v1 v2
  if v3 b3 b2
b2: <- b1
  callclosure v1 : () -> ()
  jump b1
b3: <- b1
  ret
}
func @pure #2 () -> () {
b0:
  gas [1000]
  v1 = const i64 0
  v2 = const i64 40
  v3 = const ptr 0
  v4 = const i64 1
  v5 = host ptr v2 v3 v4 [4] : (i64, ptr, i64) -> (ptr)
  v6 = const ptr 0x10200
  store v6 v5 [0]
  call @log v1 : (i64) -> ()
  ret
}
func @clock #3 () -> () {
b0:
  gas [20]
  v1 = const i64 1
  call @log v1 : (i64) -> ()
  v2 = host i64 [1] : () -> (i64, i32, i64)
  ret
}
func @userofclock #4 () -> () {
b0:
  gas [4]
  v1 = const i64 2
  call @log v1 : (i64) -> ()
  ret
}
func @map #5 () -> () {
b0:
  v1 = const i64 3
  call @log v1 : (i64) -> ()
  v2 = host i64 [2] : () -> (i64)
  v3 = const ptr 0x10208
  store v3 v2 [0]
  ret
}
func @rand #6 () -> () {
b0:
  v1 = const i64 4
  call @log v1 : (i64) -> ()
  v2 = host i64 [3] : () -> (i64)
  v3 = const ptr 0x10210
  store v3 v2 [0]
  ret
}
func @collect #7 () -> () {
b0:
  v1 = const i64 5
  call @log v1 : (i64) -> ()
  host [5] : () -> ()
  ret
}
func @a #8 () -> () {
b0:
  gas [3]
  v1 = const i64 6
  call @log v1 : (i64) -> ()
  v2 = host i64 [2] : () -> (i64)
  v3 = const ptr 0x10218
  store v3 v2 [0]
  ret
}
func @b #9 () -> () {
b0:
  gas [4]
  v1 = const i64 7
  call @log v1 : (i64) -> ()
  ret
}
func @log #10 (i64) -> () {
b0:
  v1 = arg i64 [0]
  v2 = const ptr 0x10100
  v3 = load i64 v2 [0]
  v4 = ptridx ptr v2 v3 [8, 8]
  store v4 v1 [0]
  v5 = const i64 1
  v6 = add i64 v3 v5
  store v2 v6 [0]
  ret
}
`

// snapshot makes the snapshot of a module.
func snapshot(t testing.TB, mod *ir.Module) (*rt.Snapshot, *bytecode.Module) {
	t.Helper()
	prog, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	sn, err := rt.NewSnapshot(context.Background(), mod, func(vm *rt.VM) (rt.Status, error) {
		m, err := New(vm, prog, Options{})
		if err != nil {
			return 0, err
		}
		st := m.Run()
		m.FreeStacks()
		return st, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sn, prog
}

// The snapshot holds only packages that asked the host for nothing. Their effect on memory is there
// once. The others run at every start, in order; what they use is free.
func TestSnapshotOfInitialisation(t *testing.T) {
	mod := parse(t, initText)
	sn, prog := snapshot(t, mod)
	if want := []int32{1, 2, 4, 5}; !slices.Equal(sn.Live, want) {
		t.Errorf("live %v, want %v", sn.Live, want)
	}
	var maps, rands, own [2]uint64
	for i, seed := range []uint64{1, 2} {
		vm, err := sn.New(rt.Config{Config: api.Config{Seed: seed}})
		if err != nil {
			t.Fatal(err)
		}
		defer vm.Close()
		m, err := New(vm, prog, Options{Count: true})
		if err != nil {
			t.Fatal(err)
		}
		if s := vm.Heap.Stats(); s.Mallocs != 1 || s.TotalAlloc != 40 {
			t.Errorf("at the start: %+v", s)
		}
		if st := m.Run(); st != rt.Exit {
			t.Fatal(vm.Finish(st))
		}
		var log []uint64
		for j := range m.testWord(t, 0x10100) {
			log = append(log, m.testWord(t, 0x10108+8*j))
		}
		if want := []uint64{0, 3, 1, 2, 4, 5, 6, 7}; !slices.Equal(log, want) {
			t.Errorf("order %v, want %v", log, want)
		}
		if units, n := m.Free(); units != 24 || n == 0 || n >= m.Instructions() {
			t.Errorf("initialisation: %d units, %d of %d instructions", units, n, m.Instructions())
		}
		if m.GasUsed() != 7 {
			t.Errorf("gas %d", m.GasUsed())
		}
		maps[i], rands[i], own[i] = m.testWord(t, 0x10208), m.testWord(t, 0x10210), m.testWord(t, 0x10218)
		if p := uint32(m.testWord(t, 0x10200)); p == 0 || p&7 != 0 {
			t.Errorf("object at %#x", p)
		}
	}
	// Numbers for maps drawn in the snapshot are the same for all seeds. All others follow from
	// the instance's seed.
	if maps[0] != maps[1] || maps[0] == 0 || rands[0] == rands[1] || own[0] == own[1] {
		t.Errorf("random numbers: snapshot %v, live %v, program %v", maps, rands, own)
	}
}

// A reset instance continues like a new one.
func TestResetToSnapshot(t *testing.T) {
	mod := parse(t, initText)
	sn, prog := snapshot(t, mod)
	vm, err := sn.New(rt.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	for range 3 {
		m, err := New(vm, prog, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if st := m.Run(); st != rt.Exit {
			t.Fatal(vm.Finish(st))
		}
		if n := m.testWord(t, 0x10100); n != 8 {
			t.Errorf("%d packages have run", n)
		}
		if err := vm.Reset(rt.Config{}); err != nil {
			t.Fatal(err)
		}
		if n := m.testWord(t, 0x10100); n != 2 {
			t.Errorf("%d packages are in the snapshot", n)
		}
	}
}

// A package whose initialisation fails, or takes more than is free, is live: the instance fails
// with it.
func TestSnapshotOfBadInitialisation(t *testing.T) {
	for name, body := range map[string]string{
		"trap":   "unreachable",
		"memory": "v9 = const i64 0x7fffffff\n v8 = newarray ptr v9 [0, 1]\n jump b0",
		"gas":    "jump b1\nb1: <- b0 b1\n gasloop [1000000]\n jump b1",
	} {
		text := strings.Replace(initText, "  gas [1000]\n", "", 1)
		at := strings.Index(text, "func @pure")
		end := at + strings.Index(text[at:], "}\n")
		text = text[:at] + "func @pure #2 () -> () {\nb0:\n" + body + "\n" + text[end:]
		if name == "memory" {
			text = strings.Replace(text, "func @pure #2 () -> () {\nb0:", "func @pure #2 () -> () {\nb7:\n jump b0\nb0: <- b7 b0", 1)
		}
		sn, prog := snapshot(t, parse(t, text))
		if sn.Live[0] != 0 {
			t.Errorf("%s: live %v", name, sn.Live)
		}
		vm, err := sn.New(rt.Config{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(vm, prog, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := vm.Finish(m.Run()); err == nil {
			t.Errorf("%s: no error", name)
		}
		vm.Close()
	}
}

// A limit below the size of the snapshot is reported as such.
func TestSnapshotBeyondTheLimit(t *testing.T) {
	sn, _ := snapshot(t, parse(t, initText))
	_, err := sn.New(rt.Config{Config: api.Config{Memory: 2000}})
	if e := (*api.MemoryLimitError)(nil); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}
