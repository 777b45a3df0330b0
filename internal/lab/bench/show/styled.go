package show

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/printable"
)

// A style is the look of a piece of text on a terminal with colours.
type style int

const (
	plain style = iota
	bold
	dim
	good
	bad
	doubt
)

// escapes are the parameters of SGR sequences.
var escapes = [...]string{plain: "", bold: "1", dim: "2", good: "32", bad: "31", doubt: "33"}

// A span is a piece of text in one style.
type span struct {
	style style
	text  string
}

// A text is a line, or a part of one, whose width is known without its colours. It is printable:
// user turns foreign text into texts.
type text []span

func of(s style, words string) text {
	if words == "" {
		return nil
	}
	return text{{s, words}}
}

// user is text from the benchmarked program.
func user(s style, words string) text { return of(s, printable.Line(words)) }

// and joins texts with a blank and leaves out empty ones.
func and(list ...text) text {
	var all text
	for _, t := range list {
		if len(t) > 0 && len(all) > 0 {
			all = append(all, span{plain, " "})
		}
		all = append(all, t...)
	}
	return all
}

func (t text) width() int {
	n := 0
	for _, s := range t {
		n += width(s.text)
	}
	return n
}

func (t text) write(b *strings.Builder, color bool) {
	for _, s := range t {
		if color && s.style != plain && s.text != "" {
			b.WriteString("\x1b[" + escapes[s.style] + "m" + s.text + "\x1b[0m")
		} else {
			b.WriteString(s.text)
		}
	}
}

// cut shortens a text to a width. It leaves out the middle, since names differ at their ends.
func (t text) cut(most int) text {
	over := t.width() - most
	if over <= 0 || most < 1 {
		return t
	}
	// It cuts the first span that is long enough.
	out := append(text(nil), t...)
	for i, s := range out {
		if have := width(s.text); have > over+2 {
			out[i].text = middle(s.text, have-over)
			return out
		}
	}
	var words strings.Builder
	for _, s := range t {
		words.WriteString(s.text)
	}
	return text{{t[0].style, middle(words.String(), most)}}
}

// middle shortens words to at most the given number of columns.
func middle(words string, most int) string {
	if width(words) <= most {
		return words
	}
	head, tail := "", ""
	for _, r := range words {
		if width(head)+width(string(r)) > (most-1)/2 {
			break
		}
		head += string(r)
	}
	for rest := words[len(head):]; rest != ""; {
		r, size := utf8.DecodeLastRuneInString(rest)
		if width(head)+1+width(string(r)+tail) > most {
			break
		}
		tail, rest = string(r)+tail, rest[:len(rest)-size]
	}
	return head + "…" + tail
}

// wrap breaks a text into lines of at most most columns, at blanks outside of figures with their
// units. The first line is indented by first, the others by rest. A word longer than a line is cut.
func (t text) wrap(most, first, rest int) []text {
	var lines []text
	line, room, empty := of(plain, strings.Repeat(" ", first)), most-first, true
	for _, s := range t {
		for i, word := range words(s.text, most-rest) {
			blank := min(i, 1) // between words of a span
			if !empty && blank+width(word) > room {
				lines = append(lines, line)
				line, room, empty = of(plain, strings.Repeat(" ", rest)), most-rest, true
			}
			if empty {
				blank = 0
			}
			word = middle(word, room)
			line = append(line, span{s.style, strings.Repeat(" ", blank) + word})
			room -= blank + width(word)
			empty = empty && word == ""
		}
	}
	return append(lines, line)
}

// together is a blank at which a line is broken only if the words that it joins are longer than a
// line.
const together = "\u00a0"

// words splits at blanks. It keeps a number with the unit after it, and joined words together if
// they fit into a line.
func words(s string, line int) []string {
	var list []string
	for _, w := range strings.Split(s, " ") {
		if width(w) > line {
			list = append(list, strings.Split(w, together)...)
		} else {
			list = append(list, strings.ReplaceAll(w, together, " "))
		}
	}
	out := list[:1]
	for _, w := range list[1:] {
		last := &out[len(out)-1]
		if n := len(*last); n > 0 && (*last)[n-1] >= '0' && (*last)[n-1] <= '9' && units[strings.TrimRight(w, ".,;)")] {
			*last += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

// units stay with the number before them.
var units = map[string]bool{"%": true, "ps": true, "ns": true, "us": true, "ms": true, "s": true, "B": true, "KiB": true, "MiB": true, "GiB": true}

// wide are the letters that take two columns of a terminal: East Asian letters and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x23e9, Hi: 0x23ec, Stride: 1}, {Lo: 0x2614, Hi: 0x2615, Stride: 1},
		{Lo: 0x26a1, Hi: 0x26a1, Stride: 1}, {Lo: 0x2705, Hi: 0x2705, Stride: 1}, {Lo: 0x274c, Hi: 0x274c, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x16fe0, Hi: 0x18aff, Stride: 1}, {Lo: 0x1b000, Hi: 0x1b2fb, Stride: 1}, {Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// width is the number of terminal columns of printable text.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r < 0x300:
			n++
		case unicode.In(r, unicode.Mn, unicode.Me): // marks combine with the letter before
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}
