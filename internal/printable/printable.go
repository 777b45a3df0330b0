// Package printable makes text of unknown origin fit for a terminal: file names, import paths, and what compilers
// say about sources may hold escape sequences, carriage returns, and marks that turn the direction of writing.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns s as one line: what is not graphic in it, ends of lines and tabs included, is spelled as in a Go string.
func Line(s string) string { return spell(s, "") }

// Text is Line of a text of several lines.
func Text(s string) string { return spell(s, "\n\t") }

// Short is the beginning of Line, for what may be of any length.
func Short(s string) string {
	const most = 200
	if len(s) > most {
		return Line(s[:most]) + "…"
	}
	return Line(s)
}

func spell(s, also string) string {
	var b strings.Builder
	done := 0 // what b has of s
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if bad := r == utf8.RuneError && size == 1; bad || !strconv.IsGraphic(r) && !strings.ContainsRune(also, r) {
			q := strconv.QuoteToASCII(s[i : i+size])
			b.WriteString(s[done:i] + q[1:len(q)-1])
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}
