package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// copies is how many times the shorter loop contains the operation. With many more copies, the
// branches of an interpreter's loop exceed the processor's predictor, and every operation looks
// equally expensive.
const copies = 8

// A loop builds the text of a function that repeats a body.
type loop struct {
	setup, body strings.Builder
	next        int // number of the next value
	block       int // number of the current block
	vars        []variable
	inputs      int
	serial      bool // each copy waits for the previous one
}

// A variable is carried from one iteration to the next.
type variable struct{ typ, init, phi, now string }

// val defines a value in the body.
func (l *loop) val(format string, args ...any) string {
	return l.define(&l.body, format, args...)
}

func (l *loop) define(b *strings.Builder, format string, args ...any) string {
	l.next++
	v := fmt.Sprintf("v%d", l.next)
	fmt.Fprintf(b, "  %s = %s\n", v, fmt.Sprintf(format, args...))
	return v
}

// do adds an operation without result to the body.
func (l *loop) do(format string, args ...any) {
	fmt.Fprintf(&l.body, "  %s\n", fmt.Sprintf(format, args...))
}

// in returns a value that the loop does not change and that the compiler does not know: it passes
// through memory.
func (l *loop) in(typ, c string) string {
	k := l.define(&l.setup, "const %s %s", typ, c)
	p := l.define(&l.setup, "const ptr %#x", ir.DataBase+8*l.inputs)
	l.inputs++
	fmt.Fprintf(&l.setup, "  store %s %s [0]\n", p, k)
	return l.define(&l.setup, "load %s %s [0]", typ, p)
}

// variable declares a variable; set gives it a new value.
func (l *loop) variable(typ, init string) int {
	l.next++
	phi := fmt.Sprintf("v%d", l.next)
	l.vars = append(l.vars, variable{typ, l.in(typ, init), phi, phi})
	return len(l.vars) - 1
}

func (l *loop) get(i int) string    { return l.vars[i].now }
func (l *loop) set(i int, v string) { l.vars[i].now = v }

func (l *loop) beginBlock(preds ...int) {
	fmt.Fprintf(&l.body, "b%d: <-", l.block)
	for _, p := range preds {
		fmt.Fprintf(&l.body, " b%d", p)
	}
	l.body.WriteByte('\n')
}

const preamble = `layout 1 size 16 ptrs 0x1
layout 2 size 64 ptrs 0x1
host 0 "nanotime" () -> (i64)
host 1 "curstack" () -> (i64)
entry @main
data 65536
bss 2097152
func @f0 #2 () -> () {
b0:
  ret
}
func @f1 #3 (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  ret v1
}
func @f4 #4 (i64, i64, i64, i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  ret v1
}
func @f8 #5 (i64, i64, i64, i64, i64, i64, i64, i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  ret v1
}
`

// fn returns the text of a function that executes the body n times. Blocks 0 and 1 are the entry
// and the head of the loop.
func (l *loop) fn(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func @%s () -> () flags noinline {\n  local 0 \"x\" size 64 align 8\nb0:\n%s", name, &l.setup)
	fmt.Fprintf(&b, "  v1 = const i64 %d\n  v2 = const i64 0\n  v3 = const i64 1\n  jump b1\nb1: <- b0 b%d\n", n, l.block)
	b.WriteString("  v4 = phi i64 v2 v5\n")
	for _, v := range l.vars {
		fmt.Fprintf(&b, "  %s = phi %s %s %s\n", v.phi, v.typ, v.init, v.now)
	}
	fmt.Fprintf(&b, "  gasloop [1]\n%s", &l.body)
	fmt.Fprintf(&b, "  v5 = add i64 v4 v3\n  v6 = lts i8 v5 v1\n  if v6 b1 b%d\nb%d: <- b%d\n", l.block+1, l.block+1,
		l.block)
	p := "v7"
	fmt.Fprintf(&b, "  %s = const ptr %#x\n", p, ir.DataBase+4096)
	for i, v := range l.vars {
		fmt.Fprintf(&b, "  store %s %s [%d]\n", p, v.now, 8*i)
	}
	b.WriteString("  ret\n}\n")
	return b.String()
}

// timesAt is where a program stores the nanoseconds of its windows.
const timesAt = ir.DataBase + 1<<20

// mainText runs both functions in turns and notes how long each took.
const mainText = `func @main #1 () -> () {
b0:
  v1 = const i64 0
  v2 = const i64 %d
  v3 = const i64 1
  v4 = const ptr %#x
  v14 = const i64 %d
  v15 = const ptr 0
  jump b3
b3: <- b0 b3
  v16 = phi i64 v1 v17
  v18 = phi ptr v15 v19
  gasloop [1]
  v19 = new ptr [1, 16]
  store v19 v18 [0]
  v17 = add i64 v16 v3
  v20 = lts i8 v17 v14
  if v20 b3 b1
b1: <- b3 b1
  v5 = phi i64 v1 v12
  gasloop [1]
  v6 = host i64 [0] : () -> (i64)
  call @short : () -> ()
  v7 = host i64 [0] : () -> (i64)
  call @long : () -> ()
  v8 = host i64 [0] : () -> (i64)
  v9 = sub i64 v7 v6
  v10 = sub i64 v8 v7
  v11 = ptridx ptr v4 v5 [16, 0]
  store v11 v9 [0]
  store v11 v10 [8]
  v12 = add i64 v5 v3
  v13 = lts i8 v12 v2
  if v13 b1 b2
b2: <- b1
  store v4 v19 [0]
  ret
}
`

// liveObjects is how many live objects of 16 bytes a collection finds where allocation is measured:
// a third of the heap.
const liveObjects = 300_000

// A timing is the time of the shorter and the longer loop, and the processor time of the whole
// program, in ns.
type timing struct{ short, long, cpu float64 }

// timeLoops runs a program that times both loops in several windows, with some live objects. It
// returns the shortest time of each.
func (mt *meter) timeLoops(build func(l *loop) func(i int), n, windows int, serial bool, live int) (t timing, err error) {
	text := preamble + fmt.Sprintf(mainText, windows, timesAt+16, live)
	for _, f := range []struct {
		name string
		k    int
	}{{"short", copies}, {"long", 2 * copies}} {
		l := &loop{block: 1, next: 9, serial: serial} // v1 to v7 belong to the loop
		one := build(l)
		for i := range f.k {
			one(i)
		}
		text += l.fn(f.name, n)
	}
	m, err := ir.ParseModule(text)
	if err == nil {
		err = ir.VerifyModule(m)
	}
	if err != nil {
		return t, fmt.Errorf("%w in\n%s", err, text)
	}
	vm, err := rt.New(m, rt.Config{Config: api.Config{Realtime: true}})
	if err != nil {
		return t, err
	}
	defer vm.Close()
	mach, err := newMachine(mt.tier, m, vm)
	if err != nil {
		return t, err
	}
	cpu := cpuTime()
	if err := vm.Finish(mach.Run()); err != nil {
		return t, err
	}
	t = timing{math.Inf(1), math.Inf(1), float64(cpuTime() - cpu)}
	b, _ := vm.Space.Bytes(timesAt+16, uint64(16*windows))
	for i := range windows {
		t.short = min(t.short, float64(binary.LittleEndian.Uint64(b[16*i:])))
		t.long = min(t.long, float64(binary.LittleEndian.Uint64(b[16*i+8:])))
	}
	return t, nil
}

// newMachine makes a machine of a tier that runs the module of an instance.
func newMachine(tier gyr.Tier, m *ir.Module, vm *rt.VM) (interface{ Run() rt.Status }, error) {
	if tier == gyr.TierNative {
		p, err := native.NewModule(nil, m, native.Options{})
		if err != nil {
			return nil, err
		}
		return native.New(vm, p, exec.Options{})
	}
	p, err := bytecode.NewModule(nil, m)
	if err != nil {
		return nil, err
	}
	for i, f := range m.Funcs() {
		if f == nil {
			continue
		}
		fc, err := p.Compile(int32(i))
		if err != nil {
			return nil, err
		}
		if *dump && f.Name == "short" {
			fc.Print(os.Stderr)
		}
	}
	return interp.New(vm, p, interp.Options{})
}

// perCopy measures one copy of what build adds to a loop. For a body that allocates, collections
// count.
func (mt *meter) perCopy(build func(l *loop) func(i int), allocates, serial bool) (ns float64, err error) {
	const windows, window = 200, 50e3 // window: ns of the shorter loop
	n := 4
	for {
		t, err := mt.timeLoops(build, n, 20, serial, 1)
		if err != nil {
			return 0, err
		}
		if t.short > window/10 || n > 1<<16 {
			n = max(4, int(float64(n)*window/t.short))
			break
		}
		n *= 8
	}
	if allocates {
		garbage, err := mt.perAllocation(build, n, 1)
		if err != nil {
			return 0, err
		}
		alive, err := mt.perAllocation(build, n, liveObjects)
		return (garbage + alive) / 2, err
	}
	short, long := math.Inf(1), math.Inf(1)
	for range *rounds {
		t, err := mt.timeLoops(build, n, windows, serial, 1)
		if err != nil {
			return 0, err
		}
		short, long = min(short, t.short), min(long, t.long)
	}
	return (long - short) / copies / float64(n), nil
}

// perAllocation measures the processor time of whole runs, collections included.
func (mt *meter) perAllocation(build func(l *loop) func(i int), n, live int) (ns float64, err error) {
	const windows = 500
	once, twice := math.Inf(1), math.Inf(1)
	for range *rounds {
		a, err := mt.timeLoops(build, n, windows, false, live)
		if err != nil {
			return 0, err
		}
		b, err := mt.timeLoops(build, n, 2*windows, false, live)
		if err != nil {
			return 0, err
		}
		once, twice = min(once, a.cpu), min(twice, b.cpu)
	}
	return (twice - once) / (windows * 3 * copies * float64(n)), nil
}
