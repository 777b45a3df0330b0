package risk

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Diff is a change of a tree.
type Diff struct {
	Parent, Candidate fs.FS    // at the roots
	Files             []string // changed, new and removed files, with slashes, from the root
}

// A Report holds the lint's findings about a change.
type Report struct {
	Findings []ledger.Finding    // by file, line and rule
	Labels   []string            // sorted labels, of the findings' rules and of features that changed code uses
	Checks   []string            // sorted checks that these ask for
	State    map[string][]string // package variables that a function writes to and did not before, by directory
}

// Blocking reports whether a finding refuses the change.
func (r *Report) Blocking() bool {
	return slices.ContainsFunc(r.Findings, func(f ledger.Finding) bool { return f.Blocking })
}

// A hit is a finding of a rule in one version.
type hit struct {
	pos token.Pos
	// where names the place without its line, so that a hit of the parent is recognised in the
	// candidate.
	where string
	text  string
	state string // of global-state: the variable that is written to
}

// A change is the input of rules: the two versions of one package. One of them may have no files.
type change struct {
	old, new *pkg
	files    []string // changed files of the package
}

// Lint reads a change. Its error is about reading files, or about a fault of the lint itself: code
// written by others must not end the whole session. Code that does not parse is skipped.
func (l *Linter) Lint(d Diff) (r *Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("internal error of the risk lint: %v\n%s", p, debug.Stack())
		}
	}()
	return l.lint(d)
}

func (l *Linter) lint(d Diff) (*Report, error) {
	parent, candidate := l.readSource(d.Parent), l.readSource(d.Candidate)
	byDir := map[string][]string{}
	r := &Report{State: map[string][]string{}}
	labels, checks := map[string]bool{}, map[string]bool{}
	add := func(rule Rule, f ledger.Finding) {
		f.Rule, f.Blocking = rule.Name, rule.Blocking
		r.Findings = append(r.Findings, f)
		labels[rule.Label] = true
		for _, c := range rule.Checks {
			checks[c] = true
		}
	}
	for _, name := range d.Files {
		switch {
		case strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, ".go"):
			byDir[path.Dir(name)] = append(byDir[path.Dir(name)], name)
		default:
			for _, rule := range rules {
				if rule.file != nil {
					text, err := candidate.readFile(name)
					if err != nil {
						return nil, err
					}
					if message := rule.file(name, text); message != "" {
						add(rule, ledger.Finding{File: name, Line: 1, Message: message})
					}
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		c := &change{files: byDir[dir]}
		var err error
		if c.old, err = parent.load(dir); err != nil {
			return nil, err
		}
		if c.new, err = candidate.load(dir); err != nil {
			return nil, err
		}
		for _, rule := range rules {
			for _, h := range rule.hits(c) {
				at := l.fset.Position(h.pos)
				add(rule, ledger.Finding{File: at.Filename, Line: at.Line, Message: h.text})
				if h.state != "" && !slices.Contains(r.State[dir], h.state) {
					r.State[dir] = append(r.State[dir], h.state)
				}
			}
		}
		for _, u := range used(c) {
			labels[u.label] = true
			for _, name := range u.checks {
				checks[name] = true
			}
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b ledger.Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule))
	})
	r.Findings = slices.CompactFunc(r.Findings, func(a, b ledger.Finding) bool { return a == b })
	r.Labels, r.Checks = slices.Sorted(maps.Keys(labels)), slices.Sorted(maps.Keys(checks))
	return r, nil
}

// hits are the hits of a rule in the candidate that the parent does not have.
func (rule *Rule) hits(c *change) []hit {
	var list []hit
	if rule.function != nil {
		for _, f := range c.changed() {
			var before []hit
			if old := c.old.funcs[f.key]; old != nil {
				before = rule.function(old)
			}
			list = append(list, fresh(before, rule.function(f))...)
		}
	}
	if rule.pair != nil {
		for _, f := range c.changed() {
			if old := c.old.funcs[f.key]; old != nil {
				list = append(list, rule.pair(old, f)...)
			}
		}
	}
	if rule.pkg != nil {
		list = append(list, fresh(rule.pkg(c.old, c.files), rule.pkg(c.new, c.files))...)
	}
	if rule.change != nil {
		list = append(list, rule.change(c)...)
	}
	return list
}

// changed are the functions of the candidate whose code is new or different, in file order.
func (c *change) changed() []*function {
	var list []*function
	for _, key := range slices.Sorted(maps.Keys(c.new.funcs)) {
		f := c.new.funcs[key]
		if !slices.Contains(c.files, f.file) {
			continue
		}
		if old := c.old.funcs[key]; old == nil || old.text != f.text {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *function) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return list
}

// fresh are the hits in after that before does not have, as often as they are additional.
func fresh(before, after []hit) []hit {
	count := map[string]int{}
	for _, h := range before {
		count[h.where]++
	}
	var list []hit
	for _, h := range after {
		if count[h.where] > 0 {
			count[h.where]--
			continue
		}
		list = append(list, h)
	}
	return list
}

// hitAt makes a hit. The code at the place names the place.
func (p *pkg) hitAt(n ast.Node, format string, args ...any) hit {
	text := fmt.Sprintf(format, args...)
	where := text
	if e, ok := n.(ast.Expr); ok {
		where += " " + p.expr(e)
	}
	return hit{pos: n.Pos(), where: where, text: text}
}
