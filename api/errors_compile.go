package api

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/printable"
)

// A CompileError holds the messages of a program that does not compile, as the go command prints
// them.
type CompileError struct{ Err error }

// Error returns a text that is safe to print on a terminal, whatever the sources contain:
// characters that could control a terminal are escaped as in a Go string.
func (e *CompileError) Error() string { return printable.Text(e.Err.Error()) }
func (e *CompileError) Unwrap() error { return e.Err }

// List returns the messages one by one, in the order in which Error prints them. It has at least
// one. Their strings are as safe to print as Error.
func (e *CompileError) List() []Diagnostic {
	var list interface{ Diagnostics() []Diagnostic }
	if errors.As(e.Err, &list) {
		if d := list.Diagnostics(); len(d) > 0 {
			return d
		}
	}
	return []Diagnostic{{Text: e.Error()}}
}

// A Diagnostic is one message about a program that does not compile.
type Diagnostic struct {
	// Package is the import path of the package that does not compile or cannot be loaded, or "" if
	// it is not known.
	Package string
	// File is the name of the source file as the go command prints it: relative to Source.Dir if
	// that is shorter, with "./" before the name of a file in that directory. It is empty if the
	// message concerns no file, as for an import cycle.
	File string
	// Line and Column say where the subject of the message begins, both from 1, columns in bytes. A
	// //line directive changes them as it changes the text. 0: not known.
	Line, Column int
	// EndLine and EndColumn say where the subject ends: the column after its last byte. 0: not
	// known.
	EndLine, EndColumn int
	// Text is the message without package and position. Further lines, which may name other
	// positions, begin with a tab. The exception is the go command's explanation of a mismatch
	// between go.sum and a module.
	Text string
}

// An ImageError says why a portable image is refused: it is damaged, foreign, of another version,
// or contains what no compiler produces.
type ImageError struct{ Err error }

// Error returns one line, whatever function names the image contains.
func (e *ImageError) Error() string {
	text := strconv.QuoteToGraphic(e.Err.Error())
	return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
}
func (e *ImageError) Unwrap() error { return e.Err }

// A CompileLimitError says that a program exceeds one of Source.Limits: which one, its value, what
// is too large, and where. It depends only on the source and the limits.
type CompileLimitError struct {
	Limit    string // the field of Limits: "ConstantBytes", "Modules.SourceBytes"
	Max      int64  // its value
	Measured int64  // what the program takes, more than Max; 0: not known, the count ended at Max
	What     string // what is too large: "a constant string of 1073741824 bytes"
	Position        // where; the zero value for the program as a whole
	Column   int    // 0: not known
}

func (e *CompileLimitError) Error() string {
	at := ""
	if e.File != "" {
		at = fmt.Sprintf("%s:%d: ", e.File, e.Line)
		if e.Column > 0 {
			at = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
		}
	} else if e.Func != "" {
		at = e.Func + ": "
	}
	return fmt.Sprintf("%s%s, more than the limit of %d (Limits.%s)", at, e.What, e.Max, e.Limit)
}

// A StdError says why a precompiled standard library (BaseConfig.Std) is refused: it is damaged, or
// was made for another gyr, another release of Go or other tags. Its text is one line that ends
// with the cure.
type StdError struct {
	Err  error
	Cure string // what to do
}

func (e *StdError) Error() string { return "standard library file: " + e.Err.Error() + ": " + e.Cure }
func (e *StdError) Unwrap() error { return e.Err }

// A NeedsGoError says that an operation is impossible with a precompiled standard library
// (BaseConfig.Std), because it needs the sources of a Go installation.
type NeedsGoError struct {
	What string // the operation
	Cure string // what to do
	Err  error  // why there is no Go installation; nil: none was looked for
}

func (e *NeedsGoError) Error() string {
	return e.What + " needs the sources of the standard library, which a precompiled one does not have: " + e.Cure
}
func (e *NeedsGoError) Unwrap() error { return e.Err }

// An InternalError says that this program hit a bug of the engine, in which stage of the
// compilation or the run, and where. Only this compilation or this instance ends. The process,
// other programs, the base and the cache stay usable.
type InternalError struct {
	Stage    string // of the compilation, as CompileOptions.Progress names them, or "running"
	Position        // the code that was being compiled or run, as far as it is known
	Value    any    // value of the panic
	Stack    []byte // stack of the goroutine, as runtime.Stack prints it; cut off at 64 KiB
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error while %s%s: %v (a bug of gyr, not of the program)", e.Stage, e.suffix(), e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *InternalError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
