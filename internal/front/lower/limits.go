package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
)

// Lowering counts the functions and operations of packages outside the standard library, and may
// end at each block of a function.

// spent counts the functions of an account's packages and their operations.
type spent struct{ functions, operations int64 }

// ended is the panic value with which lowering unwinds when it must end.
type ended struct{ err error }

// begin counts a function that is about to be lowered.
func (c *fn) begin(src *ssa.Function) {
	if c.own = !c.l.isStd(src); !c.own {
		return
	}
	c.pos, c.account = c.l.pos(c.f, src.Pos()), c.l.prog.Account(pkgOf(src))
	s, limits := &c.l.spent[c.account], c.limits()
	if s.functions++; limits.Functions > 0 && s.functions > limits.Functions {
		c.over("Functions", limits.Functions, "more functions")
	}
}

// proceed counts the operations that a function has gained since the last time.
func (c *fn) proceed() {
	if c.l.prog.Ended != nil {
		if err := c.l.prog.Ended(); err != nil {
			panic(ended{err})
		}
	}
	if !c.own {
		return
	}
	s, limits := &c.l.spent[c.account], c.limits()
	n := int64(c.f.NumValues())
	s.operations += n - c.operations
	c.operations = n
	if limits.Operations > 0 && s.operations > limits.Operations {
		c.over("Operations", limits.Operations, "more operations of the IR")
	}
}

// limits returns the limits that the function counts for.
func (c *fn) limits() api.Limits { return c.account.Of(c.l.prog.Limits) }

// measured adds what was counted to the program's measures.
func (l *lowerer) measured() {
	m, own, mods := l.prog.Measured, l.spent[budget.Own], l.spent[budget.Modules]
	m.Functions, m.Operations = own.functions, own.operations
	m.Modules.Functions, m.Modules.Operations = mods.functions, mods.operations
}

func (c *fn) over(limit string, most int64, what string) {
	at := failure.In(c.f, c.pos)()
	panic(ended{&api.CompileLimitError{Limit: c.account.Field(limit), Max: most, What: what, Position: at}})
}
