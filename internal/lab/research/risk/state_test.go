package risk

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// keptState are ways to keep something between calls: what is declared, and the body of V.
var keptState = []struct{ name, decl, body string }{
	{"variables", "var last string; var res int", "if s == last { return res }; last = s; res = work(s); return res"},
	{"fields", "var last struct { s string; n int }", "if s == last.s { return last.n }; last.s = s; last.n = work(s); return last.n"},
	{"fields at once", "var last struct { s string; n int }", "if s == last.s { return last.n }; last.s, last.n = s, work(s); return last.n"},
	{"a pointer to a struct", "var last = &struct { s string; n int }{}", "if s == last.s { return last.n }; last.s, last.n = s, work(s); return last.n"},
	{"the target of a pointer", "var last = new(string); var res int", "if s == *last { return len(s) }; *last = s; return work(s)"},
	{"an array", "var tab [256]int", "if tab[len(s)&255] != 0 { return tab[len(s)&255] }; r := work(s); tab[len(s)&255] = r; return r"},
	{"a map in a struct", "var st = struct{ m map[string]int }{map[string]int{}}", "if r, ok := st.m[s]; ok { return r }; r := work(s); st.m[s] = r; return r"},
	{"a local name of a map", "var m = map[string]int{}", "c := m; if r, ok := c[s]; ok { return r }; r := work(s); c[s] = r; return r"},
	{"a local pointer", "var last struct { s string; n int }", "l := &last; if s == l.s { return l.n }; l.s, l.n = s, work(s); return l.n"},
	{"copy", "var buf [64]byte; var res int", "if string(buf[:len(s)]) == s { return len(s) }; copy(buf[:], s); return work(s)"},
	{"a channel", "var ch = make(chan int, 1)", "select { case r := <-ch: ch <- r; return r; default: }; r := work(s); ch <- r; return r"},
	{"a method", "type lst struct { s string; n int }\nfunc (l *lst) put(s string, n int) { l.s, l.n = s, n }\nvar last lst", "if s == last.s { return last.n }; r := work(s); last.put(s, r); return r"},
	{"a function with a pointer", "type lst struct { s string; n int }\nfunc put(l *lst, s string, n int) { l.s, l.n = s, n }\nvar last lst", "if s == last.s { return last.n }; r := work(s); put(&last, s, r); return r"},
	{"a function", "type lst struct { s string; n int }\nfunc put(s string, n int) { last.s, last.n = s, n }\nvar last lst", "if s == last.s { return last.n }; r := work(s); put(s, r); return r"},
	{"a closure", "var memo = func() func(string) int { m := map[string]int{}; return func(s string) int { if r, ok := m[s]; ok { return r }; m[s] = work(s); return m[s] } }()", "return memo(s)"},
	{"a whole struct", "type lst struct { s string; n int }\nvar last lst", "if s == last.s { return last.n }; last = lst{s, work(s)}; return last.n"},
	{"elements that are pointers", "var ring = make([]*struct{s string; n int}, 4)", "for _, e := range ring { if e != nil && e.s == s { return e.n } }; r := work(s); e := ring[0]; if e == nil { e = &struct{s string; n int}{}; ring[0] = e }; e.s, e.n = s, r; return r"},

	{"a method by a local pointer", "type lst struct { s string; n int }\nfunc (l *lst) put(s string, n int) { l.s, l.n = s, n }\nvar last lst", "l := &last; if s == l.s { return l.n }; r := work(s); l.put(s, r); return r"},
	{"a method of an element", "type lst struct { s string; n int }\nfunc (l *lst) put(s string, n int) { l.s, l.n = s, n }\nvar ring = []*lst{{}}", "for _, l := range ring { if l.s == s { return l.n }; l.put(s, work(s)) }; return work(s)"},
	{"a method of a method", "type lst struct { s string; n int }\nfunc (l *lst) set(s string) { l.s = s }\nfunc (l *lst) put(s string, n int) { l.set(s); l.n = n }\nvar last lst", "if s == last.s { return last.n }; r := work(s); last.put(s, r); return r"},
	{"a pointer that a function hands out", "type lst struct { s string; n int }\nvar last lst\nfunc cell() *lst { return &last }", "l := cell(); if s == l.s { return l.n }; l.s, l.n = s, work(s); return l.n"},
	{"a local channel", "var ch = make(chan int, 1)", "c := ch; select { case r := <-c: c <- r; return r; default: }; r := work(s); c <- r; return r"},
	{"a channel in a struct", "var st = struct { ch chan int }{make(chan int, 1)}", "select { case r := <-st.ch: st.ch <- r; return r; default: }; r := work(s); st.ch <- r; return r"},
	{"copy to a local slice", "var buf = make([]byte, 64)", "b := buf[:len(s)&63]; if string(b) == s { return len(s) }; copy(b, s); return work(s)"},
	{"append to a part", "var buf = make([]byte, 64)", "if string(buf[:len(s)&63]) == s { return len(s) }; b := append(buf[:0], s...); _ = b; return work(s)"},
	{"a closure in the function", "var last struct { s string; n int }", "put := func(n int) { l := &last; l.s, l.n = s, n }; if s == last.s { return last.n }; r := work(s); put(r); return r"},
	{"a closure that a function makes", "func memoize() func(string) int { m := map[string]int{}; return func(s string) int { if r, ok := m[s]; ok { return r }; m[s] = work(s); return m[s] } }\nvar memo = memoize()", "return memo(s)"},
	{"a closure with a local name", "func memoize() func(string) int { m := map[string]int{}; return func(s string) int { c := m; if r, ok := c[s]; ok { return r }; c[s] = work(s); return c[s] } }\nvar memo = memoize()", "return memo(s)"},
	{"sync.Map by a local pointer", "var m sync.Map", "c := &m; if r, ok := c.Load(s); ok { return r.(int) }; r := work(s); c.Store(s, r); return r"},
	{"an atomic", "var last atomic.Pointer[string]", "if p := last.Load(); p != nil && *p == s { return len(s) }; last.Store(&s); return work(s)"},
	{"a buffer", "var buf bytes.Buffer", "if buf.String() == s { return len(s) }; buf.Reset(); buf.WriteString(s); return work(s)"},
	{"an interface", "type kept interface{ put(s string) }\ntype lst struct { s string }\nfunc (l *lst) put(s string) { l.s = s }\nvar last = &lst{}", "if s == last.s { return len(s) }; k := kept(last); k.put(s); return work(s)"},
}

const (
	stateHead = "package p\n\nimport (\n\t\"bytes\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ bytes.Buffer\nvar _ sync.Mutex\nvar _ atomic.Int32\n\n"
	stateWork = "\nfunc work(s string) int { n := 0; for i := range s { n += int(s[i]) }; return n }\n"
)

func statePackage(decl, body string) fstest.MapFS {
	return fstest.MapFS{"go.mod": {Data: []byte("module m\n\ngo 1.22\n")},
		"p.go": {Data: []byte(stateHead + decl + "\n\nfunc V(s string) int { " + body + " }\n" + stateWork)}}
}

// TestKeptState: what a call keeps for the next one is found, however it is written.
func TestKeptState(t *testing.T) {
	l := NewLinter("")
	parent := statePackage("", "return work(s)")
	for _, x := range keptState {
		r, found := lint(t, l, parent, statePackage(x.decl, x.body))
		if !slices.Contains(r.Labels, "cache") {
			t.Errorf("%s: %v", x.name, found)
		}
	}
}

// TestNotKept: tables that are only read, and memory of the call itself, are no kept state.
func TestNotKept(t *testing.T) {
	l := NewLinter("")
	for _, x := range []struct{ name, decl, body string }{
		{"a table", "var table = [256]int{1: 2}", "n := 0; for i := range s { n += table[s[i]] }; return n"},
		{"a table by a local name", "var table = map[string]int{\"a\": 1}", "c := table; return c[s] + work(s)"},
		{"a copy of a struct", "var zero struct { s string; n int }", "z := zero; z.s, z.n = s, work(s); return z.n"},
		{"a list of table entries", "var ring = []*int{new(int)}", "l := make([]*int, 2); l[0] = ring[0]; l[1] = new(int); return work(s)"},
		{"a local map", "", "m := map[string]int{}; m[s] = work(s); return m[s]"},
		{"a local closure", "", "n := 0; add := func(k int) { n += k }; add(work(s)); return n"},
		{"a copy of an array", "var first [4]byte", "b := first; copy(b[:], s); return work(s) + int(b[0]) - int(b[0])"},
		{"appending to a copy", "var head = []byte(\"x\")", "b := append([]byte(nil), head...); b = append(b, s...); return work(s) + len(b) - len(b)"},
	} {
		if r, found := lint(t, l, statePackage("", "return work(s)"), statePackage(x.decl, x.body)); slices.Contains(r.Labels, "cache") {
			t.Errorf("%s: %v", x.name, found)
		}
	}
}

// notBuilt are files that are not built here, or that are built like others.
var notBuilt = map[string]string{
	"zz_windows.go": "package %\n\nfunc onWindows() {}\n",
	"aa_plan9.go":   "package %\n\nfunc onPlan9() {}\n",
	"fuzz.go":       "//go:build gofuzz\n// +build gofuzz\n\npackage %\n\nfunc Fuzz(d []byte) int { return 0 }\n",
	"gen.go":        "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
	"other.go":      "//go:build !appengine\n\npackage %\n\nfunc other() {}\n",
}

// TestFilesNotBuilt: a file that is not built changes nothing that the lint finds in others, neither
// if both versions have it nor if only the candidate does.
func TestFilesNotBuilt(t *testing.T) {
	l := NewLinter("")
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		f := readFixture(t, file)
		_, want := lint(t, l, f.parent, f.candidate)
		for _, only := range []bool{false, true} {
			for _, name := range slices.Sorted(maps.Keys(notBuilt)) {
				parent, candidate := maps.Clone(f.parent), maps.Clone(f.candidate)
				with(candidate, name)
				if !only {
					with(parent, name)
				}
				_, got := lint(t, l, parent, candidate)
				got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, name) })
				if !slices.Equal(got, want) {
					t.Errorf("%s with %s (only the candidate: %v): %v, want %v", file, name, only, got, want)
				}
			}
		}
	}
}

// with adds a file of notBuilt to each package of a tree.
func with(m fstest.MapFS, name string) {
	packages := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(m)) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for line := range strings.Lines(string(m[file].Data)) {
			if p, ok := strings.CutPrefix(line, "package "); ok {
				packages[path.Dir(file)] = strings.Fields(p)[0]
				break
			}
		}
	}
	for dir, p := range packages {
		m[path.Join(dir, name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(notBuilt[name], "%", p))}
	}
}
