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
	Dir     string                            // file names are printed relative to it; empty: the current directory
	Context int                               // lines around a finding's lines; negative: none at all
	Slash   bool                              // names of files in Dir begin with ./, as go test prints them
	Heads   bool                              // each package's findings follow a heading, as go test prints them
	Read    func(name string) ([]byte, error) // reads a source for its lines; nil: os.ReadFile

	told map[string]bool // errors, already printed, of packages that several packages import
}

// Print prints the results of a package as text.
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

// Heading returns the heading for a package's results.
func Heading(r *Result) string {
	s := "# " + printable.Line(r.Path) + "\n"
	if r.Tested {
		s += "# [" + printable.Line(r.Path) + "]\n"
	}
	return s
}

// trouble says why a package was not analysed. An error in a package that several packages import
// is printed once.
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

// shorten shortens the file name that an error begins with.
func (p *Printer) shorten(text string) string {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || !filepath.IsAbs(name) {
		return printable.Text(text)
	}
	return printable.Line(p.short(name)) + ":" + printable.Text(rest)
}

// report prints the result of one analyzer.
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

// line prints a message and the source lines around it. It reads only the package's own files,
// although a line directive may name any file.
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

// short is a file name as it is printed.
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
