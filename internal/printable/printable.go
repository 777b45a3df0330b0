// Package printable makes text of unknown origin safe for a terminal: file names, import paths, and
// compilers' messages about sources may contain escape sequences, carriage returns, and marks that
// reverse the writing direction.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Line returns s as one line: characters that are not graphic, including line ends and tabs, are
// escaped as in a Go string.
func Line(s string) string { return spell(s, "") }

// Text is Line for a text of several lines.
func Text(s string) string { return spell(s, "\n\t") }

// Short is the beginning of Line, for text of any length.
func Short(s string) string {
	const most = 200
	if len(s) > most {
		return Line(s[:most]) + "…"
	}
	return Line(s)
}

func spell(s, also string) string {
	var b strings.Builder
	done := 0 // how much of s is in b
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
