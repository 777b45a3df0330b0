package vet

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A Tree is the findings of a package, in the form that cmd/vet prints: by package, and by
// analyzer.
type Tree map[string]map[string]Report

// A Report is the result of one analyzer for a package: its findings, or why it failed.
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

// A Position is a place in a file. In JSON it is the text file:line:column.
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

// UnmarshalText implements encoding.TextUnmarshaler, for package json.
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

// lastNumber splits off the number after the last colon. It returns 0 if the text ends in no
// number.
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

// UnmarshalJSON implements json.Unmarshaler. It reads a list of findings, or an object with an
// error.
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
