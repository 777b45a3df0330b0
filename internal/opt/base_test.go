package opt

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// The facts about a base are read with the module that they were written for, and a module on a
// base is not optimised without them.
func TestFactsOfBase(t *testing.T) {
	m := irtest.BaseModule(t)
	if err := PhaseA(m, nil); err == nil {
		t.Error("a module on a base is optimised although nothing is known of that")
	}
	facts, err := PhaseABase(m.Base, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := func(f *ir.Func) (*ir.Func, error) { return f, nil }
	base, err := OpenBase(nil, m.Base, facts, body)
	if err != nil {
		t.Fatal(err)
	}
	if err := PhaseA(m, &Options{Base: base}); err != nil {
		t.Error(err)
	}
	if err := ir.VerifyModule(m); err != nil {
		t.Error(err)
	}
	for n := range facts {
		if _, err := OpenBase(nil, m.Base, facts[:n], body); err == nil {
			t.Errorf("%d of %d bytes are enough", n, len(facts))
		}
	}
	if _, err := OpenBase(nil, m.Base, append(facts, 0), body); err == nil {
		t.Error("a byte too many is accepted")
	}
	if _, err := OpenBase(nil, m, facts, body); err == nil {
		t.Error("facts about another module are accepted")
	}
}
