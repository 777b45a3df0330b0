package vet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/printable"
)

// A Printer prints results as go vet does.
type Printer struct {
	W       io.Writer // of text
	Dir     string    // names of files are told relative to; empty: the current directory
	Context int       // lines around those of a finding; negative: not even those
	Slash   bool      // names of files in Dir begin with ./, as go test prints them
	Heads   bool      // findings stand under the heading of their package, as go test prints them

	told map[string]bool // errors of packages that several import
}

// Print prints what is to be said of a unit, as text.
func (p *Printer) Print(r *Result) {
	if r.Err != nil {
		p.trouble(r)
		return
	}
	head := p.Heads
	for _, x := range r.Reports {
		if head {
			io.WriteString(p.W, Heading(r))
			head = false
		}
		p.Report(&x)
	}
}

// Heading is the heading that stands above what is said of a unit.
func Heading(r *Result) string {
	s := "# " + printable.Line(r.Path) + "\n"
	if r.Tested {
		s += "# [" + printable.Line(r.Path) + "]\n"
	}
	return s
}

// trouble says why a unit was not analysed. What is wrong with a package that several import is said once.
func (p *Printer) trouble(r *Result) {
	var list load.Errors
	compile := errors.As(r.Err, &list) && len(list) > 0 && list[0].Package != ""
	text := printable.Text(r.Err.Error()) + "\n"
	if compile && !r.ByDep {
		text = Heading(r) + "vet: " + list[0].Error() + "\n"
		for _, e := range list[1:] {
			text += e.Error() + "\n"
		}
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	if !p.told[r.Err.Error()] {
		io.WriteString(p.W, text)
	}
	p.told[r.Err.Error()] = true
}

// Report prints what one analyzer says.
func (p *Printer) Report(x *Report) {
	if x.Err != nil {
		fmt.Fprintf(p.W, "%s: %s\n", x.Analyzer, printable.Text(x.Err.Error()))
		return
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		p.line(f.Posn, f.End, f.Message)
		for _, r := range f.Related {
			p.line(r.Posn, r.End, "\t"+r.Message)
		}
	}
}

// line prints a message, and the lines of the source around it.
func (p *Printer) line(at, end Position, message string) {
	name := at.File
	at.File = p.short(name)
	fmt.Fprintf(p.W, "%s: %s\n", printable.Line(at.String()), printable.Text(message))
	if p.Context < 0 {
		return
	}
	data, _ := os.ReadFile(name)
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

// PrintJSON prints the findings of a unit as go vet -json does.
func PrintJSON(w io.Writer, r *Result) error {
	unit := map[string]any{}
	for _, x := range r.Reports {
		if x.Err != nil {
			unit[x.Analyzer] = map[string]string{"error": x.Err.Error()}
			continue
		}
		unit[x.Analyzer] = x.Findings
	}
	tree := map[string]any{}
	if len(unit) > 0 {
		tree[r.Path] = unit
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
