package irtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// Split moves the functions of a module below number first into a base, with their parts of the
// tables. These functions refer to none of the others.
func Split(mod *ir.Module, first int) {
	b := *mod
	list := mod.Funcs()
	b.Entry, b.Exports, b.Inits = nil, nil, nil
	b.SetFuncs(list[:first:first])
	mod.SetFuncs(list[first:])
	b.Sites, mod.Sites = cutBase(mod.Sites, func(s ir.Site) bool { return int(s.Func) >= first })
	b.Pos, mod.Pos = cutBase(mod.Pos, func(p ir.PosEntry) bool { return int(p.Site) >= len(b.Sites) })
	for _, f := range b.Own() {
		f.Module = &b
		b.Sigs = append(b.Sigs, f.Sig)
		for _, blk := range f.Blocks {
			for _, v := range blk.Values {
				if v.Sig != nil {
					b.Sigs = append(b.Sigs, *v.Sig)
				}
			}
		}
	}
	mod.Base, mod.TypeLayouts = &b, nil
}

// cutBase cuts a table before the first element that does not belong to the base.
func cutBase[T any](table []T, own func(T) bool) (base, rest []T) {
	n := slices.IndexFunc(table, own)
	if n < 0 {
		n = len(table)
	}
	return table[:n:n], table[n:]
}

// onBase gives a random module its functions for traps, and puts these and its first n functions
// into a base. Functions get new numbers.
func onBase(mod *ir.Module, n int) {
	own := mod.NumFuncs()
	AddTraps(mod)
	list := slices.Concat(mod.Funcs()[:1], mod.Funcs()[own:], mod.Funcs()[1:own])
	number := make([]int32, len(list))
	for i, f := range list[1:] {
		number[f.Index] = int32(i + 1)
	}
	for i := range mod.Sites {
		mod.Sites[i].Func = number[mod.Sites[i].Func]
	}
	for i, f := range list[1:] {
		f.Index = int32(i + 1)
	}
	first := mod.NumFuncs() - own + 1 + n
	mod.SetFuncs(list)
	Split(mod, first)
}

// TestRandomBase is TestRandom for modules on a base. The base contains some of the functions, or
// all but the entry.
func (start Start) TestRandomBase(t *testing.T) {
	daily.Drawn(t, "seed")
	for i := range *seeds / 2 {
		seed, size := *seed0+uint64(i), []int{3, 10, 40, 120}[i%4]
		random := func() *ir.Module {
			mod := Random(seed, size, i%2 == 0)
			onBase(mod, i%(mod.NumFuncs()-1))
			return mod
		}
		ok := t.Run("", func(t *testing.T) { start.Compare(t, random(), i, 0) })
		if ok && i%3 == 0 {
			e := NewEval(random())
			e.Call(e.Mod.Entry, nil)
			if e.Gas > 1 {
				ok = t.Run("", func(t *testing.T) { start.Compare(t, random(), i, 1+int64(seed*2654435761>>1)%e.Gas) })
			}
		}
		if !ok {
			t.Fatalf("module %d: seed %d size %d", i, seed, size)
		}
	}
}

// baseText is a module whose functions below baseFuncs refer to none of the others directly: they
// call each other and, through function values, any function. It has no entry.
const baseText = `
file 0 "base.go"
file 1 "own.go"
site 1 func 3 file 0 line 31
site 2 func 9 file 0 line 91
site 3 func 11 file 0 line 111
site 4 func 17 file 1 line 171
site 5 func 21 file 1 line 211
site 6 func 24 file 1 line 241
site 7 func 29 file 1 line 291
pos 1 site 1 parent 0
pos 2 site 2 parent 0
pos 3 site 3 parent 0
pos 4 site 4 parent 0
pos 5 site 5 parent 0
pos 6 site 6 parent 0
pos 7 site 7 parent 0
layout 1 size 16 ptrs 0x1
host 0 "exit" (i32) -> ()
host 1 "tracegas" () -> (i64)
host 2 "callers" (i64, i64, ptr, i64) -> (i64)
host 3 "gc" () -> ()
runtime "panicIndex" @panicindex
data 4096
  0x10800 0c000000000000000700000000000000
  0x10810 0d000000000000000900000000000000
  0x10820 0e00000000000000
  0x10830 0f00000000000000
  0x10840 1000000000000000
  0x10850 1100000000000000
  0x10860 0400000000000000
  0x10870 ffff000000000000
func @panicindex #1 (i64, i64) -> () flags noreturn {
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  v3 = const ptr 0x10000
  store v3 v1 [64]
  store v3 v2 [72]
  v4 = const i64 0
  v5 = const ptr 0x10100
  v6 = const i64 8
  v7 = host i64 v4 v4 v5 v6 [2] : (i64, i64, ptr, i64) -> (i64)
  store v3 v7 [80]
  v8 = const i32 7
  host v8 [0] : (i32) -> ()
  unreachable
}
func @leaf #2 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  gas [3]
  v2 = const i64 1
  v3 = add i64 v1 v2
  ret v3
}
func @apply #3 (ptr, i64) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  gas [5]
  v3 = callclosure i64 v1 v2 : (i64) -> (i64) !1
  v4 = call i64 @leaf v3 : (i64) -> (i64)
  ret v4
}
func @index #4 (i64, i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  gas [7]
  v3 = callindex i64 v1 v2 : (i64) -> (i64)
  ret v3
}
func @twice #5 (ptr, i64) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  v3 = call i64 @apply v1 v2 : (ptr, i64) -> (i64)
  v4 = call i64 @apply v1 v3 : (ptr, i64) -> (i64)
  ret v4
}
func @deep #6 (ptr, i64) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  gas [2]
  v3 = const ptr 0x10000
  store v3 v2 [0]
  v4 = const i64 0
  v5 = eq i8 v2 v4
  if v5 b1 b2
b1: <- b0
  ret v4
b2: <- b0
  v6 = const i64 1
  v7 = sub i64 v2 v6
  v8 = callclosure i64 v1 v1 v7 : (ptr, i64) -> (i64)
  v9 = add i64 v8 v6
  ret v9
}
func @node #7 (ptr, i64) -> (ptr) {
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
func @hold #8 (ptr, i64) -> (i64) {
  local 0 "p" size 16 align 8 ptrs 0x1
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  v3 = const ptr 0
  v4 = call ptr @node v3 v2 : (ptr, i64) -> (ptr)
  v5 = call ptr @node v4 v2 : (ptr, i64) -> (ptr)
  v6 = localaddr ptr [0]
  v7 = call ptr @node v3 v2 : (ptr, i64) -> (ptr)
  store v6 v7 [0]
  v8 = callclosure i64 v1 v2 : (i64) -> (i64)
  v9 = load ptr v5 [0]
  v10 = load i64 v9 [8]
  v11 = load ptr v6 [0]
  v12 = load i64 v11 [8]
  v13 = add i64 v10 v12
  v14 = add i64 v13 v8
  ret v14
}
func @trace #9 (ptr) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = const i64 0
  v3 = const i64 8
  v4 = host i64 v2 v2 v1 v3 [2] : (i64, i64, ptr, i64) -> (i64) !2
  ret v4
}
func @catch #10 (ptr) -> (i64) flags hasdefer {
  local 0 "x" size 16 align 8 ptrs 0x1
  recover b1
b0:
  v1 = arg ptr [0]
  v2 = localaddr ptr [0]
  v3 = new ptr [0, 8]
  store v2 v3 [0]
  v4 = const i64 77
  store v3 v4 [0]
  v5 = frameid i64
  v6 = callclosure i64 v1 v5 : (i64) -> (i64)
  unreachable
b1:
  v7 = localaddr ptr [0]
  v8 = load ptr v7 [0]
  v9 = load i64 v8 [0]
  ret v9
}
func @check #11 (i64, i64) -> () {
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  bounds v1 v2 [index] !3
  ret
}
func @addcaptured #12 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = closure ptr
  v3 = load i64 v2 [8]
  gas [11]
  v4 = add i64 v1 v3
  ret v4
}
func @mulcaptured #13 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = closure ptr
  v3 = load i64 v2 [8]
  gas [13]
  v4 = mul i64 v1 v3
  v5 = call i64 @leaf v4 : (i64) -> (i64)
  ret v5
}
func @bounce #14 (ptr, i64) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  v3 = call i64 @deep v1 v2 : (ptr, i64) -> (i64)
  v4 = const i64 1
  v5 = add i64 v3 v4
  ret v5
}
func @churn #15 (i64) -> (i64) {
  local 0 "p" size 16 align 8 ptrs 0x1
b0:
  v1 = arg i64 [0]
  v2 = const ptr 0
  v3 = call ptr @node v2 v1 : (ptr, i64) -> (ptr)
  v4 = localaddr ptr [0]
  store v4 v3 [0]
  v5 = new ptr [1, 16]
  store v5 v3 [0]
  v6 = call ptr @node v5 v1 : (ptr, i64) -> (ptr)
  host [3] : () -> ()
  v7 = load ptr v6 [0]
  v8 = load ptr v7 [0]
  v9 = load i64 v8 [8]
  ret v9
}
func @throw #16 (i64) -> (i64) {
  local 0 "pad" size 200 align 8
b0:
  v1 = arg i64 [0]
  v2 = localaddr ptr [0]
  store v2 v1 [8]
  host [3] : () -> ()
  unwind v1
  unreachable
}
func @tracing #17 (i64) -> (i64) {
b0:
  v1 = const ptr 0x10100
  v2 = call i64 @trace v1 : (ptr) -> (i64) !4
  ret v2
}
func @catchown #18 (ptr) -> (i64) flags hasdefer {
  local 0 "x" size 16 align 8 ptrs 0x1
  recover b1
b0:
  v1 = arg ptr [0]
  v2 = localaddr ptr [0]
  v3 = new ptr [0, 8]
  store v2 v3 [0]
  v4 = const i64 78
  store v3 v4 [0]
  v5 = frameid i64
  v6 = call i64 @apply v1 v5 : (ptr, i64) -> (i64)
  unreachable
b1:
  v7 = localaddr ptr [0]
  v8 = load ptr v7 [0]
  v9 = load i64 v8 [0]
  ret v9
}
func @calls #19 () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 100
  v3 = call i64 @leaf v2 : (i64) -> (i64)
  store v1 v3 [0]
  v4 = const ptr 0x10800
  v5 = call i64 @twice v4 v2 : (ptr, i64) -> (i64)
  store v1 v5 [8]
  v6 = const ptr 0x10810
  v7 = call i64 @twice v6 v2 : (ptr, i64) -> (i64)
  store v1 v7 [16]
  v8 = const i64 2
  v9 = call i64 @index v8 v2 : (i64, i64) -> (i64)
  store v1 v9 [24]
  v10 = const i64 20
  v11 = call i64 @index v10 v2 : (i64, i64) -> (i64)
  store v1 v11 [32]
  v12 = callindex i64 v8 v2 : (i64) -> (i64)
  store v1 v12 [40]
  v13 = callclosure i64 v4 v2 : (i64) -> (i64)
  store v1 v13 [48]
  ret
}
func @square #20 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  gas [17]
  v2 = mul i64 v1 v1
  ret v2
}
func @callers #21 () -> () {
b0:
  v1 = const ptr 0x10850
  v2 = const i64 0
  v3 = call i64 @apply v1 v2 : (ptr, i64) -> (i64) !5
  v4 = const ptr 0x10000
  store v4 v3 [0]
  ret
}
func @recursion #22 () -> () {
b0:
  v1 = const ptr 0x10820
  v2 = const i64 DEPTH
  v3 = call i64 @deep v1 v2 : (ptr, i64) -> (i64)
  v4 = const ptr 0x10000
  store v4 v3 [8]
  ret
}
func @collections #23 () -> () {
b0:
  v1 = const i64 0
  v2 = const ptr 0x10830
  v3 = const ptr 0x10000
  jump b1
b1: <- b0 b1
  v4 = phi i64 v1 v8
  v5 = phi i64 v1 v7
  gasloop [1]
  v6 = call i64 @hold v2 v4 : (ptr, i64) -> (i64)
  v7 = add i64 v5 v6
  v9 = const i64 1
  v8 = add i64 v4 v9
  v10 = const i64 300
  v11 = lts i8 v8 v10
  if v11 b1 b2
b2: <- b1
  store v3 v7 [0]
  ret
}
func @trap #24 () -> () {
b0:
  v1 = const i64 5
  v2 = const i64 3
  call @check v1 v2 : (i64, i64) -> () !6
  ret
}
func @unwinding #25 () -> () {
b0:
  v1 = const ptr 0x10840
  v2 = call i64 @catch v1 : (ptr) -> (i64)
  v3 = const ptr 0x10000
  store v3 v2 [0]
  v4 = call i64 @catchown v1 : (ptr) -> (i64)
  store v3 v4 [8]
  ret
}
func @badclosure #26 () -> () {
b0:
  v1 = const ptr 0x10870
  v2 = const i64 1
  v3 = call i64 @apply v1 v2 : (ptr, i64) -> (i64)
  ret
}
func @badsignature #27 () -> () {
b0:
  v1 = const ptr 0x10860
  v2 = const i64 1
  v3 = call i64 @apply v1 v2 : (ptr, i64) -> (i64)
  ret
}
func @badindex #28 () -> () {
b0:
  v1 = const i64 30
  v2 = const i64 1
  v3 = call i64 @index v1 v2 : (i64, i64) -> (i64)
  ret
}
func @fault #29 () -> () {
b0:
  v1 = const ptr 0x40000000
  v2 = const i64 1
  v3 = call i64 @apply v1 v2 : (ptr, i64) -> (i64) !7
  ret
}
`

// baseFuncs is the number of the first function of baseText that is not in the base.
const baseFuncs = 13

// baseCases are runs of baseText: its entry, how it ends, and the final contents of memory, by
// distance from its start.
var baseCases = []struct {
	entry   string
	config  rt.Config
	depth   string
	status  rt.Status
	words   map[uint64]uint64
	checked bool // signatures must be checked
}{
	{entry: "calls", status: rt.Exit, words: map[uint64]uint64{
		0: 101, 8: 116, 16: ((100*9 + 2) * 9) + 2, 24: 101, 32: 10000, 40: 101, 48: 107}},
	{entry: "calls", config: rt.Config{Config: api.Config{Gas: 20}}, status: rt.OutOfGas},
	{entry: "calls", config: rt.Config{Config: api.Config{Gas: 90}}, status: rt.OutOfGas},
	{entry: "callers", status: rt.Exit, words: map[uint64]uint64{0: 5, 0x100: ir.SitePC(2), 0x108: ir.SitePC(4),
		0x110: ir.SitePC(1), 0x118: ir.SitePC(5)}},
	{entry: "recursion", depth: "20000", status: rt.Exit, words: map[uint64]uint64{8: 40000}},
	{entry: "recursion", depth: "-1", config: rt.Config{Config: api.Config{Stack: 1 << 20}}, status: rt.StackLimit},
	{entry: "recursion", depth: "-1", config: rt.Config{Config: api.Config{Gas: 12345}}, status: rt.OutOfGas},
	{entry: "collections", status: rt.Exit, words: map[uint64]uint64{0: 3 * 299 * 150}},
	{entry: "collections", config: rt.Config{Debug: rt.Debug{GCStress: 1, Poison: true}}, status: rt.Exit,
		words: map[uint64]uint64{0: 3 * 299 * 150}},
	{entry: "collections", config: rt.Config{Debug: rt.Debug{GCStress: 7, Poison: true}}, status: rt.Exit,
		words: map[uint64]uint64{0: 3 * 299 * 150}},
	{entry: "trap", status: rt.Exit, words: map[uint64]uint64{64: 5, 72: 3, 80: 2, 0x100: ir.SitePC(3),
		0x108: ir.SitePC(6)}},
	{entry: "unwinding", status: rt.Exit, words: map[uint64]uint64{0: 77, 8: 78}},
	{entry: "badclosure", status: rt.Failed},
	{entry: "badindex", status: rt.Failed},
	{entry: "fault", status: rt.Failed},
	{entry: "badsignature", status: rt.Failed, checked: true},
}

// baseModule makes the module of baseText with an entry, split into base and program or as one.
func baseModule(t testing.TB, entry, depth string, split bool) *ir.Module {
	t.Helper()
	mod, err := ir.ParseModule(strings.ReplaceAll(baseText, "DEPTH", depth) + "entry @" + entry + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if split {
		Split(mod, baseFuncs)
		if err := ir.VerifyModule(mod.Base); err != nil {
			t.Fatal(err)
		}
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	return mod
}

// BaseModule is baseText on a base. It begins with calls of all kinds.
func BaseModule(t testing.TB) *ir.Module { return baseModule(t, "calls", "0", true) }

// CheckCalls checks the contents of memory after a run of BaseModule.
func CheckCalls(vm *rt.VM) error { return checkWords(vm, baseCases[0].words) }

func checkWords(vm *rt.VM, words map[uint64]uint64) error {
	for at, want := range words {
		b, ok := vm.Space.Bytes(ir.DataBase+at, 8)
		if !ok {
			return fmt.Errorf("no memory at %#x", at)
		}
		if got := binary.LittleEndian.Uint64(b); got != want {
			return fmt.Errorf("word at %#x is %#x, want %#x", at, got, want)
		}
	}
	return nil
}

// TestBase runs modules on a base, and the same modules without a base. Their results, endings and
// gas must be the same. i selects the options of the tier; checked says whether these check
// signatures.
func (start Start) TestBase(t *testing.T, i int, checked bool) {
	for _, c := range baseCases {
		if c.checked && !checked {
			continue
		}
		depth := c.depth
		if depth == "" {
			depth = "0"
		}
		name := fmt.Sprintf("%s depth %s gas %d stack %d gcstress %d", c.entry, depth, c.config.Gas, c.config.Stack,
			c.config.Debug.GCStress)
		t.Run(name, func(t *testing.T) {
			var memory [2][]byte
			var gas [2]int64
			var trace [2][]uint64
			for k, split := range []bool{false, true} {
				mod := baseModule(t, c.entry, depth, split)
				vm, err := rt.New(mod, c.config)
				if err != nil {
					t.Fatal(err)
				}
				defer vm.Close()
				m, err := start(vm, i, 1<<40, 0)
				if err != nil {
					t.Fatal(err)
				}
				st := m.Run()
				if err := vm.Finish(st); st != c.status || st == rt.Failed && !errors.As(err, new(*api.HostError)) && !errors.As(err, new(*api.MemoryFaultError)) {
					t.Fatalf("on a base %v: status %d (%v), want %d", split, st, err, c.status)
				}
				if err := checkWords(vm, c.words); err != nil {
					t.Errorf("on a base %v: %v", split, err)
				}
				b, _ := vm.Space.Bytes(ir.DataBase, uint64(len(mod.Data)))
				memory[k], gas[k] = slices.Clone(b), m.GasUsed()
				buf := make([]uint64, 8)
				trace[k] = buf[:m.Callers(0, 0, buf)]
			}
			if !bytes.Equal(memory[0], memory[1]) || gas[0] != gas[1] || !slices.Equal(trace[0], trace[1]) {
				t.Errorf("with a base: gas %d, traceback %x, without: %d, %x; memory equal: %v", gas[1], trace[1], gas[0],
					trace[0], bytes.Equal(memory[0], memory[1]))
			}
		})
	}
}

// MoveBase puts a module of BaseModule on the base of another one.
func MoveBase(mod, base *ir.Module) {
	own := mod.Base
	to := map[*ir.Func]*ir.Func{}
	for i, f := range own.Funcs() {
		to[f] = base.Func(i)
	}
	for _, f := range mod.Own() {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if g := to[v.Fn]; g != nil {
					v.Fn, v.Sig = g, &g.Sig
				}
			}
		}
	}
	mod.Base, mod.Runtime = base, base.Runtime
}
