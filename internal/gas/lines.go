package gas

import "github.com/gyrvm/gyr/internal/ir"

// lineCosts sums up the costs of the lines of a block.
type lineCosts struct {
	list  []lineCost
	place [][]int32 // by position, in pages that are made on demand: index in list plus 1
	paid  []lineCost
}

// linePage is how many positions a page of places has: a module on a base has only high numbers.
const linePage = 1 << 10

// A lineCost is the share of one line.
type lineCost struct {
	pos    ir.Pos
	tenths int64
	units  int64
}

// reset begins a block whose first line is head.
func (l *lineCosts) reset(head ir.Pos) {
	for i := range l.list {
		*l.at(l.list[i].pos) = 0
	}
	l.list = l.list[:0]
	l.line(head)
}

// line returns the entry of a line.
func (l *lineCosts) line(pos ir.Pos) *lineCost {
	at := l.at(pos)
	if *at == 0 {
		l.list = append(l.list, lineCost{pos: pos})
		*at = int32(len(l.list))
	}
	return &l.list[*at-1]
}

// at returns the place of a position.
func (l *lineCosts) at(pos ir.Pos) *int32 {
	page := int(pos) / linePage
	if n := page + 1 - len(l.place); n > 0 {
		l.place = append(l.place, make([][]int32, n)...)
	}
	if l.place[page] == nil {
		l.place[page] = make([]int32, linePage)
	}
	return &l.place[page][pos%linePage]
}

// add counts an operation. One without a position belongs to the first line.
func (l *lineCosts) add(pos ir.Pos, tenths int64) {
	if pos == 0 {
		pos = l.list[0].pos
	}
	if tenths != 0 {
		l.line(pos).tenths += tenths
	}
}

// share divides the block's units among the lines, in their order, and returns those that got any.
// After each line the units given out equal the cost of the lines up to there, to the nearest unit.
// The first line of a loop comes last and gets at least one.
func (l *lineCosts) share(loop bool) []lineCost {
	if loop {
		l.list = append(l.list[1:], l.list[0])
	}
	tenths, given := int64(0), int64(0)
	for i := range l.list {
		c := &l.list[i]
		tenths += c.tenths
		c.units = nearest(tenths) - given
		given += c.units
	}
	if last := &l.list[len(l.list)-1]; loop && last.units == 0 {
		last.units = 1
		for i := len(l.list) - 2; i >= 0; i-- {
			if c := &l.list[i]; c.units > 0 {
				c.units--
				break
			}
		}
	}
	l.paid = l.paid[:0]
	for _, c := range l.list {
		if c.units > 0 {
			l.paid = append(l.paid, c)
		}
	}
	return l.paid
}

// nearest is the number of units nearest to so many tenths.
func nearest(tenths int64) int64 { return (tenths + 5) / 10 }
