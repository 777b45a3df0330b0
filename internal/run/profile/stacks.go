package profile

import "io"

// A Stack is a call stack with its count, the innermost frame first, for profiles with stacks from
// elsewhere.
type Stack struct {
	Frames []StackFrame
	Value  int64
	Kind   string // value of the label share; empty: no label
}

// A StackFrame is a function of a stack, and a line of it. The file and the line may be unknown.
type StackFrame struct {
	Func, File string
	Line       int
}

// WriteStacks writes stacks in pprof's format, compressed, with one value for each stack, of a name
// and a unit. The same stacks give the same bytes.
func WriteStacks(w io.Writer, stacks []Stack, name, unit string) error {
	e := newEncoder(nil, valueType{name, unit})
	e.p.byDefault, e.p.period, e.p.every = name, valueType{name, unit}, 1
	places := map[StackFrame]*location{}
	for _, s := range stacks {
		e.begin()
		for _, f := range s.Frames {
			l := places[f]
			if l == nil {
				l = e.newLocation([]line{{e.function(f.Func, f.File, 0), int64(f.Line)}})
				places[f] = l
			}
			e.stack = append(e.stack, l)
		}
		e.end(s.Kind, s.Value)
	}
	return e.p.write(w)
}
