// Package buildjson prints the messages of a program that does not compile as go build -json does (go help buildjson): a
// JSON object a line, of which each stands for a line of the text form. The objects have fields more than those of the go
// command, which say what the message is about.
package buildjson

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/printable"
)

// An Event is one line of the JSON form.
type Event struct {
	ImportPath string // of the package that is built
	Action     string // build-output or build-fail
	Output     string `json:",omitempty"` // one line of the text form, with its newline

	// On the first line of each message what engine.Diagnostic has, of the whole message: Text has its further lines too.
	File      string `json:",omitempty"`
	Line      int    `json:",omitempty"`
	Column    int    `json:",omitempty"`
	EndLine   int    `json:",omitempty"`
	EndColumn int    `json:",omitempty"`
	Text      string `json:",omitempty"`
}

// The actions of events.
const (
	BuildOutput = "build-output"
	BuildFail   = "build-fail"
)

// Of returns the events for an error: its lines, and the end of each package's build behind the last line of the
// package. Unit returns the package ID for
// an import path, which is also what the headings of the text form are to name, and for the empty path the ID of what the
// error of no package belongs to.
func Of(err *api.CompileError, unit func(path string) string) (events []Event) {
	diagnostics := err.List()
	var errs diag.Errors
	errors.As(err.Err, &errs)
	last := map[string]int{} // diagnostic of each package
	for i, d := range diagnostics {
		last[unit(d.Package)] = i
	}
	for i, d := range diagnostics {
		id, text, first := unit(d.Package), d.Text, 0
		if len(errs) == len(diagnostics) {
			text = printable.Text(errs[i].Error())
			if errs.Heading(i) != "" {
				text, first = "# "+id+"\n"+text, 1
			}
		}
		for k, line := range strings.Split(text, "\n") {
			e := Event{ImportPath: id, Action: BuildOutput, Output: line + "\n"}
			if k == first {
				e.File, e.Line, e.Column, e.EndLine, e.EndColumn, e.Text = d.File, d.Line, d.Column, d.EndLine, d.EndColumn, d.Text
			}
			events = append(events, e)
		}
		if last[id] == i {
			events = append(events, Event{ImportPath: id, Action: BuildFail})
		}
	}
	return events
}

// Write writes events, a line each.
func Write(w io.Writer, events []Event) error {
	enc := json.NewEncoder(w)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
