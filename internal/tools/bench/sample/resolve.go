package sample

import (
	"runtime"
	"sort"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/bench/record"
)

// A Place is what an address means.
type Place struct {
	Kind   string // Guest, Runtime and so on
	Func   string
	File   string // "": unknown
	Line   int
	Offset int // from the function's beginning

	// Code is of addresses in a guest's machine code.
	Code *engine.CodePiece
	// Frames are the functions that are inlined there, the innermost first, and at last Func itself. Of a guest's
	// there are none here: the IR has them.
	Frames []record.Frame
}

// A Resolver knows the addresses of this process. It is made when the guest has run: the code that it knows is what
// there was then.
type Resolver struct{ code []engine.CodePiece }

// NewResolver makes a resolver of a guest's process; p may be nil.
func NewResolver(p *engine.Program) *Resolver {
	r := &Resolver{}
	if p != nil {
		r.code = p.CodeMap()
	}
	return r
}

// Resolve says what a sample's address means.
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

// guest returns the code of the guest's that has an address.
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
	p := Place{Func: f.Name(), Offset: int(at - uint64(f.Entry()))}
	// Frames are those of a return address, the instruction before it.
	frames := runtime.CallersFrames([]uintptr{uintptr(at) + 1})
	for {
		x, more := frames.Next()
		if x.Function != "" {
			p.Frames = append(p.Frames, record.Frame{Func: x.Function, File: x.File, Line: x.Line})
		}
		if !more {
			break
		}
	}
	file := ""
	if n := len(p.Frames); n > 0 {
		p.File, p.Line = p.Frames[0].File, p.Frames[0].Line
		p.Func, file = p.Frames[n-1].Func, p.Frames[n-1].File
	}
	p.Kind = kindOf(hostRules, p.Func, file)
	return p
}
