package ir

import (
	"strings"
	"testing"
)

// TestOps: every operation has a complete and consistent line in the table.
func TestOps(t *testing.T) {
	for op := OpInvalid + 1; op < NumOps; op++ {
		info := op.Info()
		if info.Name == "" || opByName[info.Name] != op {
			t.Errorf("operation %d: %q is no name, or the name of another", op, info.Name)
		}
		if info.Doc == "" || info.Class == ClassNothing || info.Class >= NumClasses {
			t.Errorf("%v: class %d, doc %q", op, info.Class, info.Doc)
		}
		if strings.Trim(info.Args, "tuilbpfsx*") != "" || !strings.ContainsRune("tilwbpfxv", rune(info.Result)) {
			t.Errorf("%v: operands %q, result %c", op, info.Args, info.Result)
		}
		if op.Commutes() && (info.Effects != Commutes || len(info.Args) != 2 || info.Args[0] != info.Args[1]) {
			t.Errorf("%v commutes, but is not a pure operation with two operands of one type", op)
		}
		if info.Result == 'v' && op.Pure() {
			t.Errorf("%v has neither a result nor an effect", op)
		}
	}
	if OpInvalid.Class() != ClassNothing || OpInvalid.Info().Name != "invalid" {
		t.Error("there is a meaning for no operation")
	}
}

// TestClasses: the effects and types of operations are those of their class.
func TestClasses(t *testing.T) {
	// For each class, the effects that its operations must have and may have, and the types of
	// results.
	computes := func(results string) [3]any { return [3]any{Pure, Commutes, results} }
	rules := [NumClasses][3]any{
		ClassNothing:         {Pure, Pure, "v"},
		ClassStructure:       {Pure, Pinned | ReadMem, "tpv"},
		ClassArithmetic:      computes("il"),
		ClassDivision:        {Pure, Pure, "i"},
		ClassShift:           {Pure, Pure, "i"},
		ClassBitCount:        {Pure, Pure, "i"},
		ClassComparison:      computes("b"),
		ClassFloatComparison: computes("b"),
		ClassSelection:       {Pure, Pure, "t"},
		ClassConversion:      {Pure, Pure, "ilp"},
		ClassFloatConversion: {Pure, Pure, "flwt"},
		ClassFloatArithmetic: computes("f"),
		ClassFloatFunction:   {Pure, Pure, "f"},
		ClassAddress:         {Pure, Pure, "p"},
		ClassAccess:          {Pure, ReadMem | WriteMem, "tv"},
		ClassBulk:            {Pure, ReadMem | WriteMem, "vbl"},
		ClassAllocation:      {Allocates | Safepoint, WriteMem, "p"},
		ClassAssertion:       {MayTrap, Pure, "v"},
		ClassCharge:          {Charges, Safepoint | IsCall, "vl"},
		ClassCall:            {IsCall | Safepoint | Charges, ReadMem | WriteMem | MayTrap | Allocates, "t"},
		ClassHostCall:        {IsCall | Safepoint, ReadMem | WriteMem | MayTrap | Allocates, "t"},
		ClassFrame:           {Pure, Pinned | IsCall | Safepoint | ReadMem | WriteMem | MayTrap, "lv"},
		ClassCoverage:        {Counts, Pure, "v"},
	}
	for op := range NumOps {
		must, may := rules[op.Class()][0].(Effect), rules[op.Class()][1].(Effect)
		results := rules[op.Class()][2].(string)
		if e := op.Effects(); e&must != must || e&^(must|may) != 0 {
			t.Errorf("%v: effects %b, of its class %b and perhaps %b", op, e, must, may)
		}
		if !strings.ContainsRune(results, rune(op.Info().Result)) {
			t.Errorf("%v: result %c, of its class %s", op, op.Info().Result, results)
		}
	}
	for c := range NumClasses {
		if c.String() == "" || len(OpsOf(c)) == 0 {
			t.Errorf("class %d, %q, has no operations", c, c)
		}
	}
}
