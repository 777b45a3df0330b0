package profile

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// An encoder builds a profile of pprof.
type encoder struct {
	mod   *ir.Module
	p     pprofile
	funcs map[string]*function  // by name and file
	locs  map[place]*location   // nil: the place shows nothing
	names map[string]*location  // pseudo frames
	seen  map[string]*sampleRow // by stack and share
	stack []*location
	key   []byte
}

// A place is a position in a function as compiled.
type place struct {
	fn  int32
	pos ir.Pos
}

func newEncoder(mod *ir.Module, types ...valueType) *encoder {
	return &encoder{
		mod:   mod,
		p:     pprofile{types: types},
		funcs: map[string]*function{},
		locs:  map[place]*location{},
		names: map[string]*location{},
		seen:  map[string]*sampleRow{},
	}
}

// begin starts a stack; add and pseudo put frames on it, innermost first.
func (e *encoder) begin() { e.stack = e.stack[:0] }

// add puts a frame on the stack, unless it has nothing to show.
func (e *encoder) add(fn int32, pos ir.Pos) {
	if l := e.location(place{fn, pos}); l != nil {
		e.stack = append(e.stack, l)
	}
}

// pseudo puts a frame on the stack that is not a function of the guest.
func (e *encoder) pseudo(name string) {
	l := e.names[name]
	if l == nil {
		l = e.newLocation([]line{{of: e.function(name, "", 0)}})
		e.names[name] = l
	}
	e.stack = append(e.stack, l)
}

// end counts values for the stack. share, if not empty, is a label.
func (e *encoder) end(share string, values ...int64) {
	if len(e.stack) == 0 {
		e.pseudo("[no frame]")
	}
	e.key = e.key[:0]
	for _, l := range e.stack {
		e.key = binary.AppendUvarint(e.key, l.id)
	}
	e.key = append(e.key, 0)
	e.key = append(e.key, share...)
	s := e.seen[string(e.key)]
	if s == nil {
		s = &sampleRow{slices.Clone(e.stack), make([]int64, len(values)), share}
		e.seen[string(e.key)] = s
		e.p.samples = append(e.p.samples, s)
	}
	for i, v := range values {
		s.values[i] += v
	}
}

func (e *encoder) newLocation(lines []line) *location {
	l := &location{uint64(len(e.p.locations) + 1), lines}
	e.p.locations = append(e.p.locations, l)
	return l
}

// location returns the source frames at a place, the innermost inlined function first. Synthetic
// wrappers are left out, as in tracebacks.
func (e *encoder) location(pl place) *location {
	if l, ok := e.locs[pl]; ok {
		return l
	}
	fn := e.funcAt(pl.fn)
	pos := pl.pos
	if pos <= 0 && fn != nil {
		pos = fn.Pos
	}
	var lines []line
	shown := false
	for {
		x, ok := e.mod.Position(pos)
		if !ok {
			break
		}
		pos = x.Parent
		s, ok := e.mod.Site(x.Site)
		if !ok {
			continue
		}
		f := e.funcAt(s.Func)
		if f == nil {
			continue
		}
		shown = true
		if f.Flags&ir.Wrapper == 0 {
			lines = append(lines, line{e.sourceFunc(f), int64(s.Line)})
		}
	}
	if !shown && fn != nil && fn.Flags&ir.Wrapper == 0 {
		lines = append(lines, line{of: e.sourceFunc(fn)})
	}
	var l *location
	if len(lines) > 0 {
		l = e.newLocation(lines)
	}
	e.locs[pl] = l
	return l
}

func (e *encoder) funcAt(i int32) *ir.Func {
	if i <= 0 || int(i) >= e.mod.NumFuncs() {
		return nil
	}
	return e.mod.Func(int(i))
}

// sourceFunc returns a function of the guest, with the file and line of its declaration.
func (e *encoder) sourceFunc(f *ir.Func) *function {
	file, declared := "", int64(0)
	if x, ok := e.mod.Position(f.Pos); ok {
		s, _ := e.mod.Site(x.Site)
		if s.File >= 0 && int(s.File) < len(e.mod.Files) {
			file = e.mod.Files[s.File]
		}
		declared = int64(s.Line)
	}
	return e.function(f.Name, file, declared)
}

func (e *encoder) function(name, file string, declared int64) *function {
	key := name + "\x00" + file
	f := e.funcs[key]
	if f == nil {
		f = &function{uint64(len(e.p.functions) + 1), name, file, declared}
		e.funcs[key] = f
		e.p.functions = append(e.p.functions, f)
	}
	return f
}

// context puts the outer frames of a context on the stack.
func (e *encoder) context(n *Node) {
	for ; n.parent != nil; n = n.parent {
		if n.Func == 0 {
			e.pseudo("[more contexts]")
			return
		}
		if n.parent.Func != 0 {
			e.add(n.parent.Func, n.call)
		}
	}
}

// dropRuntime removes the innermost frames of the runtime from the stack, unless all frames are the
// runtime's.
func (e *encoder) dropRuntime() {
	for i, l := range e.stack {
		for j, x := range l.lines {
			if isRuntime(x.of.name) {
				continue
			}
			e.stack = e.stack[i:]
			if j > 0 {
				e.stack[0] = e.trimmed(l, j)
			}
			return
		}
	}
}

// trimmed returns a location without its n innermost lines.
func (e *encoder) trimmed(l *location, n int) *location {
	pl := place{-int32(n), ir.Pos(l.id)}
	t, ok := e.locs[pl]
	if !ok {
		t = e.newLocation(l.lines[n:])
		e.locs[pl] = t
	}
	return t
}

// isRuntime reports whether a function is of package runtime.
func isRuntime(name string) bool { return strings.HasPrefix(name, "runtime.") }
