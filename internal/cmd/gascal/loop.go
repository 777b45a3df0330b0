package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/interp"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

// copies is how often the shorter loop holds the operation.
const copies = 32

// A loop builds the text of a function that repeats a body.
type loop struct {
	setup, body strings.Builder
	next        int // number of the next value
	block       int // number of the current block
	vars        []variable
	inputs      int
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

// in is a value that the loop does not change and nobody knows when the code
// is made: it passes through memory.
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

// endBlock ends the current block with a jump or branch and begins the next,
// which it names.
func (l *loop) endBlock(format string, args ...any) {
	l.block++
	fmt.Fprintf(&l.body, "  %s\n", strings.ReplaceAll(fmt.Sprintf(format, args...), "NEXT", fmt.Sprintf("b%d", l.block)))
}

func (l *loop) beginBlock(preds ...int) {
	fmt.Fprintf(&l.body, "b%d: <-", l.block)
	for _, p := range preds {
		fmt.Fprintf(&l.body, " b%d", p)
	}
	l.body.WriteByte('\n')
}

const preamble = `layout 1 size 16 ptrs 0x1
layout 2 size 64 ptrs 0x1
host 0 "curstack" () -> (i64)
entry @main
data 65536
bss 1048576
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

// module is the program that executes the body n times. Blocks 0 and 1 are the
// entry and the head of the loop.
func (l *loop) module(n int) (*ir.Module, error) {
	var b strings.Builder
	b.WriteString(preamble)
	fmt.Fprintf(&b, "func @main #1 () -> () {\n  local 0 \"x\" size 64 align 8\nb0:\n%s", &l.setup)
	fmt.Fprintf(&b, "  v9000001 = const i64 %d\n  v9000002 = const i64 0\n  v9000003 = const i64 1\n  jump b1\nb1: <- b0 b%d\n", n, l.block)
	b.WriteString("  v9000004 = phi i64 v9000002 v9000005\n")
	for _, v := range l.vars {
		fmt.Fprintf(&b, "  %s = phi %s %s %s\n", v.phi, v.typ, v.init, v.now)
	}
	fmt.Fprintf(&b, "  gasloop [1]\n%s", &l.body)
	fmt.Fprintf(&b, "  v9000005 = add i64 v9000004 v9000003\n  v9000006 = lts i8 v9000005 v9000001\n  if v9000006 b1 b%d\nb%d: <- b%d\n", l.block+1, l.block+1, l.block)
	p := "v9000007"
	fmt.Fprintf(&b, "  %s = const ptr %#x\n", p, ir.DataBase+4096)
	for i, v := range l.vars {
		fmt.Fprintf(&b, "  store %s %s [%d]\n", p, v.now, 8*i)
	}
	b.WriteString("  ret\n}\n")
	m, err := ir.ParseModule(b.String())
	if err == nil {
		err = ir.VerifyModule(m)
	}
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, b.String())
	}
	return m, nil
}

// A timed program can be run many times.
type timed struct {
	code *bytecode.Program
	best time.Duration
}

func newTimed(l *loop, n int) (*timed, error) {
	m, err := l.module(n)
	if err != nil {
		return nil, err
	}
	p, err := bytecode.NewProgram(m)
	if err != nil {
		return nil, err
	}
	for i := range m.Funcs[1:] {
		fc, err := p.Compile(int32(i + 1))
		if err != nil {
			return nil, err
		}
		if *dump && m.Funcs[i+1].Name == "main" {
			fc.Print(os.Stderr)
		}
	}
	return &timed{p, math.MaxInt64}, nil
}

// run notes the processor time of a run if it is the shortest.
func (t *timed) run() error {
	vm, err := rt.New(t.code.Mod, rt.Config{})
	if err != nil {
		return err
	}
	defer vm.Close()
	m, err := interp.New(vm, t.code, interp.Config{Quantum: gas.Quantum})
	if err != nil {
		return err
	}
	start := cpuTime()
	st := m.Run()
	d := cpuTime() - start
	if err := vm.Finish(st); err != nil {
		return err
	}
	t.best = min(t.best, d)
	return nil
}

// perCopy measures one copy of what build adds to a loop.
func perCopy(build func(l *loop, k int) func(i int)) (ns float64, err error) {
	make := func(k, n int) (*timed, error) {
		l := &loop{block: 1}
		one := build(l, k)
		for i := range k {
			one(i)
		}
		return newTimed(l, n)
	}
	// As many iterations as last 8 ms.
	n := 200
	for {
		t, err := make(copies, n)
		if err != nil {
			return 0, err
		}
		if err := t.run(); err != nil {
			return 0, err
		}
		if t.best > 2*time.Millisecond || n >= 1<<20 {
			n = max(1, int(float64(n)*8e6/float64(max(t.best, 1000))))
			break
		}
		n *= 4
	}
	short, err := make(copies, n)
	if err != nil {
		return 0, err
	}
	long, err := make(2*copies, n)
	if err != nil {
		return 0, err
	}
	for range *rounds {
		if err := short.run(); err != nil {
			return 0, err
		}
		if err := long.run(); err != nil {
			return 0, err
		}
	}
	return float64(long.best-short.best) / float64(copies) / float64(n), nil
}
