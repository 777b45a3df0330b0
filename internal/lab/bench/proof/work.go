package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// A kind says how an operation of a measured loop counts.
type kind uint8

const (
	free     kind = iota // makes no code, or becomes part of the operation that uses it
	overhead             // belongs to the loop itself
	support              // payload that serves work: checks, and stores of what work computes
	work                 // payload that computes, loads, allocates or calls
)

// kinds has the kind of the operations of each class. Both back ends fold addresses and conversions
// of integers into the operations that use them. Their operands count.
var kinds = [ir.NumClasses]kind{
	ir.ClassNothing:         free,
	ir.ClassStructure:       free,
	ir.ClassArithmetic:      work,
	ir.ClassDivision:        work,
	ir.ClassShift:           work,
	ir.ClassBitCount:        work,
	ir.ClassComparison:      work,
	ir.ClassFloatComparison: work,
	ir.ClassSelection:       work,
	ir.ClassConversion:      free,
	ir.ClassFloatConversion: work,
	ir.ClassFloatArithmetic: work,
	ir.ClassFloatFunction:   work,
	ir.ClassAddress:         free,
	ir.ClassAccess:          work,
	ir.ClassBulk:            work,
	ir.ClassAllocation:      work,
	ir.ClassAssertion:       support,
	ir.ClassCharge:          overhead,
	ir.ClassCall:            work,
	ir.ClassHostCall:        work,
	ir.ClassFrame:           overhead,
	ir.ClassCoverage:        free,
}

// kindOf is the kind of an operation of the payload.
func kindOf(v *ir.Value) kind {
	if v.Op == ir.OpStore {
		return support
	}
	return kinds[v.Op.Class()]
}

// groups are the names under which remaining operations are listed. Calls and allocations are
// listed one by one.
var groups = [ir.NumClasses]string{
	ir.ClassArithmetic: "arithmetic", ir.ClassDivision: "divisions", ir.ClassShift: "arithmetic", ir.ClassBitCount: "arithmetic",
	ir.ClassComparison: "comparisons", ir.ClassFloatComparison: "comparisons", ir.ClassSelection: "comparisons",
	ir.ClassFloatConversion: "arithmetic of floats", ir.ClassFloatArithmetic: "arithmetic of floats",
	ir.ClassFloatFunction: "arithmetic of floats", ir.ClassBulk: "operations of bulk memory", ir.ClassAssertion: "checks",
}

// group names an operation for a list.
func group(v *ir.Value) string {
	switch v.Op {
	case ir.OpLoad:
		return "loads"
	case ir.OpStore:
		return "stores"
	}
	return groups[v.Op.Class()]
}

// describe says what an operation does, without the numbers of values, which change.
func describe(v *ir.Value) string {
	switch v.Op {
	case ir.OpCall:
		return "call " + v.Fn.Name
	case ir.OpCallClosure:
		return "call of a function value"
	case ir.OpCallIndex:
		return "call of a method of an interface"
	case ir.OpHost:
		return "call of the host"
	case ir.OpNew:
		return fmt.Sprintf("new %d bytes", v.Aux2)
	case ir.OpNewArray:
		if n := v.Args[0]; n.Op == ir.OpConst {
			return fmt.Sprintf("new %d bytes", n.Aux*v.Aux2)
		}
		return fmt.Sprintf("new array of elements of %d bytes", v.Aux2)
	case ir.OpStore:
		return "store " + v.Args[1].Type.String()
	}
	if v.Type == ir.Void {
		return v.Op.String()
	}
	return v.Op.String() + " " + v.Type.String()
}

// harnesses are the prefixes of the functions that run a benchmark, wherever they are inlined.
var harnesses = []string{"testing.(*B).", "testing.(*PB).", "testing.(*common)."}

func ofHarness(name string) bool {
	for _, h := range harnesses {
		if strings.HasPrefix(name, h) {
			return true
		}
	}
	return false
}

// control finds the operations that decide whether the loop continues: the condition at its header,
// or at the end of a round of a compiler-made loop, and the operations in the loop that compute it,
// up to calls.
func control(g *graph, lp *ir.Loop, l *Loop) map[*ir.Value]bool {
	set := map[*ir.Value]bool{}
	roots := map[*ir.Value]bool{} // addresses that are loaded from
	var walk func(v *ir.Value)
	walk = func(v *ir.Value) {
		if v == nil || set[v] || !g.inside(v, lp) {
			return
		}
		switch c := v.Op.Class(); {
		case v.Op == ir.OpPhi:
			if g.at[v] != lp.Header {
				return
			}
		case v.Op == ir.OpAdd || v.Op == ir.OpSub || v.Op == ir.OpXor: // xor: an inverted condition
			if v.Args[1].Op != ir.OpConst {
				return
			}
		case v.Op == ir.OpLoad:
			roots[base(v.Args[0])] = true
		case c == ir.ClassComparison, c == ir.ClassAddress, c == ir.ClassConversion, c == ir.ClassStructure:
		default:
			return
		}
		set[v] = true
		for _, a := range v.Args {
			walk(a)
		}
	}
	ends := []*ir.Block{lp.Header}
	if l.Func != "" {
		ends = append(ends, lp.Latches...)
	}
	for _, b := range ends {
		if b.Kind == ir.BlockIf && slices.ContainsFunc(b.Succs, func(s *ir.Block) bool { return !g.loops().Contains(lp, s) }) {
			walk(b.Ctrl)
		}
	}
	for _, v := range lp.Header.Values {
		if v.Op == ir.OpNilCheck && roots[base(v.Args[0])] {
			set[v] = true
		}
	}
	return set
}

// prices finds the operations that compute charges and nothing else.
func prices(f *ir.Func) map[*ir.Value]bool {
	others := map[*ir.Value]int{} // uses by operations that are no price
	var work []*ir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				others[a]++
			}
			if v.Op == ir.OpGasN {
				work = append(work, v)
			}
		}
		if b.Ctrl != nil {
			others[b.Ctrl]++
		}
		for _, r := range b.Rets {
			others[r]++
		}
	}
	set := map[*ir.Value]bool{}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			if others[a]--; others[a] == 0 && a.Op.Pure() && a.Op != ir.OpPhi {
				set[a] = true
				work = append(work, a)
			}
		}
	}
	return set
}

// base is the value that an address was computed from.
func base(p *ir.Value) *ir.Value {
	for p.Op == ir.OpPtrAdd || p.Op == ir.OpPtrIdx || p.Op == ir.OpCopy {
		p = p.Args[0]
	}
	return p
}
