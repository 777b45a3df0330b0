package markup

import (
	"fmt"
	"html"
	"strings"
)

// A Markup is a part of a page. Strings that are none are text.
type Markup string

// A Writer writes a page.
type Writer struct{ strings.Builder }

// Add adds markup, in which text is escaped, as the contents of an element or as a quoted attribute.
func (w *Writer) Add(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, float64, Markup:
		default:
			args[i] = html.EscapeString(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// AddIf adds markup about text that there may be.
func (w *Writer) AddIf(format, text string) {
	if text != "" {
		w.Add(format, text)
	}
}
