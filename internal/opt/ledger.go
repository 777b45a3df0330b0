package opt

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// A ledger is kept while simplify is verified: the content of each value of the function, and the
// rule that made it so. A value that differs without a rule is a mistake of the pass: something
// edits values outside the rules.
type ledger struct {
	s       *state
	entries map[*ir.Value]entry
}

// An entry is a value as the last rule left it.
type entry struct {
	op        ir.Op
	aux, aux2 int64
	args      []*ir.Value
}

func newLedger(s *state) *ledger {
	l := &ledger{s: s, entries: map[*ir.Value]entry{}}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			l.enter(v)
		}
	}
	return l
}

func (l *ledger) enter(v *ir.Value) {
	l.entries[v] = entry{v.Op, v.Aux, v.Aux2, slices.Clone(v.Args)}
}

// applied enters what a rule made of a value.
func (l *ledger) applied(r rule, v *ir.Value) {
	l.enter(v)
	l.told(r)
}

func (l *ledger) told(r rule) {
	if l.s.cfg.Applied != nil {
		l.s.cfg.Applied(r.String())
	}
}

// is reports whether v is still as entered; its operands may have become copies of others since.
func (e *entry) is(v *ir.Value) bool {
	if v.Op != e.op || v.Aux != e.aux || v.Aux2 != e.aux2 || len(v.Args) != len(e.args) {
		return false
	}
	for i, a := range v.Args {
		if origin(a) != origin(e.args[i]) {
			return false
		}
	}
	return true
}

// close compares the function with the entries.
func (l *ledger) close() {
	for _, b := range l.s.f.Blocks {
		for _, v := range b.Values {
			if e, ok := l.entries[v]; !ok || !e.is(v) {
				l.s.unnamed = fmt.Sprintf("%s of %s was changed by no rule", v.LongString(), l.s.f.Name)
				return
			}
		}
	}
}
