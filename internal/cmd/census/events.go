package main

import (
	"encoding/json"
	"strings"
)

// A ran is the result of a test command for a package.
type ran struct {
	tests  tests
	output map[string]string // the first lines of each test
	build  string            // why it does not compile
	end    string            // the package's last lines that belong to no test
	ended  bool              // whether the package has a result
}

// parseEvents reads the events of go test -json.
func parseEvents(b []byte) map[string]*ran {
	all := map[string]*ran{}
	of := func(path string) *ran {
		path, _, _ = strings.Cut(path, " ") // of a build: "path [path.test]"
		r := all[path]
		if r == nil {
			r = &ran{tests: tests{}, output: map[string]string{}}
			all[path] = r
		}
		return r
	}
	builds := map[string]string{} // output by build
	for _, line := range splitLines(b) {
		var e struct {
			Action, Package, ImportPath, Test, Output, FailedBuild string
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch {
		case e.Action == "build-output":
			builds[e.ImportPath] += e.Output
		case e.Package == "":
		case e.Test == "":
			r := of(e.Package)
			switch e.Action {
			case "output":
				r.end = r.end[max(0, len(r.end)-maxOutput):] + e.Output
			case "pass", "fail", "skip":
				r.ended = true
			}
			if e.Action == "fail" && e.FailedBuild != "" {
				if r.build = firstLines([]byte(builds[e.FailedBuild]), 4); r.build == "" {
					r.build = "it does not compile, and nothing says why"
				}
			}
		case e.Action == "output":
			test, _, _ := strings.Cut(e.Test, "/") // a subtest counts with its test
			keep(of(e.Package).output, test, e.Output)
		case strings.Contains(e.Test, "/"):
		case e.Action == "pass", e.Action == "fail", e.Action == "skip":
			of(e.Package).tests[e.Test] = e.Action
		}
	}
	return all
}

// maxOutput is how much of an output is kept.
const maxOutput = 1500

// keep appends to the output of a test. The first lines matter, except for lines that say nothing
// about a failure.
func keep(m map[string]string, test, output string) {
	t := strings.TrimSpace(output)
	for _, p := range []string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS"} {
		if strings.HasPrefix(t, p) {
			return
		}
	}
	if len(m[test]) < maxOutput {
		m[test] += output
	}
}
