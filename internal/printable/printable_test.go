package printable

import "testing"

func TestSpell(t *testing.T) {
	for _, c := range []struct{ in, line, text string }{
		{"", "", ""},
		{"main.go:1:2: a\tb", `main.go:1:2: a\tb`, "main.go:1:2: a\tb"},
		{"a\nb", `a\nb`, "a\nb"},
		{"größe 世界", "größe 世界", "größe 世界"},
		{"\x1b[31mred", `\x1b[31mred`, `\x1b[31mred`},
		{"a\rb\x00\x7f", `a\rb\x00\x7f`, `a\rb\x00\x7f`},
		{"\u009b31m", `\u009b31m`, `\u009b31m`}, // a control character of one byte in other encodings
		{"a\xffb", `a\xffb`, `a\xffb`},
		{"\ufffd", "\ufffd", "\ufffd"},
		{"x\u202ecba", `x\u202ecba`, `x\u202ecba`}, // switches to right-to-left
		{"\u2028", `\u2028`, `\u2028`},
		{`say "\x1b"`, `say "\x1b"`, `say "\x1b"`},
	} {
		if got := Line(c.in); got != c.line {
			t.Errorf("line of %q: %q, want %q", c.in, got, c.line)
		}
		if got := Text(c.in); got != c.text {
			t.Errorf("text of %q: %q, want %q", c.in, got, c.text)
		}
	}
}
