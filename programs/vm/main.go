// Command vm interprets the code of a small stack machine, which counts primes by
// trial division and sums the lengths of Collatz sequences. The size is
// the limit of both.
//
// Usage: vm [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type opcode uint8

const (
	push  opcode = iota // push the operand
	load                // push a variable
	store               // pop into a variable
	add
	sub
	mul
	div
	mod
	less
	equal
	jump      // to the operand
	jumpFalse // to the operand, if what is popped is 0
	call      // the routine at the operand
	ret
	halt
)

type instr struct {
	op  opcode
	arg int
}

type machine struct {
	code  []instr
	vars  [16]int
	stack []int
	calls []int
	steps int
}

func (m *machine) pop() int {
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

func (m *machine) run() {
	pc := 0
	for {
		in := m.code[pc]
		pc++
		m.steps++
		switch in.op {
		case push:
			m.stack = append(m.stack, in.arg)
		case load:
			m.stack = append(m.stack, m.vars[in.arg])
		case store:
			m.vars[in.arg] = m.pop()
		case add:
			b := m.pop()
			m.stack[len(m.stack)-1] += b
		case sub:
			b := m.pop()
			m.stack[len(m.stack)-1] -= b
		case mul:
			b := m.pop()
			m.stack[len(m.stack)-1] *= b
		case div:
			b := m.pop()
			m.stack[len(m.stack)-1] /= b
		case mod:
			b := m.pop()
			m.stack[len(m.stack)-1] %= b
		case less:
			b, a := m.pop(), m.pop()
			m.stack = append(m.stack, truth(a < b))
		case equal:
			b, a := m.pop(), m.pop()
			m.stack = append(m.stack, truth(a == b))
		case jump:
			pc = in.arg
		case jumpFalse:
			if m.pop() == 0 {
				pc = in.arg
			}
		case call:
			m.calls = append(m.calls, pc)
			pc = in.arg
		case ret:
			pc = m.calls[len(m.calls)-1]
			m.calls = m.calls[:len(m.calls)-1]
		case halt:
			return
		default:
			panic("no such operation")
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Variables of the program.
const (
	n = iota
	i
	d
	x
	primes
	length
)

// An assembler collects code; a label is a place that jumps may name before it
// is known.
type assembler struct {
	code   []instr
	places []int
	fixups []int
}

func (a *assembler) emit(op opcode, arg int) { a.code = append(a.code, instr{op, arg}) }
func (a *assembler) label() int              { a.places = append(a.places, 0); return len(a.places) - 1 }
func (a *assembler) place(l int)             { a.places[l] = len(a.code) }

func (a *assembler) branch(op opcode, l int) {
	a.fixups = append(a.fixups, len(a.code))
	a.emit(op, l)
}

func (a *assembler) finish() []instr {
	for _, at := range a.fixups {
		a.code[at].arg = a.places[a.code[at].arg]
	}
	return a.code
}

// ops emits operations: those with an operand are followed by it.
func (a *assembler) ops(list ...int) {
	for k := 0; k < len(list); k++ {
		op := opcode(list[k])
		arg := 0
		if op <= store {
			k++
			arg = list[k]
		}
		a.emit(op, arg)
	}
}

const (
	pushI, loadI, storeI   = int(push), int(load), int(store)
	addI, subI, mulI, divI = int(add), int(sub), int(mul), int(div)
	modI, lessI, equalI    = int(mod), int(less), int(equal)
	retI, haltI            = int(ret), int(halt)
)

func program(limit int) []instr {
	var a assembler
	outer, isPrime, collatz, end := a.label(), a.label(), a.label(), a.label()
	a.ops(pushI, limit, storeI, n, pushI, 2, storeI, i)
	a.place(outer)
	a.ops(loadI, i, loadI, n, lessI)
	a.branch(jumpFalse, end)
	a.branch(call, isPrime)
	a.branch(call, collatz)
	a.ops(loadI, i, pushI, 1, addI, storeI, i)
	a.branch(jump, outer)
	a.place(end)
	a.ops(haltI)

	a.place(isPrime)
	next, composite, found := a.label(), a.label(), a.label()
	a.ops(pushI, 2, storeI, d)
	a.place(next)
	a.ops(loadI, i, loadI, d, loadI, d, mulI, lessI)
	test := a.label()
	a.branch(jumpFalse, test)
	a.branch(jump, found)
	a.place(test)
	a.ops(loadI, i, loadI, d, modI)
	a.branch(jumpFalse, composite)
	a.ops(loadI, d, pushI, 1, addI, storeI, d)
	a.branch(jump, next)
	a.place(found)
	a.ops(loadI, primes, pushI, 1, addI, storeI, primes)
	a.place(composite)
	a.ops(retI)

	a.place(collatz)
	step, odd, done := a.label(), a.label(), a.label()
	a.ops(loadI, i, storeI, x)
	a.place(step)
	a.ops(pushI, 1, loadI, x, lessI)
	a.branch(jumpFalse, done)
	a.ops(loadI, length, pushI, 1, addI, storeI, length)
	a.ops(loadI, x, pushI, 2, modI, pushI, 0, equalI)
	a.branch(jumpFalse, odd)
	a.ops(loadI, x, pushI, 2, divI, storeI, x)
	a.branch(jump, step)
	a.place(odd)
	a.ops(loadI, x, pushI, 3, mulI, pushI, 1, addI, storeI, x)
	a.branch(jump, step)
	a.place(done)
	a.ops(retI)
	return a.finish()
}

func main() {
	m := &machine{code: program(size(20000))}
	m.run()
	fmt.Println(m.vars[primes], m.vars[length], m.steps)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
