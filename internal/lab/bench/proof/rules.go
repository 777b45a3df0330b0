package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Severity is the severity of a diagnosis.
type Severity string

const (
	Error   Severity = "error"   // the figure does not mean what it says
	Warning Severity = "warning" // the conclusion may be different
)

// A Diagnosis is a rule's finding about a proof.
type Diagnosis struct {
	Code     string
	Severity Severity
	Evidence string // the part of the proof that shows it
	Cause    string // one sentence
	Cure     string // one sentence
}

// A Rule is a reason to doubt a benchmark whose proof meets a condition.
type Rule struct {
	Code     string
	Severity Severity
	Title    string
	Cause    string
	Cure     string
	holds    func(*verdict) (evidence string, ok bool)
}

// Rules lists the diagnoses that need only a proof.
//
// Optimisation alone triggers none of them. A check that is proved, a product that becomes a shift,
// a load whose value is known and an object that lives in the frame are what compiled programs have
// as well. A rule holds if no work is left (see verdict), and names the most frequent reason. A
// rule also holds if a call or an allocation in the benchmark's own lines vanished as a whole
// because nothing uses its result: no program would contain it for that.
var Rules = []Rule{
	{"BP01", Error, "work eliminated",
		"Nothing that the loop's body computes is of use any more, so what is timed are loops and checks alone.",
		"Take inputs from variables that the compiler cannot know, and keep the results: return them from a //gyr:bench function, use b.Loop, or store them in a package variable.",
		func(v *verdict) (string, bool) {
			if !v.eliminated {
				return "", false
			}
			return fmt.Sprintf("%d of %d payload operations are left: %s", v.p.Left, v.p.Lowered, v.why()), true
		}},
	{"BP02", Warning, "work hoisted",
		"The body computes the same in all iterations, so the compiler does it once before the loop.",
		"Let the input depend on the iteration: index a slice of inputs, or make it a parameter of a //gyr:bench function.",
		func(v *verdict) (string, bool) {
			return v.list(hoisted), v.eliminated && v.n[hoisted] > 0 && v.n[hoisted] >= v.n[unused]
		}},
	{"BP03", Warning, "input folded",
		"The inputs are constants, so the compiler computed the result itself.",
		"Load the input from a variable that is not constant, or make it a parameter of a //gyr:bench function.",
		func(v *verdict) (string, bool) {
			return v.list(constant), v.eliminated && v.n[constant] > 0 && v.n[constant] >= v.n[unused] && v.n[constant] >= v.n[hoisted]
		}},
	{"BP04", Warning, "result unused",
		"Nobody uses the result, so the compiler dropped what computes it.",
		"Keep the result: return it from a //gyr:bench function, use b.Loop, or store it in a package variable.",
		func(v *verdict) (string, bool) {
			if v.eliminated && v.n[unused] > v.n[hoisted] && v.n[unused] > v.n[constant] {
				return v.list(unused), true
			}
			for _, x := range v.p.Vanished {
				if x.Kind == "call" && x.Unread && x.Reason == unused {
					return x.What + " at " + x.Place, true
				}
			}
			return "", false
		}},
	{"BP05", Warning, "allocation removed",
		"The body allocates an object that nothing reads, so the compiler dropped the allocation, or has the object live in the frame.",
		"Let the object leave the loop: store it in a package variable, or return it from a //gyr:bench function with inline=never.",
		func(v *verdict) (string, bool) {
			for _, x := range v.p.Vanished {
				if x.Kind == "allocation" && x.Unread {
					return v.allocations(x.What, x.Place), true
				}
			}
			if i := slices.IndexFunc(v.p.Gone, isAllocation); v.eliminated && i >= 0 {
				return v.allocations(v.p.Gone[i].What, v.p.Gone[i].Place), true
			}
			return "", false
		}},
}

func isAllocation(g record.Gone) bool { return g.Work && g.Class == ir.ClassAllocation.String() }

// Diagnose applies the rules to a proof.
func Diagnose(p *record.Proof) (list []Diagnosis) {
	v := judge(p)
	if v == nil {
		return nil
	}
	for _, r := range Rules {
		if evidence, ok := r.holds(v); ok {
			list = append(list, Diagnosis{r.Code, r.Severity, evidence, r.Cause, r.Cure})
		}
	}
	return list
}

// A verdict holds the facts that the rules ask of a proof.
type verdict struct {
	p *record.Proof
	n map[string]int // removed work by reason, without allocations, and without comparisons if there is other work

	// eliminated: there was work, and none is left. Idle operations are not work if other work
	// went: the addition in sum += f(2), and the comparison in if f(n) != 3.
	eliminated bool
}

func judge(p *record.Proof) *verdict {
	if p.Unknown != "" || p.Work == 0 {
		return nil
	}
	v := &verdict{p: p, n: map[string]int{}}
	comparisons, allocations := map[string]int{}, 0
	for _, g := range p.Gone {
		switch {
		case !g.Work:
		case isAllocation(g):
			allocations++
		case g.Class == ir.ClassComparison.String():
			comparisons[g.Reason]++
		default:
			v.n[g.Reason]++
		}
	}
	went := v.n[hoisted] + v.n[constant] + v.n[unused] + v.n[inlined]
	if len(v.n) == 0 && allocations == 0 {
		v.n = comparisons
	}
	v.eliminated = p.WorkLeft == 0 || went > 0 && p.WorkLeft == p.Idle
	return v
}

// why lists the reasons for removed work, the most frequent first.
func (v *verdict) why() string {
	n := map[string]int{}
	var list []string
	for _, g := range v.p.Gone {
		if g.Work {
			if n[g.Reason]++; n[g.Reason] == 1 {
				list = append(list, g.Reason)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return n[b] - n[a] })
	return strings.Join(list, ", ")
}

// allocations names the removed allocation, and says how many are left.
func (v *verdict) allocations(what, place string) string {
	left := fmt.Sprintf("allocations left: %d", v.p.Allocs)
	if v.p.Allocs == 0 {
		left = "no allocation is left"
	}
	if v.p.Calls > 0 {
		left += " but for those of calls"
	}
	return fmt.Sprintf("%s; %s at %s is gone", left, what, place)
}

// list names the first few operations that went for a reason, without allocations.
func (v *verdict) list(reason string) string {
	const most = 3
	var list []string
	for _, g := range v.p.Gone {
		if g.Work && g.Reason == reason && !isAllocation(g) {
			if len(list) == most {
				list = append(list, "…")
				break
			}
			list = append(list, fmt.Sprintf("%s at %s (%s)", g.What, g.Place, g.Pass))
		}
	}
	return strings.Join(list, ", ")
}
