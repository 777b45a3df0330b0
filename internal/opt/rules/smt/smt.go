// Package smt asks z3 whether formulas hold, in the text of SMT-LIB 2.
//
// One process answers many queries, each between push and pop. Only tests use it. Without z3 they
// say so and skip the query.
package smt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ErrNotInstalled is the error of Start on a machine without z3.
var ErrNotInstalled = errors.New("z3 is not installed (Debian: apt-get install z3)")

// A Solver is a running z3. Only one goroutine at a time may use it.
type Solver struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader

	timeout time.Duration
}

// Start starts z3. timeout is the time after which it gives up on a query.
func Start(timeout time.Duration) (*Solver, error) {
	path, err := exec.LookPath("z3")
	if err != nil {
		return nil, ErrNotInstalled
	}
	s := &Solver{cmd: exec.Command(path, "-in", "-smt2"), timeout: timeout}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cmd.Start()
}

// Close ends the process.
func (s *Solver) Close() error {
	s.in.Close()
	return s.cmd.Wait()
}

// A Query is one claim: under the assumptions, the goal holds for all values of the declared
// variables.
type Query struct {
	Declare []Variable
	Assume  []string // terms of sort Bool
	Goal    string
}

// A Variable is one that a claim quantifies over.
type Variable struct {
	Name string
	Sort string
}

// BitVec is the sort of bit vectors of a width.
func BitVec(bits uint) string { return fmt.Sprintf("(_ BitVec %d)", bits) }

// An Answer is z3's answer to a claim.
type Answer struct {
	Proved  bool
	Refuted bool   // Model has values for which the claim does not hold
	Model   string // or, if neither is set, z3's reason
	Took    time.Duration
}

func (a Answer) String() string {
	switch {
	case a.Proved:
		return "proved"
	case a.Refuted:
		return "refuted: " + a.Model
	}
	return "unknown: " + a.Model
}

// tactic is z3's method: it simplifies, turns numbers into bits and floats into numbers, and
// searches for values of the bits. Its default between push and pop, which allows for later
// formulas, is slower for ours.
const tactic = "qffpbv"

// Prove asks for a claim.
func (s *Solver) Prove(q Query) (Answer, error) {
	var b strings.Builder
	b.WriteString("(push)\n")
	var names []string
	for _, v := range q.Declare {
		fmt.Fprintf(&b, "(declare-const %s %s)\n", v.Name, v.Sort)
		names = append(names, v.Name)
	}
	for _, a := range q.Assume {
		fmt.Fprintf(&b, "(assert %s)\n", a)
	}
	fmt.Fprintf(&b, "(assert (not %s))\n(check-sat-using (try-for %s %d))\n(echo \"end\")\n", q.Goal, tactic,
		s.timeout.Milliseconds())
	start := time.Now()
	text, err := s.ask(b.String())
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Took: time.Since(start)}
	more := ""
	switch text {
	case "unsat":
		a.Proved = true
	case "sat":
		a.Refuted = true
		if len(names) > 0 {
			more = fmt.Sprintf("(get-value (%s))\n", strings.Join(names, " "))
		}
	case "unknown", "timeout":
		more = "(get-info :reason-unknown)\n"
	default:
		return a, fmt.Errorf("z3: %s\nof\n%s", text, b.String())
	}
	a.Model, err = s.ask(more + "(pop)\n(echo \"end\")\n")
	a.Model = strings.Join(strings.Fields(a.Model), " ")
	return a, err
}

// ask sends commands. The last one prints "end"; ask returns the output before that.
func (s *Solver) ask(text string) (string, error) {
	if _, err := io.WriteString(s.in, text); err != nil {
		return "", fmt.Errorf("z3: %w", err)
	}
	var b strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("z3 ended: %w", err)
		}
		if strings.TrimSpace(line) == "end" {
			return strings.TrimSpace(b.String()), nil
		}
		b.WriteString(line)
	}
}
