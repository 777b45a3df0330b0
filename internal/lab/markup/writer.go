package markup

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/gyrvm/gyr/internal/printable"
)

// Style is what the house's pages look like: colours by the reader's scheme, letters, tables and figures.
//
//go:embed base.css
var Style string

// A Markup is a part of a page. Strings that are none are text.
type Markup string

// A Writer writes a page.
type Writer struct{ strings.Builder }

// Add adds markup, in which text is escaped, as the contents of an element or as a quoted attribute. Marks in text that would
// turn the direction of writing are spelled, so that code is read as it runs.
func (w *Writer) Add(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, float64, Markup:
		default:
			args[i] = html.EscapeString(printable.Text(fmt.Sprint(a)))
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
