package loop

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed *.ops
var sources embed.FS

// A line is one line of a source file, with its position for errors.
type line struct {
	text, at string
}

// A block is code: lines that are indented by one tab less than in the file.
type block []line

// A definition is the meaning of a name in capitals.
type definition struct {
	params []string
	inline bool // the text of one expression or statement, not lines
	body   block
	used   bool
	at     string
}

// An operation is the code of one or several operations.
type operation struct {
	names []string
	body  block
	at    string
}

// A mode is a loop.
type mode struct {
	name, does               string
	begin, each, access, end block
}

// A program is the content of all files.
type program struct {
	defs  map[string]*definition
	ops   []*operation
	modes []*mode
}

// parse reads all files.
func parse(files fs.FS) (*program, error) {
	names, err := fs.Glob(files, "*.ops")
	if err != nil {
		return nil, err
	}
	p := &program{defs: map[string]*definition{}}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		lines, err := tables(split(name, string(text)))
		if err != nil {
			return nil, err
		}
		if err := p.items(lines); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// split makes lines of a file's text, without comments and empty lines.
func split(name, text string) []line {
	var out []line
	for i, s := range strings.Split(text, "\n") {
		s = strings.TrimRight(s, " \t")
		if t := strings.TrimSpace(s); t != "" && !strings.HasPrefix(t, "//") {
			out = append(out, line{s, fmt.Sprintf("%s:%d", name, i+1)})
		}
	}
	return out
}

var (
	columns = regexp.MustCompile(`  +|\t+`)
	column  = regexp.MustCompile(`\$[a-z]+`)
)

// tables replaces each block with a table by its lines for each row.
func tables(lines []line) ([]line, error) {
	var out []line
	for len(lines) > 0 {
		head := lines[0]
		lines = lines[1:]
		if !strings.HasPrefix(head.text, "with ") {
			out = append(out, head)
			continue
		}
		do, done := find(lines, "do"), find(lines, "done")
		if do < 0 || done < do {
			return nil, fmt.Errorf("%s: a table without do and done", head.at)
		}
		names := strings.Fields(head.text)[1:]
		for _, row := range lines[:do] {
			cells := columns.Split(strings.TrimSpace(row.text), -1)
			if len(cells) != len(names) {
				return nil, fmt.Errorf("%s: %d columns, not %d", row.at, len(cells), len(names))
			}
			texts := map[string]string{}
			for i, name := range names {
				texts[name] = cells[i]
				if cells[i] == "_" {
					texts[name] = ""
				}
			}
			for _, l := range lines[do+1 : done] {
				text, err := fill(l.text, texts)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", l.at, err)
				}
				out = append(out, line{text, l.at + ", row of " + row.at})
			}
		}
		lines = lines[done+1:]
	}
	return out, nil
}

// find returns the index of the first line that is a word alone.
func find(lines []line, word string) int {
	for i, l := range lines {
		if l.text == word {
			return i
		}
	}
	return -1
}

// fill replaces the columns' names by the texts of a row.
func fill(s string, texts map[string]string) (_ string, err error) {
	return column.ReplaceAllStringFunc(s, func(name string) string {
		text, ok := texts[name]
		if !ok {
			err = fmt.Errorf("no column %s", name)
		}
		return text
	}), err
}

var (
	defHead  = regexp.MustCompile(`^def ([A-Z][A-Z0-9]*)(?:\(([a-z, ]*)\))?(?: = (.*))?$`)
	opHead   = regexp.MustCompile(`^([A-Z]\w*(?:, [A-Z]\w*)*):\s*(.*)$`)
	modeHead = regexp.MustCompile(`^mode ([A-Z]\w*): (.*)$`)
)

// items reads definitions, operations and modes.
func (p *program) items(lines []line) error {
	for len(lines) > 0 {
		head := lines[0]
		body := indented(lines[1:])
		lines = lines[1+len(body):]
		if d := defHead.FindStringSubmatch(head.text); d != nil {
			if err := p.define(d, head, body); err != nil {
				return err
			}
		} else if o := opHead.FindStringSubmatch(head.text); o != nil {
			if (o[2] != "") == (len(body) > 0) {
				return fmt.Errorf("%s: %s has to have one statement behind the colon, or lines below it", head.at, o[1])
			}
			if o[2] != "" {
				body = block{{o[2], head.at}}
			}
			p.ops = append(p.ops, &operation{strings.Split(o[1], ", "), body, head.at})
		} else if m := modeHead.FindStringSubmatch(head.text); m != nil && len(body) == 0 {
			p.modes = append(p.modes, &mode{name: m[1], does: m[2]})
		} else if part := p.part(head.text); part != nil {
			*part = body
		} else {
			return fmt.Errorf("%s: %q is no definition, operation, mode or part of one", head.at, head.text)
		}
	}
	return nil
}

// define adds a definition of the file.
func (p *program) define(match []string, head line, body block) error {
	name, params, text := match[1], match[2], match[3]
	if p.defs[name] != nil || slots[name] != (slot{}) {
		return fmt.Errorf("%s: %s is defined twice", head.at, name)
	}
	if (text != "") == (len(body) > 0) {
		return fmt.Errorf("%s: %s has to have one text, behind = or below", head.at, name)
	}
	d := &definition{inline: text != "", body: body, at: head.at}
	if d.inline {
		d.body = block{{text, head.at}}
	}
	if params != "" {
		d.params = strings.Split(params, ", ")
	}
	p.defs[name] = d
	return nil
}

// part returns the part of the mode above that a line begins.
func (p *program) part(word string) *block {
	if len(p.modes) == 0 {
		return nil
	}
	m := p.modes[len(p.modes)-1]
	return map[string]*block{"begin": &m.begin, "each": &m.each, "access": &m.access, "end": &m.end}[word]
}

// indented returns the code at the start of lines.
func indented(lines []line) block {
	var b block
	for _, l := range lines {
		text, ok := strings.CutPrefix(l.text, "\t")
		if !ok {
			break
		}
		b = append(b, line{text, l.at})
	}
	return b
}
