package testrun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An event is one line of the output of -json, in the form that go doc test2json describes. The
// events of builds are buildjson.Event.
type event struct {
	Time        *time.Time `json:",omitempty"`
	Action      string
	Package     string   `json:",omitempty"`
	Test        string   `json:",omitempty"`
	Elapsed     *float64 `json:",omitempty"`
	Output      *string  `json:",omitempty"`
	FailedBuild string   `json:",omitempty"`
}

// marker begins the lines of the testing package in a binary that runs with
// -test.v=test2json.
const marker = 0x16

// A converter reads the output of a test binary and writes events. The lines of the testing package
// begin with the marker. A test's output may end without a newline before such a line.
type converter struct {
	w    io.Writer
	pkg  string
	now  func() time.Time
	line []byte

	test    string // the test that prints now
	results []told // reported results that may still get output: a test and the tests around it
	verdict string // pass, fail or skip, of the package
	bad     bool   // a write failed
}

// A told is the outcome of a test. It is reported when the test's output is over.
type told struct {
	test, action string
	elapsed      float64
}

func newConverter(w io.Writer, pkg string) *converter {
	c := &converter{w: w, pkg: pkg, now: time.Now}
	c.emit(event{Action: "start"})
	return c
}

func (c *converter) emit(e event) {
	now := c.now()
	e.Time, e.Package = &now, c.pkg
	b, err := json.Marshal(e)
	if err == nil {
		_, err = c.w.Write(append(b, '\n'))
	}
	c.bad = c.bad || err != nil
}

// output emits text of the current test.
func (c *converter) output(text string) {
	if text != "" {
		c.emit(event{Action: "output", Test: c.test, Output: &text})
	}
}

// maxLine is how much of an endless line is kept.
const maxLine = 4096

func (c *converter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		m := bytes.IndexByte(p, marker)
		switch {
		case m > 0 && (i < 0 || m < i):
			c.line = append(c.line, p[:m]...)
			p = p[m:]
			c.endLine()
			continue
		case m == 0 && len(c.line) > 0:
			c.endLine()
		}
		if i < 0 {
			c.line = append(c.line, p...)
			p = nil
			for len(c.line) > maxLine && c.line[0] != marker {
				k := maxLine
				for k > maxLine-utf8.UTFMax && !utf8.RuneStart(c.line[k]) {
					k--
				}
				c.output(string(c.line[:k]))
				c.line = append(c.line[:0], c.line[k:]...)
			}
			break
		}
		c.line = append(c.line, p[:i+1]...)
		p = p[i+1:]
		c.endLine()
	}
	return n, nil
}

// endLine handles c.line: a line, or the part of a line before a marker.
func (c *converter) endLine() {
	line := string(c.line)
	c.line = c.line[:0]
	text, framed := strings.CutPrefix(line, string(rune(marker)))
	if !framed || !c.framework(text) {
		c.output(text)
	}
}

var updates = map[string]string{"RUN": "run", "PAUSE": "pause", "CONT": "cont", "NAME": ""}
var outcomes = map[string]string{"PASS": "pass", "FAIL": "fail", "SKIP": "skip", "BENCH": "bench"}

// framework handles a line of the testing package; it returns false for another line.
func (c *converter) framework(line string) bool {
	text := strings.TrimSuffix(line, "\n")
	if v, ok := outcomes[text]; ok && text != "BENCH" {
		c.flush(0)
		c.test, c.verdict = "", v
		c.output(line)
		return true
	}
	if rest, ok := strings.CutPrefix(text, "=== "); ok {
		kind, name, _ := strings.Cut(rest, " ")
		action, known := updates[kind]
		name = strings.TrimSpace(name)
		if !known || name == "" && action != "" {
			return false
		}
		c.flush(0)
		c.test = name
		switch action {
		case "": // says only which test's output follows
		case "pause":
			c.output(line)
			c.emit(event{Action: action, Test: name})
		default:
			c.emit(event{Action: action, Test: name})
			c.output(line)
		}
		return true
	}
	trimmed := strings.TrimLeft(text, " ")
	indent := (len(text) - len(trimmed)) / 4
	rest, ok := strings.CutPrefix(trimmed, "--- ")
	if !ok {
		return false
	}
	kind, rest, _ := strings.Cut(rest, ": ")
	action, known := outcomes[kind]
	if !known {
		return false
	}
	r := told{test: rest, action: action}
	if i := strings.LastIndex(rest, " ("); i >= 0 && strings.HasSuffix(rest, "s)") {
		if t, err := strconv.ParseFloat(rest[i+2:len(rest)-2], 64); err == nil {
			r.test, r.elapsed = rest[:i], t
		}
	}
	c.flush(indent)
	c.results = append(c.results, r)
	c.test = r.test
	c.output(line)
	return true
}

// flush reports the results of depth n and deeper.
func (c *converter) flush(n int) {
	for len(c.results) > n {
		r := c.results[len(c.results)-1]
		c.results = c.results[:len(c.results)-1]
		c.emit(event{Action: r.action, Test: r.test, Elapsed: &r.elapsed})
		if c.test == r.test {
			c.test = ""
		}
	}
}

// finish ends the package's output with its verdict.
func (c *converter) finish(action string, elapsed time.Duration, failedBuild string) {
	if len(c.line) > 0 {
		c.endLine()
	}
	c.flush(0)
	c.test = ""
	t := float64(elapsed.Milliseconds()) / 1000
	c.emit(event{Action: action, Elapsed: &t, FailedBuild: failedBuild})
}

// printf emits a line of the runner.
func (c *converter) printf(format string, args ...any) {
	if len(c.line) > 0 {
		c.endLine()
	}
	c.flush(0)
	c.test = ""
	c.output(fmt.Sprintf(format, args...))
}
