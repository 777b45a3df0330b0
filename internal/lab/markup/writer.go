package markup

import (
	"fmt"
	"html"
	"strings"

	"github.com/gyrvm/gyr/internal/printable"
)

// A Markup is a part of a page. Strings of other types are text.
type Markup string

// Of formats a part of a page and escapes text in its arguments.
func Of(format string, args ...any) Markup {
	var w Writer
	w.Add(format, args...)
	return w.Markup()
}

// A Writer writes a page.
type Writer struct{ strings.Builder }

// Markup is what was written so far, as a part of another page.
func (w *Writer) Markup() Markup { return Markup(w.String()) }

// Add adds markup. Text in its arguments is escaped, for the contents of an element or for a quoted
// attribute. Characters in text that would turn the direction of writing are spelled out, so that
// code reads as it runs.
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

// AddIf adds markup about a text, unless the text is empty.
func (w *Writer) AddIf(format, text string) {
	if text != "" {
		w.Add(format, text)
	}
}

// A Figure is a cell of a table that is aligned to the right, as numbers are.
type Figure string

// Table begins a table of any width: the page scrolls it. The names of its columns are text, Figure
// or Markup. A table without names has no head.
func (w *Writer) Table(class string, columns ...any) {
	w.Add("<div class=\"scroll\"><table")
	w.AddIf(` class="%s"`, class)
	w.Add(">")
	if len(columns) > 0 {
		w.Add("<thead><tr>")
		w.cells("th", columns)
		w.Add("</thead>")
	}
	w.Add("<tbody>\n")
}

// Row adds a row to the table. Its cells are text, Figure or Markup.
func (w *Writer) Row(cells ...any) {
	w.Add("<tr>")
	w.cells("td", cells)
}

// RowOf adds a row with a class.
func (w *Writer) RowOf(class string, cells ...any) {
	w.Add("<tr class=\"%s\">", class)
	w.cells("td", cells)
}

// Named adds a row that begins with the row's name.
func (w *Writer) Named(name string, cells ...any) {
	w.Add("<tr><th scope=\"row\">%s</th>", name)
	w.cells("td", cells)
}

// EndTable ends the table.
func (w *Writer) EndTable() { w.Add("</tbody></table></div>\n") }

// cells adds cells and ends the row.
func (w *Writer) cells(element Markup, cells []any) {
	for _, c := range cells {
		class := Markup("")
		if f, ok := c.(Figure); ok {
			class, c = ` class="n"`, string(f)
		}
		w.Add("<%s%s>%s</%s>", element, class, c, element)
	}
	w.Add("</tr>\n")
}
