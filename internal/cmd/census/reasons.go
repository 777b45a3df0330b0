package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed reasons.txt
var reasonsText string

// A reason says why something cannot be as with go.
type reason struct {
	name, text string
	claims     []*claim
}

// A claim is a line below a reason that says what it explains.
type claim struct {
	kind string // test, prints, skips, build, late or module
	path string // path of a package or module; with a final /... also everything below it
	re   *regexp.Regexp
	line int
	used bool
}

// parseReasons parses reasons. A line at the margin begins one: a name, a colon and a sentence. The
// indented lines below it say what it explains:
//
//	test PACKAGE RE   the tests of the package whose whole names match RE
//	prints RE         tests with output that matches RE
//	skips RE          tests that skip themselves with output that matches RE
//	build PACKAGE     that the package does not compile
//	late PACKAGE      that the package has no result within the limit of time
//	module MODULE     that nothing of the module was measured
//
// PACKAGE and MODULE are paths without versions. A final /... includes everything below the path. A
// line that begins with # is a comment.
func parseReasons(text string) ([]*reason, error) {
	var list []*reason
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\n")
		if line == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			name, sentence, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("line %d: not a name, a colon and a sentence", n)
			}
			list = append(list, &reason{name: name, text: sentence})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("line %d: there is no reason above it", n)
		}
		c, err := parseClaim(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.line = n
		r := list[len(list)-1]
		r.claims = append(r.claims, c)
	}
	return list, nil
}

func parseClaim(line string) (c *claim, err error) {
	kind, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	c = &claim{kind: kind}
	switch kind {
	case "prints", "skips":
		c.re, err = regexp.Compile(rest)
	case "test":
		path, re, _ := strings.Cut(rest, " ")
		c.path = path
		c.re, err = regexp.Compile("^(?:" + strings.TrimSpace(re) + ")$")
	case "build", "late", "module":
		c.path = rest
	default:
		return nil, fmt.Errorf("unknown kind %q", kind)
	}
	if err == nil && rest == "" {
		err = fmt.Errorf("%s what?", kind)
	}
	return c, err
}

func (c *claim) matchesPath(path string) bool {
	if above, ok := strings.CutSuffix(c.path, "/..."); ok {
		return path == above || strings.HasPrefix(path, above+"/")
	}
	return path == c.path
}

// find returns the first reason with a claim of a kind for which right returns true, or nil.
func find(list []*reason, kind string, right func(*claim) bool) *reason {
	for _, r := range list {
		for _, c := range r.claims {
			if c.kind == kind && right(c) {
				c.used = true
				return r
			}
		}
	}
	return nil
}

// ofPath returns the reason for a claim of kind build, late or module.
func ofPath(list []*reason, kind, path string) *reason {
	return find(list, kind, func(c *claim) bool { return c.matchesPath(path) })
}

// ofTest returns the reason why a test of a package is lost. A claim with its name precedes claims
// about its output. A test that did not end has the reason of the test that ended the package, or
// the one for the package's last output.
func ofTest(list []*reason, p *packageResult, name string) *reason {
	if r := ofOutput(list, p, name); r != nil {
		return r
	}
	outcomes := p.outcomes()
	if outcomes[name] != "" {
		return nil
	}
	for _, other := range sortedKeys(p.Lost) {
		if outcomes[other] == "fail" && endsPackage.MatchString(p.Lost[other]) {
			if r := ofOutput(list, p, other); r != nil {
				return r
			}
		}
	}
	if r := find(list, "prints", func(c *claim) bool { return c.re.MatchString(p.End) }); r != nil {
		return r
	}
	if p.Late == "gyr" {
		return ofPath(list, "late", p.Path)
	}
	return nil
}

var endsPackage = regexp.MustCompile(`(?m)^\s*(panic: |fatal error: |memory limit of )`)

func ofOutput(list []*reason, p *packageResult, name string) *reason {
	r := find(list, "test", func(c *claim) bool { return c.matchesPath(p.Path) && c.re.MatchString(name) })
	if r == nil {
		r = find(list, "prints", func(c *claim) bool { return c.re.MatchString(p.Lost[name]) })
	}
	if r == nil && p.outcomes()[name] == "skip" {
		r = find(list, "skips", func(c *claim) bool { return c.re.MatchString(p.Lost[name]) })
	}
	return r
}
