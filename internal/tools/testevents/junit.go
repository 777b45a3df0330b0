package testevents

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"
)

// # JUnit XML
//
// A package is a test suite, a test or subtest a test case. A package that fails by no test of its own, since
// it could not be built or its binary ended early, has one more case, which holds an error.

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Time    string    `xml:"time,attr"`
	Skipped *junitWhy `xml:"skipped"`
	Failure *junitWhy `xml:"failure"`
	Error   *junitWhy `xml:"error"`
}

type junitWhy struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// wholePackage is the name of the case for a package that fails by none of its tests.
const wholePackage = "(package)"

func seconds(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// JUnit writes the record as JUnit XML.
func (r *Record) JUnit(w io.Writer) error {
	all := junitSuites{}
	total := 0.0
	for _, p := range r.Packages {
		s := p.junit()
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
		all.Errors, all.Skipped = all.Errors+s.Errors, all.Skipped+s.Skipped
		total += p.Elapsed
		all.Suites = append(all.Suites, s)
	}
	all.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "\t")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (p *Package) junit() junitSuite {
	s := junitSuite{Name: p.Path}
	s.Time = seconds(p.Elapsed)
	if !p.Begun.IsZero() {
		s.Timestamp = p.Begun.UTC().Format(time.RFC3339)
	}
	for _, t := range p.Tests {
		if t.Verdict == "bench" {
			continue
		}
		c := junitCase{Class: p.Path, Name: t.Name, Time: seconds(t.Elapsed)}
		output := t.quiet()
		switch t.Verdict {
		case "pass":
		case "skip":
			c.Skipped = &junitWhy{Message: "skipped", Text: output}
			s.Skipped++
		case "fail":
			c.Failure = &junitWhy{Message: "failed", Text: output}
			s.Failures++
		default:
			c.Error = &junitWhy{Message: "did not end", Text: output + p.Output}
			s.Errors++
		}
		s.Cases = append(s.Cases, c)
	}
	if p.Failed() && s.Failures+s.Errors == 0 {
		why := "failed outside of its tests"
		switch {
		case p.Build != "":
			why = "could not be built"
		case p.Verdict == "":
			why = "did not end"
		}
		s.Errors++
		s.Cases = append(s.Cases, junitCase{Class: p.Path, Name: wholePackage, Time: seconds(0), Error: &junitWhy{why, p.Build + p.Output}})
	}
	s.Tests = len(s.Cases)
	return s
}

// readJUnit reads what JUnit writes, and other files of that kind.
func readJUnit(in io.Reader) (*Record, error) {
	d := xml.NewDecoder(in)
	r := &Record{}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			if len(r.Packages) == 0 {
				return nil, fmt.Errorf("no test suite: %w", ErrNoEvents)
			}
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "testsuite" {
			var s junitSuite
			if err := d.DecodeElement(&s, &el); err != nil {
				return nil, err
			}
			s.into(r)
		}
	}
}

func (s *junitSuite) into(r *Record) {
	p := r.pkg(s.Name)
	p.Verdict = "pass"
	p.Elapsed, _ = strconv.ParseFloat(s.Time, 64)
	p.Begun, _ = time.Parse(time.RFC3339, s.Timestamp)
	for _, c := range s.Cases {
		verdict, text := "pass", ""
		switch {
		case c.Failure != nil:
			verdict, text = "fail", c.Failure.Text
		case c.Error != nil:
			verdict, text = "", c.Error.Text
		case c.Skipped != nil:
			verdict, text = "skip", c.Skipped.Text
		}
		if verdict == "fail" || verdict == "" {
			p.Verdict = "fail"
		}
		if c.Name == wholePackage {
			p.Output += text
			if c.Error != nil && c.Error.Message == "could not be built" {
				p.Build, p.Output = text, ""
			}
			continue
		}
		t := p.test(c.Name)
		t.Verdict, t.Output = verdict, text
		t.Elapsed, _ = strconv.ParseFloat(c.Time, 64)
	}
	word := "ok  "
	if p.Failed() {
		word = "FAIL"
	}
	p.Output += fmt.Sprintf("%s\t%s\t%ss\n", word, p.Path, seconds(p.Elapsed))
}
