package vet

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A Tree is what was found in a package, in the form in which cmd/vet prints it: by package, and by analyzer.
type Tree map[string]map[string]Report

// A Report is what one analyzer says of a package: what it found, or why it failed.
type Report struct {
	Findings []Finding
	Err      string
}

// A Finding is what an analyzer reports.
type Finding struct {
	Posn    Position  `json:"posn"`
	End     Position  `json:"end"`
	Message string    `json:"message"`
	Related []Related `json:"related"`
}

// A Related is another place that a finding is about.
type Related struct {
	Posn    Position `json:"posn"`
	End     Position `json:"end"`
	Message string   `json:"message"`
}

// A Position is a place in a file. In JSON it is the text of it, file:line:column.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			s += ":" + strconv.Itoa(p.Column)
		}
	}
	return s
}

// UnmarshalText is for package json.
func (p *Position) UnmarshalText(b []byte) error {
	var last, before int
	var rest string
	p.File, last = lastNumber(string(b))
	if rest, before = lastNumber(p.File); before > 0 {
		p.File, p.Line, p.Column = rest, before, last
	} else {
		p.Line, p.Column = last, 0
	}
	return nil
}

// lastNumber splits a number off that stands behind the last colon; it is 0 if there is none.
func lastNumber(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n <= 0 {
		return s, 0
	}
	return s[:i], n
}

// UnmarshalJSON is for package json: a list of findings, or an object with an error.
func (r *Report) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &r.Findings)
	}
	var failure struct {
		Err string `json:"error"`
	}
	err := json.Unmarshal(data, &failure)
	r.Err = failure.Err
	return err
}
