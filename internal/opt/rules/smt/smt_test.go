package smt

import (
	"strings"
	"testing"
	"time"
)

func TestProve(t *testing.T) {
	s, err := Start(10 * time.Second)
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	x := []Variable{{"x", BitVec(8)}, {"y", BitVec(8)}}
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{x, nil, "(= (bvadd x y) (bvadd y x))"}, "proved"},
		{Query{x, nil, "(bvuge (bvadd x y) y)"}, "refuted: (("},
		{Query{x, []string{"(bvult x #x80)", "(bvult y #x80)"}, "(bvuge (bvadd x y) y)"}, "proved"},
	} {
		a, err := s.Prove(c.q)
		if err != nil || !strings.HasPrefix(a.String(), c.want) {
			t.Errorf("%s: %v %v, want %s", c.q.Goal, a, err, c.want)
		}
	}
	if _, err := s.Prove(Query{Goal: "(no such function)"}); err == nil {
		t.Error("a mistake of the text is no error")
	}
	// It is ready for the next one.
	s2, _ := Start(time.Second)
	defer s2.Close()
	if a, err := s2.Prove(Query{Goal: "true"}); err != nil || !a.Proved {
		t.Error(a, err)
	}
}

func TestTimeout(t *testing.T) {
	s, err := Start(200 * time.Millisecond)
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	// The number is a product of two primes of 32 bits, which z3 does not find in time.
	a, err := s.Prove(Query{[]Variable{{"x", BitVec(64)}, {"y", BitVec(64)}}, []string{"(bvult x #x0000000100000000)", "(bvult y #x0000000100000000)", "(bvugt x #x0000000000000001)", "(bvugt y #x0000000000000001)"}, "(not (= (bvmul x y) #xfffffff600000019))"})
	if err != nil || a.Proved {
		t.Fatal(a, err)
	}
	if a, err := s.Prove(Query{Goal: "true"}); err != nil || !a.Proved {
		t.Error(a, err)
	}
}
