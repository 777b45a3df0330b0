package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/failure"
)

// Lowering counts the functions and operations of the program itself, and may end at each block of
// a function.

// spent counts the program's own functions and their operations.
type spent struct{ functions, operations int64 }

// ended is the panic value with which lowering unwinds when it must end.
type ended struct{ err error }

// begin counts a function that is about to be lowered.
func (c *fn) begin(src *ssa.Function) {
	if c.own = !c.l.isStd(src); !c.own {
		return
	}
	c.pos = c.l.pos(c.f, src.Pos())
	s, limits := &c.l.spent, &c.l.prog.Limits
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
	s, limits := &c.l.spent, &c.l.prog.Limits
	n := int64(c.f.NumValues())
	s.operations += n - c.operations
	c.operations = n
	if limits.Operations > 0 && s.operations > limits.Operations {
		c.over("Operations", limits.Operations, "more operations of the IR")
	}
}

func (c *fn) over(limit string, most int64, what string) {
	at := failure.In(c.f, c.pos)()
	panic(ended{&api.CompileLimitError{Limit: limit, Max: most, What: what, Position: at}})
}
