package research

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// Some answers change although nothing else does: by the order of a map, the time, or the order of
// goroutines. If they have the same elements in each of the parent's runs, the elements are compared.
// Otherwise they are left out. The row says which functions have such answers.
//
// An answer that is the same in a few runs may still be one of those. So the functions that differ
// run again before a candidate is refused. If their answers to other inputs change, they run as often
// as it takes.

// settledRuns is how often both versions run again if answers change. Two of the parent's runs and
// one of the candidate's come before. If both versions choose their answers alike, then one in 24,310
// times all of the parent's runs differ from all of the candidate's.
const settledRuns = 7

// confirmations is how often both versions run again before a difference refuses the candidate.
func (p *probed) confirmations(effort string) int {
	if effort == effortThorough {
		return settledRuns
	}
	for _, d := range p.refusing() {
		if changing, _, _ := p.spread(p.reportsOf(d.name, d.key)); changing > 0 {
			return settledRuns
		}
	}
	return confirmRuns
}

// reportsOf are the reports that show a difference of a function.
func (p *probed) reportsOf(name, key string) func(*version) []probe.Case {
	return func(v *version) []probe.Case {
		switch {
		case key == probe.Benches:
			return casesOf(v.bench[name], cases)
		case key == probe.Tests:
			return casesOf(v.tests[name], cases)
		case isPart(key):
			return casesOf(v.parts[key], cases)
		}
		return casesOf(v.calls[name], cases)
	}
}

// spread counts the inputs for which the answers of a version's runs differ: all of them, and those
// whose answers have the same elements in all runs.
func (p *probed) spread(of func(*version) []probe.Case) (changing, elements, all int) {
	for _, runs := range [][]*version{p.before, p.now} {
		for _, list := range answers(runs, 2, of) {
			all++
			for i := range list[0] {
				if _, settled := stepOf(list, i); !settled {
					changing++
					if _, same := elementsOf(list, i); same {
						elements++
					}
					break
				}
			}
		}
	}
	return changing, elements, all
}

// changing says which functions have answers that change, and what became of these.
func (p *probed) changing() (notes []string) {
	for _, name := range append(slices.Clone(p.surface), p.inner...) {
		var changing, elements, all int
		for _, key := range append([]string{name, probe.Benches, probe.Tests}, partsOf(name)...) {
			c, e, a := p.spread(p.reportsOf(name, key))
			changing, elements, all = changing+c, elements+e, all+a
		}
		if changing == 0 {
			continue
		}
		text := fmt.Sprintf("%s: %d of %d answers change from run to run: ", p.label(name), changing, all)
		switch {
		case elements == 0:
			text += "left out"
		case elements == changing:
			text += "only their elements are compared, in any order"
		default:
			text += fmt.Sprintf("of %d only the elements are compared, in any order, the others are left out", elements)
		}
		notes = append(notes, text)
	}
	return notes
}

func partsOf(name string) (keys []string) {
	for _, part := range probeParts {
		keys = append(keys, part+" "+name)
	}
	return keys
}

// differentElements describes a step at which the parent's answers change and have the same elements
// in all runs, and all of the candidate's have others; empty if it is none.
func differentElements(before, now [][]string, i int, args []string) string {
	want, same := elementsOf(before, i)
	if !same || probe.Undefined(want) {
		return ""
	}
	for _, steps := range now {
		if i >= len(steps) || elements(steps[i]) == want {
			return ""
		}
	}
	a, b := around(want, elements(now[0][i]))
	return fmt.Sprintf("of %.200s gives, in any order, %s, the parent's %s", lastSteps(args[:i+1]), b, a)
}

// elementsOf are the elements of all runs' answers at a step; same reports whether they agree.
func elementsOf(runs [][]string, i int) (want string, same bool) {
	for k, steps := range runs {
		if i >= len(steps) || k > 0 && elements(steps[i]) != want {
			return "", false
		}
		want = elements(steps[i])
	}
	return want, true
}

// elements are the words of an answer in the order of the alphabet. A quoted text is one word.
func elements(answer string) string {
	count := map[string]int{}
	quoted, escaped, start := false, false, 0
	end := func(i int) {
		if i > start {
			count[answer[start:i]]++
		}
	}
	for i, c := range answer {
		switch {
		case quoted:
			quoted, escaped = c != '"' || escaped, c == '\\' && !escaped
		case c == '"':
			quoted = true
		case unicode.IsSpace(c) || strings.ContainsRune("[]{}(),;", c):
			end(i)
			start = i + 1
		}
	}
	end(len(answer))
	var words []string
	for _, w := range slices.Sorted(maps.Keys(count)) {
		for range count[w] {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
