package profile

import (
	"encoding/binary"
	"io"
)

// A Stack is a call stack with what was counted for it, the innermost frame first, for profiles whose stacks did not come from
// this package.
type Stack struct {
	Frames []StackFrame
	Value  int64
	Kind   string // value of the label share; empty: none
}

// A StackFrame is a function of a stack, and a line of it. The file and the line may be unknown.
type StackFrame struct {
	Func, File string
	Line       int
	Inlined    bool // into the next frame: both are one place in the code
}

// WriteStacks writes stacks in pprof's format, compressed, with one value of a name and a unit for each. The same stacks
// give the same bytes.
func WriteStacks(w io.Writer, stacks []Stack, name, unit string) error {
	e := newEncoder(nil, valueType{name, unit})
	e.p.byDefault, e.p.period, e.p.every = name, valueType{name, unit}, 1
	places := map[string]*location{}
	for _, s := range stacks {
		e.begin()
		for i := 0; i < len(s.Frames); {
			var lines []line
			var key []byte
			for more := true; more && i < len(s.Frames); i++ {
				f := s.Frames[i]
				more = f.Inlined
				of := e.function(f.Func, f.File, 0)
				lines = append(lines, line{of, int64(f.Line)})
				key = binary.AppendVarint(binary.AppendUvarint(key, of.id), int64(f.Line))
			}
			l := places[string(key)]
			if l == nil {
				l = e.newLocation(lines)
				places[string(key)] = l
			}
			e.stack = append(e.stack, l)
		}
		e.end(s.Kind, s.Value)
	}
	return e.p.write(w)
}
