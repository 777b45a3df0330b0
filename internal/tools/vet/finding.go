package vet

import (
	"cmp"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Position is a place in a file. In JSON it is the text of it, file:line:column.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string {
	return token.Position{Filename: p.File, Line: p.Line, Column: p.Column}.String()
}

// MarshalText is for package json.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is for package json.
func (p *Position) UnmarshalText(b []byte) error {
	rest, column := lastNumber(string(b))
	p.File, p.Line = lastNumber(rest)
	p.Column = column
	return nil
}

// lastNumber splits a number off that stands behind the last colon.
func lastNumber(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return s, 0
	}
	return s[:i], n
}

// A Finding is what an analyzer reports, in the shape of go vet -json.
type Finding struct {
	Category string    `json:"category,omitempty"`
	Posn     Position  `json:"posn"`
	End      Position  `json:"end"`
	Message  string    `json:"message"`
	Fixes    []Fix     `json:"suggested_fixes,omitempty"`
	Related  []Related `json:"related,omitempty"`
}

// A Fix is a change of sources that an analyzer proposes.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit is a part of a fix.
type Edit struct {
	File  string `json:"filename"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// A Related is another place that a finding is about.
type Related struct {
	Posn    Position `json:"posn"`
	End     Position `json:"end"`
	Message string   `json:"message"`
}

// finding turns a diagnostic into what is kept and printed of it.
func finding(fset *token.FileSet, d *analysis.Diagnostic) Finding {
	at := func(pos token.Pos) Position {
		p := fset.Position(pos)
		return Position{p.Filename, p.Line, p.Column}
	}
	f := Finding{Category: d.Category, Posn: at(d.Pos), End: at(cmp.Or(d.End, d.Pos)), Message: d.Message}
	for _, fix := range d.SuggestedFixes {
		var edits []Edit
		for _, e := range fix.TextEdits {
			start, end := fset.Position(e.Pos), fset.Position(cmp.Or(e.End, e.Pos))
			edits = append(edits, Edit{start.Filename, start.Offset, end.Offset, string(e.NewText)})
		}
		f.Fixes = append(f.Fixes, Fix{fix.Message, edits})
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, Related{at(r.Pos), at(cmp.Or(r.End, r.Pos)), r.Message})
	}
	return f
}
