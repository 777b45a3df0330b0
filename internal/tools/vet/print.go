package vet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/printable"
)

// A Printer prints results as go vet does.
type Printer struct {
	W       io.Writer                         // of text
	Dir     string                            // names of files are told relative to; empty: the current directory
	Context int                               // lines around those of a finding; negative: not even those
	Slash   bool                              // names of files in Dir begin with ./, as go test prints them
	Heads   bool                              // findings stand under the heading of their package, as go test prints them
	Read    func(name string) ([]byte, error) // reads a source for its lines; nil: os.ReadFile

	told map[string]bool // errors of packages that several import
}

// Print prints what is to be said of a package, as text.
func (p *Printer) Print(r *Result) {
	if r.Err != nil {
		p.trouble(r)
		return
	}
	head := p.Heads
	for _, analyzers := range r.Tree {
		for _, name := range slices.Sorted(maps.Keys(analyzers)) {
			if head {
				io.WriteString(p.W, Heading(r))
				head = false
			}
			p.report(r, name, analyzers[name])
		}
	}
}

// Heading is the heading that stands above what is said of a package.
func Heading(r *Result) string {
	s := "# " + printable.Line(r.Path) + "\n"
	if r.Tested {
		s += "# [" + printable.Line(r.Path) + "]\n"
	}
	return s
}

// trouble says why a package was not analysed. What is wrong with a package that several import is said once.
func (p *Printer) trouble(r *Result) {
	text := printable.Text(r.Err.Error()) + "\n"
	var broken *BrokenError
	if errors.As(r.Err, &broken) {
		text = p.shorten(broken.Text)
		var of *ImportError
		switch {
		case errors.As(r.Err, &of):
			for errors.As(of.Err, &of) {
			}
			text = "# " + printable.Line(of.Path) + "\n" + text + "\n"
		default:
			text = Heading(r) + "vet: " + text + "\n"
		}
	} else if list := (diag.Errors)(nil); errors.As(r.Err, &list) && len(list) > 0 && list[0].Package != "" {
		text = "# " + printable.Line(list[0].Package) + "\n" + text
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	key := strings.Replace(text, "\nvet: ", "\n", 1)
	if !p.told[key] {
		io.WriteString(p.W, text)
	}
	p.told[key] = true
}

// shorten shortens the name that an error begins with.
func (p *Printer) shorten(text string) string {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || !filepath.IsAbs(name) {
		return printable.Text(text)
	}
	return printable.Line(p.short(name)) + ":" + printable.Text(rest)
}

// report prints what one analyzer says.
func (p *Printer) report(of *Result, analyzer string, x Report) {
	if x.Err != "" {
		fmt.Fprintf(p.W, "%s: %s\n", analyzer, printable.Text(x.Err))
		return
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		p.line(of, f.Posn, f.End, f.Message)
		for _, r := range f.Related {
			p.line(of, r.Posn, r.End, "\t"+r.Message)
		}
	}
}

// line prints a message, and the lines of the source around it: of no other file that a line directive may name.
func (p *Printer) line(of *Result, at, end Position, message string) {
	name := at.File
	at.File = p.short(name)
	fmt.Fprintf(p.W, "%s: %s\n", printable.Line(at.String()), printable.Text(message))
	if p.Context < 0 || !slices.Contains(of.Files, name) {
		return
	}
	read := p.Read
	if read == nil {
		read = os.ReadFile
	}
	data, _ := read(name)
	lines := strings.Split(string(data), "\n")
	for i := at.Line - p.Context; i <= cmp.Or(end.Line, at.Line)+p.Context; i++ {
		if 1 <= i && i <= len(lines) {
			fmt.Fprintf(p.W, "%d\t%s\n", i, printable.Text(lines[i-1]))
		}
	}
}

// short is the name of a file as it is printed.
func (p *Printer) short(name string) string {
	dir := p.Dir
	if dir == "" {
		dir, _ = os.Getwd()
	}
	if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
		name = rel
	}
	if p.Slash && !filepath.IsAbs(name) && !strings.ContainsRune(name, filepath.Separator) {
		name = "." + string(filepath.Separator) + name
	}
	return name
}
