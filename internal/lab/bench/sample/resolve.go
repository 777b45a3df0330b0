package sample

import (
	"runtime"
	"sort"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Place is the meaning of an address.
type Place struct {
	Kind   string // Guest, Runtime and so on
	Func   string
	File   string // "": unknown
	Line   int
	Offset int // from the function's beginning

	// Code is set for addresses in a guest's machine code.
	Code *engine.CodePiece
	// Frames are the functions that are inlined there, the innermost first, and Func itself last. A
	// guest's address has no frames here: the IR has them.
	Frames []record.Frame
}

// A Resolver knows the addresses of this process. It is made after the guest has run, as it knows
// only the code of that time.
type Resolver struct{ code []engine.CodePiece }

// NewResolver makes a resolver of a guest's process; p may be nil.
func NewResolver(p *engine.Program) *Resolver {
	r := &Resolver{}
	if p != nil {
		r.code = p.CodeMap()
	}
	return r
}

// Resolve returns the meaning of a sample's address.
func (r *Resolver) Resolve(s Sample) Place {
	if s.Kernel {
		return Place{Kind: Kernel, Func: "[kernel]"}
	}
	if c := r.guest(s.IP); c != nil {
		p := Place{Kind: Runtime, Func: c.Name, Offset: int(s.IP - uint64(c.Start)), Code: c}
		if c.Func != nil && !strings.HasPrefix(c.Name, "runtime.") {
			p.Kind = Guest
		}
		return p
	}
	return host(s.IP)
}

// guest returns the piece of the guest's code that contains an address.
func (r *Resolver) guest(at uint64) *engine.CodePiece {
	i := sort.Search(len(r.code), func(i int) bool { return uint64(r.code[i].End) > at })
	if i == len(r.code) || uint64(r.code[i].Start) > at {
		return nil
	}
	return &r.code[i]
}

// host names an address of this executable by Go's tables.
func host(at uint64) Place {
	f := runtime.FuncForPC(uintptr(at))
	if f == nil {
		return Place{Kind: Host, Func: "[unknown]"}
	}
	// Go's tables name the innermost function that is inlined at an address, and the function that
	// it is inlined into.
	p := Place{Func: f.Name(), Offset: int(at - uint64(f.Entry()))}
	p.File, p.Line = f.FileLine(uintptr(at))
	p.Frames = []record.Frame{{Func: short(p.Func), File: p.File, Line: p.Line}}
	file := p.File
	if outer := runtime.FuncForPC(f.Entry()); outer != nil && outer.Name() != p.Func {
		p.Func = outer.Name()
		file, _ = outer.FileLine(outer.Entry())
		p.Frames = append(p.Frames, record.Frame{Func: short(p.Func)})
	}
	p.Kind = kindOf(hostRules, p.Func, file)
	p.Func = short(p.Func)
	return p
}

// short strips the module from the names of its functions.
func short(name string) string { return strings.TrimPrefix(name, module) }
