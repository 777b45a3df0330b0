package engine

import (
	"cmp"
	"errors"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/printable"
)

// A Diagnostic is one message about a program that does not compile.
type Diagnostic struct {
	// Package is the import path of the package that does not compile or cannot be loaded, empty if that is not known.
	Package string
	// File is the name of the source file as the go command prints it: relative to the directory where the patterns
	// start if that is shorter, with "./" before the name of a file in that directory. It is empty if the message is
	// about no file, as an import cycle.
	File string
	// Line and Column say where in the file what the message is about begins, both from 1, columns in bytes. They are
	// those that the text has, so a //line directive changes them. 0: not known.
	Line, Column int
	// EndLine and EndColumn say where it ends: the column is the one behind its last byte. 0: not known.
	EndLine, EndColumn int
	// Text is the message without package and position. Further lines, which may name other positions, begin with a tab.
	Text string
}

// List returns the messages one by one, in the order in which Error prints them. There is at least one. Their strings are
// as safe to print as Error.
func (e *CompileError) List() []Diagnostic {
	var errs load.Errors
	if !errors.As(e.Err, &errs) || len(errs) == 0 {
		return []Diagnostic{{Text: e.Error()}}
	}
	list := make([]Diagnostic, len(errs))
	for i, err := range errs {
		list[i] = Diagnostic{
			Package: printable.Line(cmp.Or(err.Package, err.Import)), File: printable.Line(err.Pos.Filename),
			Line: err.Pos.Line, Column: err.Pos.Column, EndLine: err.End.Line, EndColumn: err.End.Column,
			Text: printable.Text(err.Msg),
		}
	}
	return list
}
