package bytecode

import "testing"

// TestFailures: every operation that traps says where its trap is, and no other does.
func TestFailures(t *testing.T) {
	for o := range NumOps {
		if traps := Ops[o].Flow&Traps != 0; traps != (Failures[o] != NoFailure) {
			t.Errorf("%v: traps %v, failure %d", o, traps, Failures[o])
		}
	}
}

// TestLoopTwins: every conditional branch that ends a block has a twin with a loop charge.
func TestLoopTwins(t *testing.T) {
	for _, op := range brOf {
		l := loopTwins[op]
		if l == Invalid || Ops[l].Form != Ops[op].Form || Ops[l].Flow&Loop == 0 {
			t.Errorf("the twin of %v is %v", op, l)
		}
		if inv, _ := inverse(op); loopTwins[inv] == Invalid {
			t.Errorf("%v, the inverse of %v, has no twin", inv, op)
		}
	}
	for _, op := range []Op{Br, BrZ} {
		if loopTwins[op] == Invalid {
			t.Errorf("%v has no twin", op)
		}
	}
}
