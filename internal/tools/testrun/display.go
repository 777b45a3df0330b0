package testrun

import (
	"fmt"
	"io"
	"time"
)

// A display shows what a test binary prints, and the verdict on its package.
type display struct {
	*job
	sink io.Writer  // for the binary's output
	conv *converter // with JSON
	kept spool      // without JSON: shown only if the package fails
}

func newDisplay(j *job) *display {
	d := &display{job: j}
	switch {
	case j.o.JSON:
		d.conv = newConverter(&j.out, j.Path)
		d.sink = d.conv
	case j.o.direct() || j.o.showPass():
		d.sink = &j.out
	default:
		d.sink = &d.kept
	}
	return d
}

// close discards what was not shown.
func (d *display) close() { d.kept.close() }

// reveal shows what was kept.
func (d *display) reveal() {
	if d.conv == nil {
		d.kept.open(&d.out)
	}
}

// say prints a line of the runner.
func (d *display) say(format string, args ...any) {
	if d.conv != nil {
		d.conv.printf(format, args...)
	} else {
		fmt.Fprintf(&d.out, format, args...)
	}
}

// fail says that the package failed. A note may follow.
func (d *display) fail(took time.Duration, note string) verdict {
	d.reveal()
	d.say("FAIL\t%s\t%.3fs\n", d.Path, took.Seconds())
	if note != "" {
		d.say("%s", note)
	}
	if d.conv != nil {
		d.conv.finish("fail", took, "")
	}
	return failed
}

// pass says that the package passed; the line has shown in place of the time.
func (d *display) pass(took time.Duration, shown string, r *result) verdict {
	note := ""
	if d.covers != "" && !d.o.direct() {
		note = "\t" + d.covers
	}
	if r.NoTests {
		note += " [no tests to run]"
	}
	d.say("ok  \t%s\t%s%s\n", d.Path, shown, note)
	if d.conv != nil {
		action := "pass"
		if d.conv.verdict == "skip" {
			action = "skip"
		}
		d.conv.finish(action, took, "")
	}
	return passed
}
