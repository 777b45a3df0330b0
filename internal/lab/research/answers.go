package research

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// answersOtherwise is the check "differential". The calls of the probe come first, then those of
// benchmarks and tests, then the parts of the probe that derive inputs and disturb memory.
func answersOtherwise(p *probed) (list []difference) {
	names := append(slices.Clone(p.surface), p.inner...)
	add := func(name, key, where, text string) {
		if text != "" {
			inside := !slices.Contains(p.surface, name) && p.compensated(name)
			list = append(list, difference{name, key, inside, p.label(name) + where + text})
		}
	}
	for _, name := range names {
		if how := p.now[0].stuck[name]; how != "" {
			add(name, name, " ", how+", the parent's does not")
		} else {
			add(name, name, " ", p.differs(called(name, cases)))
		}
	}
	// Calls by the package's benchmarks and tests.
	for _, by := range []struct {
		who   string
		calls func(*version) map[string]*probe.Report
	}{
		{probe.Benches, func(v *version) map[string]*probe.Report { return v.bench }},
		{probe.Tests, func(v *version) map[string]*probe.Report { return v.tests }},
	} {
		for _, name := range sortedKeys(by.calls(p.now[0])) {
			of := cases
			if !p.exported[name] {
				of = func(r *probe.Report) []probe.Case { return r.Direct }
			}
			text := p.differs(func(v *version) []probe.Case { return casesOf(by.calls(v)[name], of) })
			if text != "" {
				list = append(list, difference{name, by.who, false, fmt.Sprintf("%s, as %s call it, %s", p.label(name), by.who, text)})
			}
		}
	}
	for _, key := range sortedKeys(p.raced) {
		name := strings.TrimPrefix(key, probe.Concurrent+" ")
		list = append(list, difference{name, key, false, p.label(name) + ", " + partText(probe.Concurrent, name) + ", " + p.raced[key] + "; the parent's does not"})
	}
	for _, name := range names {
		for _, part := range probeParts {
			key, where := part+" "+name, ", "+partText(part, name)+", "
			if how := p.now[0].stuck[key]; how != "" {
				add(name, key, where, how+", the parent's does not")
			} else if text := p.races(key); text != "" {
				add(name, key, where, text)
			} else {
				add(name, key, where, p.differs(func(v *version) []probe.Case { return casesOf(v.parts[key], cases) }))
			}
		}
	}
	return list
}

// races describes a wrong answer to one of several goroutines, if no run of the parent has one. One
// run of the candidate is enough: others may have had luck.
func (p *probed) races(key string) string {
	for _, v := range p.before {
		if r := v.parts[key]; r == nil || r.Races != "" || r.Unsupported != "" {
			return ""
		}
	}
	for _, v := range p.now {
		if r := v.parts[key]; r != nil && r.Races != "" {
			return r.Races
		}
	}
	return ""
}

// probeParts are the parts of a function's examination, as the probe names them.
var probeParts = []string{probe.Derived, probe.Disturbed, probe.Failing, probe.Concurrent}

var partTexts = map[string]string{
	probe.Derived:    "with an input like those of benchmarks and tests",
	probe.Disturbed:  "with memory that changes between calls",
	probe.Failing:    "with arguments that fail",
	probe.Concurrent: "called by several goroutines",
}

// partText says how a part calls a function, or the methods of a type.
func partText(part, name string) string {
	if part == probe.Concurrent && strings.HasPrefix(name, "type ") {
		return "with methods called by several goroutines"
	}
	return partTexts[part]
}

func cases(r *probe.Report) []probe.Case { return r.Cases }

// called returns the cases of a function in a run.
func called(name string, of func(*probe.Report) []probe.Case) func(*version) []probe.Case {
	return func(v *version) []probe.Case { return casesOf(v.calls[name], of) }
}

func casesOf(r *probe.Report, of func(*probe.Report) []probe.Case) []probe.Case {
	if r == nil {
		return nil
	}
	return of(r)
}

// answers are the answers of a version's runs, by inputs. Each run has a list of steps. A run
// without any answer ended early, perhaps by the order of goroutines, and does not count. At least
// least other runs are needed. Inputs that one of them did not reach are left out.
func answers(runs []*version, least int, of func(*version) []probe.Case) map[string][][]string {
	outs, seen, ran := map[string][][]string{}, map[string]int{}, 0
	for _, v := range runs {
		list := of(v)
		if len(list) == 0 {
			continue
		}
		for _, c := range list {
			outs[c.Args] = append(outs[c.Args], strings.Split(c.Out, probe.Then))
			seen[c.Args] |= 1 << ran
		}
		ran++
	}
	maps.DeleteFunc(outs, func(args string, _ [][]string) bool { return ran < least || seen[args] != 1<<ran-1 })
	return outs
}

// differs describes a case in which the candidate's runs answer differently from the parent's;
// empty if there is none.
func (p *probed) differs(of func(*version) []probe.Case) string {
	most := func(runs int) int { return runs/2 + 1 }
	var order []probe.Case
	for _, v := range p.now {
		if order = of(v); len(order) > 0 {
			break
		}
	}
	return differing(answers(p.before, max(2, most(len(p.before))), of), answers(p.now, most(len(p.now)), of), order)
}

// differing describes a case in which the candidate answers differently; empty if there is none. A
// case counts up to the first step where the parent's runs disagree, or where only some of the
// candidate's runs give the parent's answer. There the order of goroutines decides, and the rest of
// the sequence is another one.
func differing(parent, candidate map[string][][]string, order []probe.Case) string {
	for _, c := range order {
		before, now := parent[c.Args], candidate[c.Args]
		if len(before) == 0 || len(now) == 0 {
			continue
		}
		args := strings.Split(c.Args, probe.Then)
		for i := range args {
			want, settled := stepOf(before, i)
			if !settled {
				if text := differentElements(before, now, i, args); text != "" {
					return text
				}
				break
			}
			if probe.Undefined(want) {
				break // results of misuse are no promise
			}
			equal := 0
			for _, steps := range now {
				if i < len(steps) && steps[i] == want {
					equal++
				}
			}
			if equal == len(now) {
				continue
			}
			if equal > 0 || i >= len(now[0]) {
				break
			}
			how := fmt.Sprintf("of %.200s", args[i])
			if len(args) > 1 {
				how = "after " + lastSteps(args[:i+1])
			}
			a, b := around(want, now[0][i])
			return fmt.Sprintf("%s gives %s, the parent's %s", how, b, a)
		}
	}
	return ""
}

// lastSteps are the last steps of a sequence, the end of which says most.
func lastSteps(steps []string) string {
	const most, each = 5, 70
	text := ""
	if len(steps) > most {
		text, steps = "… ", steps[len(steps)-most:]
	}
	for i, s := range steps {
		if i > 0 {
			text += " "
		}
		if len(s) > 300/len(steps) && len(s) > each {
			s = strings.ToValidUTF8(s[:max(each, 300/len(steps))], "") + "…"
		}
		text += s
	}
	return text
}

// stepOf is the answer of all runs at a step; settled reports whether they agree. Misuse of a function
// is like other misuse.
func stepOf(runs [][]string, i int) (answer string, settled bool) {
	for k, steps := range runs {
		if i >= len(steps) || k > 0 && steps[i] != answer && !(probe.Undefined(steps[i]) && probe.Undefined(answer)) {
			return "", false
		}
		answer = steps[i]
	}
	return answer, true
}

// around cuts two texts from a little before their first difference on.
func around(a, b string) (string, string) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	const before, most = 40, 160
	if i <= before {
		return fmt.Sprintf("%.*s", most, a), fmt.Sprintf("%.*s", most, b)
	}
	i -= before
	return fmt.Sprintf("…%.*s", most, strings.ToValidUTF8(a[i:], "")), fmt.Sprintf("…%.*s", most, strings.ToValidUTF8(b[i:], ""))
}
