package loop

import (
	"fmt"
	"regexp"
	"strings"
)

// maxDepth bounds the nesting of definitions.
const maxDepth = 20

// An expander turns the code of one operation, or of a mode, into Go.
type expander struct {
	defs map[string]*definition
	form *form // nil: of a mode
}

// expand returns the Go code of a block, in lines.
func (x *expander) expand(b block) ([]string, error) { return x.block(b, "", 0) }

// whole matches a line that may use a definition of several lines.
var whole = regexp.MustCompile(`^(\t*)([A-Z][A-Z0-9]*)(?:\((.*)\))?$`)

func (x *expander) block(b block, indent string, depth int) ([]string, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: definitions without an end", b[0].at)
	}
	var out []string
	for _, l := range b {
		if use := whole.FindStringSubmatch(l.text); use != nil {
			if d := x.defs[use[2]]; d != nil && !d.inline {
				body, err := d.apply(arguments(use[3]))
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", l.at, use[2], err)
				}
				lines, err := x.block(body, indent+use[1], depth+1)
				if err != nil {
					return nil, err
				}
				out = append(out, lines...)
				continue
			}
		}
		text, err := x.inline(l.text, 0)
		if err == nil {
			text, err = x.slots(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.at, err)
		}
		out = append(out, indent+text)
	}
	return out, nil
}

// apply returns the body of a definition with arguments in place of its parameters.
func (d *definition) apply(args []string) (block, error) {
	d.used = true
	if len(args) != len(d.params) {
		return nil, fmt.Errorf("%d arguments, not %d", len(args), len(d.params))
	}
	value := map[string]string{}
	for i, p := range d.params {
		value[p] = args[i]
	}
	out := make(block, len(d.body))
	for i, l := range d.body {
		text := words.ReplaceAllStringFunc(l.text, func(name string) string {
			if v, ok := value[name]; ok {
				return v
			}
			return name
		})
		out[i] = line{text, l.at}
	}
	return out, nil
}

// arguments splits the text between parentheses at its commas.
func arguments(s string) []string {
	var args []string
	start, open := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			open++
		case ')':
			open--
		case ',':
			if open == 0 {
				args = append(args, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if s != "" {
		args = append(args, strings.TrimSpace(s[start:]))
	}
	return args
}

var (
	words   = regexp.MustCompile(`\b[A-Za-z_]\w*`)
	capital = regexp.MustCompile(`^[A-Z][A-Z0-9]+$`)
)

// inline replaces the names of one-line definitions in a line.
func (x *expander) inline(s string, depth int) (string, error) {
	if depth > maxDepth {
		return "", fmt.Errorf("%q: definitions without an end", s)
	}
	var b strings.Builder
	for {
		at := words.FindStringIndex(s)
		if at == nil {
			break
		}
		name, field := s[at[0]:at[1]], at[0] > 0 && s[at[0]-1] == '.'
		b.WriteString(s[:at[0]])
		s = s[at[1]:]
		d := x.defs[name]
		if _, isSlot := slots[name]; field || isSlot || d == nil {
			if !field && !isSlot && capital.MatchString(name) {
				return "", fmt.Errorf("%s is not defined", name)
			}
			b.WriteString(name)
			continue
		}
		if !d.inline {
			return "", fmt.Errorf("%s is lines, and has to have a line of its own", name)
		}
		if err := x.form.allows(name); err != nil {
			return "", err
		}
		var args []string
		if len(d.params) > 0 {
			end := closing(s)
			if end < 0 {
				return "", fmt.Errorf("%s has no arguments", name)
			}
			args = arguments(s[1:end])
			s = s[end+1:]
		}
		body, err := d.apply(args)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		text, err := x.inline(body[0].text, depth+1)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString(s)
	return b.String(), nil
}

// closing returns the index of the parenthesis that closes the one at the start of s, or -1.
func closing(s string) int {
	open := 0
	for i, c := range s {
		switch c {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			if i == 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// assigned matches the text after the target of an assignment.
var assigned = regexp.MustCompile(`^ (?:[-+*/&|^]|<<|>>|&\^)?= `)

// slots replaces the names of slots in a line that has no other names left.
func (x *expander) slots(s string) (string, error) {
	var b strings.Builder
	for {
		at := words.FindStringIndex(s)
		if at == nil {
			break
		}
		name := s[at[0]:at[1]]
		slot, ok := slots[name]
		if !ok {
			b.WriteString(s[:at[1]])
			s = s[at[1]:]
			continue
		}
		before, after := s[:at[0]], s[at[1]:]
		text, kind := slot.read, "reads"
		if assigned.MatchString(after) {
			text, kind = slot.write, "writes"
		} else if cut, ok := strings.CutSuffix(before, "&"); ok {
			before, text, kind = cut, slot.address, "has the address of"
		}
		if text == "" {
			return "", fmt.Errorf("no operation %s slot %s", kind, name)
		}
		if err := x.form.slot(slot.field, kind); err != nil {
			return "", err
		}
		b.WriteString(before + text)
		s = after
	}
	b.WriteString(s)
	return b.String(), nil
}
