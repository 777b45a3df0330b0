package opt

import "github.com/gyrvm/gyr/internal/ir"

// An Event is a decision of a pass.
type Event struct {
	Pass string
	Func *ir.Func
	Kind EventKind
	Pos  ir.Pos
	What string // the operation, or the callee
	Why  string
}

// An EventKind says what was decided.
type EventKind uint8

const (
	Removed    EventKind = iota // a check, a charge or an allocation went
	Kept                        // it could not be shown that a check always passes
	Inlined                     // a call
	NotInlined                  // a call
	Escapes                     // an allocation stays on the heap
)
