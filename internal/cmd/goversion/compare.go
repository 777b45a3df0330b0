package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Finding is one difference that gyr may have to follow.
type Finding struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Mark string `json:"mark"` // hash of the thing as it is now, so that an explanation holds for one difference
	Pos  string `json:"pos"`  // file:line in the new installation; in the old one if the thing is gone
	Text string `json:"text"`
	Ours string `json:"ours,omitempty"` // what gyr lacks, as far as its sources tell

	Explained string `json:"explained,omitempty"`

	now string // what the mark is made of
}

// An item is a thing in one installation.
type item struct {
	text string
	pos  string
}

// items are things by name.
type items map[string]item

// A comparison collects the differences between two installations.
type comparison struct {
	old, new *install
	ours     *ours
	findings []Finding
}

// A kind is one sort of finding.
type kind struct {
	name    string
	compare func(*comparison)
	what    string // what it compares
}

// kinds are in the order in which findings are printed.
var kinds = []kind{
	{"gomod", func(c *comparison) { c.diff("gomod", c.old.modules(), c.new.modules(), nil) },
		"language version of std, and versions of the modules vendored into it"},
	{"package", comparePackages,
		"packages of go list std for wasip1/wasm; each that programs import needs a layer"},
	{"experiment", compareExperiments,
		"flags of GOEXPERIMENT, and which are on for wasip1/wasm"},
	{"tag", compareTags,
		"words in //go:build lines"},
	{"directive", compareDirectives,
		"//go: directives"},
	{"godebug", func(c *comparison) { c.diff("godebug", c.old.godebugs(), c.new.godebugs(), nil) },
		"settings of GODEBUG, and those that were removed"},
	{"export", compareExports,
		"exported declarations of the packages that gyr replaces whole"},
	{"pull", comparePulls,
		"functions and variables that std declares and leaves to the runtime or to assembly"},
	{"push", comparePushes,
		"functions that std gives to the packages that gyr replaces, and those that gyr's own expect of it"},
	{"handle", compareHandles,
		"symbols that programs may take by go:linkname, and those of docs/linknames.md"},
	{"builtin", compareBuiltins,
		"functions of the runtime that compiled code calls"},
	{"wasmimport", compareImports,
		"system calls of wasip1"},
	{"layout", compareLayouts,
		"structs and interfaces in memory, with offsets for wasm: those of internal/abi and internal/runtime/maps, and a few of others"},
	{"const", compareConsts,
		"constants of internal/abi and internal/runtime/maps"},
	{"target", compareTargets,
		"functions, types and variables of std that gyr's sources name, intrinsics first of all"},
	{"answer", compareAnswers,
		"declarations that answers replace"},
	{"body", compareBodies,
		"functions of packages that compiled code calls, or that know of the runtime's memory"},
	{"file", compareFiles,
		"files that are for wasip1 or wasm alone"},
	{"mirror", compareMirrors,
		"declarations that gyr repeats in its own words"},
	{"text", compareTexts,
		"what the runtime says when a program ends"},
	{"compile", compareCompile,
		"gyr's own Go sources, type-checked with the new std"},
	{"syntax", compareSyntax,
		"files of the new installation that the Go that built this command cannot parse"},
}

// compare returns all findings, in a stable order.
func compare(older, newer *install, ours *ours) []Finding {
	c := &comparison{old: older, new: newer, ours: ours}
	for _, k := range kinds {
		k.compare(c)
	}
	rank := map[string]int{}
	for i, k := range kinds {
		rank[k.name] = i
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(a.Name, b.Name))
	})
	for i := range c.findings {
		f := &c.findings[i]
		f.Mark = fmt.Sprintf("%x", sha256.Sum256([]byte(f.now)))[:6]
	}
	return c.findings
}

// diff adds a finding for each thing that is new, gone or changed. lacking says what gyr lacks of a
// new or changed thing.
func (c *comparison) diff(kind string, was, is items, lacking func(name string, now item) string) {
	names := slices.Collect(maps.Keys(was))
	for name := range is {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		w, before := was[name]
		n, after := is[name]
		f := Finding{Kind: kind, Name: name, Pos: n.pos, now: n.text}
		switch {
		case before && after && w.text == n.text:
			continue
		case !before:
			f.Text = "new: " + n.text
		case !after:
			f.Pos, f.Text = w.pos, "gone: was "+w.text
		default:
			f.Text = "was " + w.text + ", is " + n.text
		}
		if after && lacking != nil {
			f.Ours = lacking(name, n)
		}
		f.Text = shorten(f.Text)
		c.findings = append(c.findings, f)
	}
}

// diffCode is diff for things whose text is not shown.
func (c *comparison) diffCode(kind string, was, is items, lacking func(name string, now item) string) {
	at := len(c.findings)
	c.diff(kind, was, is, lacking)
	for i := range c.findings[at:] {
		f := &c.findings[at+i]
		switch {
		case strings.HasPrefix(f.Text, "new: "):
			f.Text = "new"
		case strings.HasPrefix(f.Text, "gone: "):
			f.Text = "gone"
		default:
			f.Text = "changed: read it"
		}
	}
}

const maxText = 300

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}

// compareSyntax reports files that do not parse. It runs late because other comparisons parse more
// files.
func compareSyntax(c *comparison) {
	known := map[string]bool{}
	for _, f := range c.old.broken {
		known[f.Name] = true
	}
	for _, f := range c.new.broken {
		if !known[f.Name] {
			c.findings = append(c.findings, f)
		}
	}
}
