package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/printable"
)

// maxErrors is how many errors of a package the compiler prints.
const maxErrors = 10

// An Error is one message about the program to load.
type Error struct {
	Package string         // import path of the package that does not compile; empty: an error of loading
	Import  string         // in an error of loading: import path of the package that cannot be loaded, if known
	Pos     token.Position // may have no line, or be zero
	End     token.Position // where the erroneous text ends, line and column; zero: not known
	Msg     string         // further lines start with a tab, except those about go.sum

	Fatal   bool                  // about the build as a whole: hides all other errors
	FindEnd func() token.Position // finds End, if the error is reported
}

// Error returns a text that is safe to print on a terminal, whatever names and sources contain.
func (e *Error) Error() string {
	if e.Pos.Filename == "" {
		return printable.Text(e.Msg)
	}
	return printable.Line(e.Pos.String()) + ": " + printable.Text(e.Msg)
}

// Errors are the errors of a load. They print as the go command prints them: errors of loading one
// per line, errors of compiling under a header with the package's path.
type Errors []*Error

func (l Errors) Error() string {
	var b strings.Builder
	for i := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Heading(i))
		b.WriteString(l[i].Error())
	}
	return b.String()
}

// Diagnostics returns the messages one by one, for api.CompileError: their strings are safe to
// print.
func (l Errors) Diagnostics() []api.Diagnostic {
	list := make([]api.Diagnostic, len(l))
	for i, err := range l {
		list[i] = api.Diagnostic{
			Package: printable.Line(cmp.Or(err.Package, err.Import)), File: printable.Line(err.Pos.Filename),
			Line: err.Pos.Line, Column: err.Pos.Column, EndLine: err.End.Line, EndColumn: err.End.Column,
			Text: printable.Text(err.Msg),
		}
	}
	return list
}

// Heading returns the line before error i: if the error is the first of a package, the package's
// header with a newline, else nothing.
func (l Errors) Heading(i int) string {
	if pkg := l[i].Package; pkg != "" && (i == 0 || pkg != l[i-1].Package) {
		return fmt.Sprintf("# %s\n", printable.Line(pkg))
	}
	return ""
}

// Errorf returns an error without position.
func Errorf(format string, args ...any) Errors {
	return Errors{{Msg: fmt.Sprintf(format, args...)}}
}

// CompileErrors turns the errors of one package, in the order in which they were found, into the
// errors that the compiler prints: the first ten by position, at most one of a kind on a line.
func CompileErrors(list Errors) Errors {
	var out Errors
	type line struct {
		file string
		line int
		msg  string
	}
	seen := map[line]bool{}
	var last *Error
	for _, e := range list {
		k := line{e.Pos.Filename, e.Pos.Line, e.Msg}
		if seen[k] {
			continue
		}
		seen[k] = true
		if len(out) == maxErrors {
			break
		}
		out = append(out, e)
		last = e
	}
	for _, e := range out {
		if e.FindEnd != nil {
			e.End, e.FindEnd = e.FindEnd(), nil
		}
	}
	slices.SortStableFunc(out, ComparePositions)
	if len(out) == maxErrors {
		out = append(out, &Error{Package: last.Package, Pos: last.Pos, Msg: "too many errors"})
	}
	return out
}

// ComparePositions orders errors by file, line and column.
func ComparePositions(a, b *Error) int {
	if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
		return c
	}
	if a.Pos.Line != b.Pos.Line {
		return a.Pos.Line - b.Pos.Line
	}
	return a.Pos.Column - b.Pos.Column
}

// ShortName returns a file's name as the go command prints it: relative to dir
// if that is shorter.
func ShortName(dir, name string) string {
	if dir == "" {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
		return rel
	}
	return name
}

// DotSlash adds the "./" that the compiler puts before the names of files in the current directory.
func DotSlash(name string) string {
	if name == "" || filepath.IsAbs(name) || strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return "." + string(filepath.Separator) + name
}
