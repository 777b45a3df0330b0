package rules

import (
	"strings"
	"testing"
)

func TestPrinted(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Pattern == nil {
			continue
		}
		again, err := Parse(r.File, r.String())
		if err != nil || len(again) != 1 || again[0].String() != r.String() {
			t.Errorf("%s: %v %v", r, again, err)
		}
	}
}

// TestMistakes: an invalid rule is refused.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: (add x 0)", "no NAME: pattern => replacement"},
		{"a: (plus x y) => x", "no operation plus"},
		{"a: (add x) => x", "1 operands"},
		{"a: (add x y z) => x", "3 operands"},
		{"a: (add x 0) => y", "y is not in the pattern"},
		{"a: (add x C) => (add x [D])", "no constant D"},
		{"a: (add x C) => (add x C)", "constants stand in brackets"},
		{"a: (add x:ptr y) => x", "types"},
		{"a: (fadd x y) => (add x y)", "types"},
		{"a: (add x C) if u(C) == C => x", "two sorts"},
		{"a: (add x C) if u(x) == 1 => x", "no constant of the pattern"},
		{"a: (add x C) if odd(C) => x", "no function odd"},
		{"a: (add x C) if C => x", "condition"},
		{"a: (add x C) => (shl x [1<<C])", "signed"},
		{"a: (add x C => x", "no )"},
		{"a: x => x", "the pattern is no operation"},
		{"with A = 1 2; B = 3 {\n}", "1 texts, not 2"},
		{"with A = 1 2 {\na: (add x $A) => x", "not closed"},
	} {
		_, err := Parse("file", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	// The list contains a rule after one that always matches first.
	list, err := Parse("file", "a: (add x 0) => x\nb: (add x y) => (add y x)\nc: (add x 1) => x")
	if err == nil {
		_, err = Go(list)
	}
	if err == nil || !strings.Contains(err.Error(), "c never matches, since b does") {
		t.Error(err)
	}
}
