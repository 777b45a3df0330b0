package show

import "strings"

// A cell of a grid.
type cell struct {
	text  text
	right bool // aligned to the right
}

// A gridLine is cells, or words that ignore the columns.
type gridLine struct {
	cells  []cell
	span   int // columns that each cell except the first may take; mostly 1
	words  text
	indent int
}

// A grid places cells in columns that are as wide as their widest cell.
type grid struct{ lines []gridLine }

// gap is the space between columns.
const gap = 2

func (g *grid) add(cells []cell) { g.lines = append(g.lines, gridLine{cells: cells, span: 1}) }

// addSpans adds a line whose cells, except the first one, take several columns each. The cells
// between them are empty.
func (g *grid) addSpans(cells []cell, span int) {
	for _, c := range cells {
		if len(c.text) > 0 {
			g.lines = append(g.lines, gridLine{cells: cells, span: span})
			return
		}
	}
}

// free adds words that wrap at the terminal's width.
func (g *grid) free(indent int, words text) {
	g.lines = append(g.lines, gridLine{words: words, indent: indent})
}

// columns are the widths of the columns.
func (g *grid) columns() []int {
	var list []int
	at := func(i int) *int {
		for len(list) <= i {
			list = append(list, 0)
		}
		return &list[i]
	}
	for _, l := range g.lines {
		for i, c := range l.cells {
			if l.span == 1 || i == 0 {
				*at(i) = max(*at(i), c.text.width())
			}
		}
	}
	// Cells that take several columns widen the last one.
	for _, l := range g.lines {
		for i := 1; l.span > 1 && i < len(l.cells); i += l.span {
			have := 0
			for k := i; k < i+l.span; k++ {
				have += *at(k)
				if k > i {
					have += gapBefore(list, k)
				}
			}
			if need := l.cells[i].text.width(); need > have {
				*at(i + l.span - 1) += need - have
			}
		}
	}
	return list
}

// gapBefore is the space before a column: none before an empty one.
func gapBefore(columns []int, i int) int {
	if i == 0 || columns[i] == 0 {
		return 0
	}
	return gap
}

// width is the width of all columns.
func (g *grid) width() int {
	columns := g.columns()
	n := 0
	for i, w := range columns {
		n += w + gapBefore(columns, i)
	}
	return n
}

func (g *grid) write(b *strings.Builder, most int, color bool) {
	columns := g.columns()
	// If even the narrowest layout is too wide, the names are cut.
	if over := g.width() - most; over > 0 && len(columns) > 0 {
		columns[0] = max(columns[0]-over, 4)
	}
	for _, l := range g.lines {
		if l.cells == nil {
			for _, line := range l.words.wrap(most, l.indent, l.indent+2) {
				writeLine(b, line, color)
			}
			continue
		}
		var line text
		at, start := 0, 0 // where the line ends, and where the column begins
		for i, c := range l.cells {
			start += gapBefore(columns, i)
			words := c.text
			if i == 0 {
				words = words.cut(columns[0])
			}
			if len(words) > 0 {
				place := start
				if c.right {
					place += columns[i] - words.width()
				}
				line = append(line, span{plain, strings.Repeat(" ", max(place-at, 0))})
				line = append(line, words...)
				at = max(place, at) + words.width()
			}
			start += columns[i]
		}
		writeLine(b, line.cut(most), color)
	}
}

// writeLine writes a line without trailing blanks.
func writeLine(b *strings.Builder, line text, color bool) {
	for n := len(line); n > 0 && strings.TrimRight(line[n-1].text, " ") == ""; n = len(line) {
		line = line[:n-1]
	}
	line.write(b, color)
	b.WriteByte('\n')
}
