package gcproof

import (
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// An instr is an instruction of a function.
type instr struct {
	at     uint64
	len    int
	kind   kind
	to     uint64 // target of a jump or a direct call
	jumps  bool
	leaves bool // the next instruction does not follow
	frames []record.Frame
	block  int // number of its basic block
	cycle  bool
}

// A function is a decoded function.
type function struct {
	name string
	code []instr
	b    *sample.Binary
}

// noReturn are functions of the runtime after whose call nothing follows.
var noReturn = []string{"runtime.panic", "runtime.gopanic", "runtime.goPanic", "runtime.throw", "runtime.fatal", "runtime.goexit"}

// decode decodes a function and finds out which instructions are on a cycle. nil: the machine is not
// known, or there is no such function.
func decode(b *sample.Binary, name string) *function {
	decoder := decoders[b.Machine]
	code, start := b.Code(name)
	if decoder == nil || len(code) == 0 {
		return nil
	}
	f := &function{name: name, b: b}
	for at := 0; at < len(code); {
		in := decoder(code[at:], start+uint64(at), b)
		in.at, in.frames = start+uint64(at), b.Frames(start+uint64(at))
		if in.kind == call {
			callee, _ := b.Symbol(in.to)
			for _, prefix := range noReturn {
				in.leaves = in.leaves || in.to != 0 && strings.HasPrefix(callee, prefix)
			}
		}
		f.code = append(f.code, in)
		at += in.len
	}
	f.blocks()
	f.cycles()
	return f
}

// index is the instruction at an address; -1: none.
func (f *function) index(at uint64) int {
	lo, hi := 0, len(f.code)
	for lo < hi {
		if mid := (lo + hi) / 2; f.code[mid].at < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(f.code) && f.code[lo].at == at {
		return lo
	}
	return -1
}

// blocks numbers the basic blocks. Calls do not end them.
func (f *function) blocks() {
	begins := make([]bool, len(f.code)+1)
	for i := range f.code {
		if in := &f.code[i]; in.jumps || in.leaves {
			begins[i+1] = true
			if to := f.index(in.to); in.jumps && to >= 0 {
				begins[to] = true
			}
		}
	}
	n := 0
	for i := range f.code {
		if begins[i] && i > 0 {
			n++
		}
		f.code[i].block = n
	}
}

// cycles finds the strongly connected components of the blocks, with Tarjan's algorithm, and marks
// the instructions of those that are cycles.
func (f *function) cycles() {
	if len(f.code) == 0 {
		return
	}
	n := f.code[len(f.code)-1].block + 1
	succs := make([][]int, n)
	for i := range f.code {
		in := &f.code[i]
		if last := i+1 == len(f.code) || f.code[i+1].block != in.block; !last {
			continue
		}
		if to := f.index(in.to); in.jumps && to >= 0 {
			succs[in.block] = append(succs[in.block], f.code[to].block)
		}
		if !in.leaves && i+1 < len(f.code) {
			succs[in.block] = append(succs[in.block], in.block+1)
		}
	}
	cyclic := make([]bool, n)
	index, low, onStack := make([]int, n), make([]int, n), make([]bool, n)
	var stack []int
	next := 0
	type step struct{ block, edge int }
	for root := range n {
		if index[root] != 0 {
			continue
		}
		work := []step{{root, 0}}
		for len(work) > 0 {
			s := &work[len(work)-1]
			v := s.block
			if s.edge == 0 {
				next++
				index[v], low[v], onStack[v] = next, next, true
				stack = append(stack, v)
			}
			if s.edge < len(succs[v]) {
				to := succs[v][s.edge]
				s.edge++
				switch {
				case index[to] == 0:
					work = append(work, step{to, 0})
				case onStack[to]:
					low[v] = min(low[v], index[to])
				}
				if to == v {
					cyclic[v] = true
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				above := work[len(work)-1].block
				low[above] = min(low[above], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			size := 0
			for i := len(stack) - 1; ; i-- {
				size++
				if stack[i] == v {
					break
				}
			}
			for _, x := range stack[len(stack)-size:] {
				onStack[x] = false
				cyclic[x] = cyclic[x] || size > 1
			}
			stack = stack[:len(stack)-size]
		}
	}
	for i := range f.code {
		f.code[i].cycle = cyclic[f.code[i].block]
	}
}

// within returns how many inlined calls lie between a loop's lines and an instruction; -1: it does
// not belong to the loop.
func (in *instr) within(l *proof.Loop) int {
	for i, x := range in.frames {
		if x.File == l.File && x.Line >= l.First && x.Line <= l.Last {
			return i
		}
	}
	return -1
}

// ofHarness reports whether an instruction was inlined from package testing.
func (in *instr) ofHarness() bool {
	for _, x := range in.frames {
		if strings.HasPrefix(x.Func, "testing.") {
			return true
		}
	}
	return false
}
