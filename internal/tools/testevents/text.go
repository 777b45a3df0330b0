package testevents

import (
	"io"
	"regexp"
)

// progressLine matches the lines of the testing package that only -v shows.
var progressLine = regexp.MustCompile(`(?m)^=== (RUN|PAUSE|CONT|NAME) .*\n`)

// Text writes what gyr test prints for a package without -json: with verbose all output; otherwise the
// output of tests that failed, and what belongs to no test.
func (p *Package) Text(out, errout io.Writer, verbose bool) error {
	if _, err := io.WriteString(errout, p.Build); err != nil {
		return err
	}
	text := ""
	for _, t := range p.Tests {
		switch {
		case verbose:
			text += t.Output
		case t.Verdict == "fail" || t.Verdict == "bench" || t.Verdict == "":
			text += t.quiet()
		}
	}
	_, err := io.WriteString(out, text+p.tail(verbose))
	return err
}

// outcomeLine matches the line with the outcome of a test.
var outcomeLine = regexp.MustCompile(`(?m)^ *--- (FAIL|PASS|SKIP|BENCH): .*\n`)

// quiet is the output of a test as it is without -v: the line with the outcome comes before the log.
func (t *Test) quiet() string {
	log := progressLine.ReplaceAllString(t.Output, "")
	line := outcomeLine.FindString(log)
	return line + outcomeLine.ReplaceAllString(log, "")
}

// tail is the output that belongs to no test. The PASS of a package that passes is shown with -v only.
func (p *Package) tail(verbose bool) string {
	if verbose || p.Failed() {
		return p.Output
	}
	return passLine.ReplaceAllString(p.Output, "")
}

var passLine = regexp.MustCompile(`(?m)^PASS\n`)
