package profile

import (
	"encoding/binary"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/gyrvm/gyr/internal/ir"
)

// An encoder builds a profile of pprof.
type encoder struct {
	mod   *ir.Module
	p     *profile.Profile
	funcs map[string]*profile.Function // by name and file
	locs  map[place]*profile.Location  // nil: nothing of the place is shown
	names map[string]*profile.Location // pseudo frames
	seen  map[string]*profile.Sample   // by stack and share
	stack []*profile.Location
	key   []byte
}

// A place is a position in a function as compiled.
type place struct {
	fn  int32
	pos ir.Pos
}

func newEncoder(mod *ir.Module, types ...*profile.ValueType) *encoder {
	m := &profile.Mapping{ID: 1, File: "guest", HasFunctions: true, HasFilenames: true, HasLineNumbers: true,
		HasInlineFrames: true}
	return &encoder{
		mod:   mod,
		p:     &profile.Profile{SampleType: types, Mapping: []*profile.Mapping{m}},
		funcs: map[string]*profile.Function{},
		locs:  map[place]*profile.Location{},
		names: map[string]*profile.Location{},
		seen:  map[string]*profile.Sample{},
	}
}

// begin starts a stack; add and pseudo put frames on it, innermost first.
func (e *encoder) begin() { e.stack = e.stack[:0] }

// add puts a frame on the stack; what has nothing to show is left out.
func (e *encoder) add(fn int32, pos ir.Pos) {
	if l := e.location(place{fn, pos}); l != nil {
		e.stack = append(e.stack, l)
	}
}

// pseudo puts a frame on the stack that is no function of the guest.
func (e *encoder) pseudo(name string) {
	l := e.names[name]
	if l == nil {
		l = e.newLocation([]profile.Line{{Function: e.function(name, "", 0)}})
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
		e.key = binary.AppendUvarint(e.key, l.ID)
	}
	e.key = append(e.key, 0)
	e.key = append(e.key, share...)
	s := e.seen[string(e.key)]
	if s == nil {
		s = &profile.Sample{Location: append([]*profile.Location(nil), e.stack...), Value: make([]int64, len(values))}
		if share != "" {
			s.Label = map[string][]string{"share": {share}}
		}
		e.seen[string(e.key)] = s
		e.p.Sample = append(e.p.Sample, s)
	}
	for i, v := range values {
		s.Value[i] += v
	}
}

func (e *encoder) newLocation(lines []profile.Line) *profile.Location {
	l := &profile.Location{ID: uint64(len(e.p.Location) + 1), Mapping: e.p.Mapping[0], Line: lines}
	e.p.Location = append(e.p.Location, l)
	return l
}

// location returns the frames of the source that stand at a place: the innermost
// inlined function first. Synthetic wrappers are left out, as in tracebacks.
func (e *encoder) location(pl place) *profile.Location {
	if l, ok := e.locs[pl]; ok {
		return l
	}
	fn := e.funcAt(pl.fn)
	pos := pl.pos
	if pos <= 0 && fn != nil {
		pos = fn.Pos
	}
	var lines []profile.Line
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
			lines = append(lines, profile.Line{Function: e.sourceFunc(f), Line: int64(s.Line)})
		}
	}
	if !shown && fn != nil && fn.Flags&ir.Wrapper == 0 {
		lines = append(lines, profile.Line{Function: e.sourceFunc(fn)})
	}
	var l *profile.Location
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

// sourceFunc is a function of the guest, with the file and line of its declaration.
func (e *encoder) sourceFunc(f *ir.Func) *profile.Function {
	file, line := "", int64(0)
	if x, ok := e.mod.Position(f.Pos); ok {
		s, _ := e.mod.Site(x.Site)
		if s.File >= 0 && int(s.File) < len(e.mod.Files) {
			file = e.mod.Files[s.File]
		}
		line = int64(s.Line)
	}
	return e.function(f.Name, file, line)
}

func (e *encoder) function(name, file string, line int64) *profile.Function {
	key := name + "\x00" + file
	f := e.funcs[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(e.p.Function) + 1), Name: name, SystemName: name, Filename: file,
			StartLine: line}
		e.funcs[key] = f
		e.p.Function = append(e.p.Function, f)
	}
	return f
}

// context puts the frames above the innermost one of a context on the stack.
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

// dropRuntime takes the innermost frames off the stack that are the runtime's
// own, unless there are no others.
func (e *encoder) dropRuntime() {
	for i, l := range e.stack {
		for j, line := range l.Line {
			if isRuntime(line.Function.Name) {
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

// trimmed is a location without its n innermost lines.
func (e *encoder) trimmed(l *profile.Location, n int) *profile.Location {
	pl := place{-int32(n), ir.Pos(l.ID)}
	t, ok := e.locs[pl]
	if !ok {
		t = e.newLocation(l.Line[n:])
		e.locs[pl] = t
	}
	return t
}

// isRuntime reports whether a function is of package runtime.
func isRuntime(name string) bool { return strings.HasPrefix(name, "runtime.") }
