// Package buildjson prints the messages of a program that does not compile in the form of go build
// -json (go help buildjson): one JSON object a line, one object for each line of the text form. The
// objects have more fields than those of the go command. These fields say what the message is
// about.
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
	ImportPath string // of the package being built
	Action     string // build-output or build-fail
	Output     string `json:",omitempty"` // one line of the text form, with its newline

	// The fields of engine.Diagnostic, on the first line of each message. They describe the whole
	// message: Text includes its further lines.
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

// Of returns the events for an error: its lines, and after the last line of each package the end of
// that package's build.
//
// Unit returns the package ID for an import path. The headings of the text form use the same ID.
// For the empty path it returns the ID for errors that belong to no package.
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

// Write writes one event a line.
func Write(w io.Writer, events []Event) error {
	enc := json.NewEncoder(w)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
