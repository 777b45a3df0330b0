package ir

import (
	"errors"
	"sync"
	"sync/atomic"
)

// The tables of positions and sites say where in the source an operation is. Tracebacks, profiles
// and compilers need them; a program that runs from a cache and ends well does not. A module has
// only the part after its base's tables: the numbers of its sites and positions begin where the
// base's end. A module that was read from a trusted image reads them on demand, one block at a
// time, since a program on the standard library uses few of its positions.

// LineBlock is how many entries of a table are read at a time.
const LineBlock = 1024

// lateLines reads the tables of a module.
type lateLines struct {
	sites lateTable[Site]
	pos   lateTable[PosEntry]
	all   late // of LoadLines
}

// A lateTable is a table whose blocks are read on demand.
type lateTable[T any] struct {
	first, end int // the numbers of the first entry that is read, and after the last
	read       func(block int) ([]T, error)
	made       sync.Once
	blocks     []atomic.Pointer[[]T]
}

func (t *lateTable[T]) block(n int) ([]T, error) {
	t.made.Do(func() { t.blocks = make([]atomic.Pointer[[]T], (t.end-t.first+LineBlock-1)/LineBlock) })
	if b := t.blocks[n].Load(); b != nil {
		return *b, nil
	}
	b, err := t.read(n)
	if err == nil {
		t.blocks[n].Store(&b)
	}
	return b, err
}

func (t *lateTable[T]) at(i int) (x T, err error) {
	b, err := t.block((i - t.first) / LineBlock)
	if err == nil {
		x = b[(i-t.first)%LineBlock]
	}
	return x, err
}

// all returns the whole table from number start on.
func (t *lateTable[T]) all(start int) ([]T, error) {
	list := make([]T, t.first-start, t.end-start)
	for n := 0; n*LineBlock < t.end-t.first; n++ {
		b, err := t.block(n)
		if err != nil {
			return nil, err
		}
		list = append(list, b...)
	}
	return list, nil
}

// A LineTable says how a module reads Sites or Pos. First and End are the numbers of the first
// entry that is read, and after the last. Read returns the entries of a block: LineBlock of them,
// or fewer in the last one.
type LineTable[T any] struct {
	First, End int
	Read       func(block int) ([]T, error)
}

// SetLines lets a module read its positions and sites on demand; Sites and Pos stay empty until
// LoadLines.
func (m *Module) SetLines(sites LineTable[Site], pos LineTable[PosEntry]) {
	m.late = &lateLines{
		sites: lateTable[Site]{first: sites.First, end: sites.End, read: sites.Read},
		pos:   lateTable[PosEntry]{first: pos.First, end: pos.End, read: pos.Read},
	}
}

// NumLines returns how many sites and positions exist, including the base's.
func (m *Module) NumLines() (sites, pos int) {
	if l := m.late; l != nil {
		return l.sites.end, l.pos.end
	}
	sites, pos = m.FirstLines()
	return sites + len(m.Sites), pos + len(m.Pos)
}

// FirstLines returns the numbers of Sites[0] and Pos[0].
func (m *Module) FirstLines() (sites, pos int) {
	if m.Base == nil {
		return 0, 0
	}
	return m.Base.NumLines()
}

// AddSite adds a site to a module that is being made, and returns its number.
func (m *Module) AddSite(s Site) int32 {
	n, _ := m.NumLines()
	m.Sites = append(m.Sites, s)
	return int32(n)
}

// AddPosition adds a position to a module that is being made.
func (m *Module) AddPosition(e PosEntry) Pos {
	_, n := m.NumLines()
	m.Pos = append(m.Pos, e)
	return Pos(n)
}

// LoadLines makes Sites and Pos complete. Call it before using the tables themselves instead of
// Position and Site. After an error from reading they are empty, and the next call tries again.
// Several goroutines may call it at once.
func (m *Module) LoadLines() error {
	l := m.late
	if l == nil {
		return nil
	}
	return l.all.load(func() error {
		sites, pos := m.FirstLines()
		s, err := l.sites.all(sites)
		if err != nil {
			return err
		}
		p, err := l.pos.all(pos)
		if err == nil {
			m.Sites, m.Pos = s, p
		}
		return err
	})
}

// lines returns all sites and positions, those of the base first.
func (m *Module) lines() (sites []Site, pos []PosEntry, err error) {
	if m.Base != nil {
		if sites, pos, err = m.Base.lines(); err != nil {
			return nil, nil, err
		}
	}
	err = m.LoadLines()
	return append(sites, m.Sites...), append(pos, m.Pos...), err
}

var errNoLine = errors.New("ir: no such position")

// ReadPosition returns the entry of a position. The error says that it does not exist, or why it
// cannot be read.
func (m *Module) ReadPosition(p Pos) (e PosEntry, err error) {
	if _, n := m.NumLines(); p <= 0 || int(p) >= n {
		return e, errNoLine
	}
	for {
		switch _, first := m.FirstLines(); {
		case int(p) < first:
			m = m.Base
		case m.late != nil:
			return m.late.pos.at(int(p))
		default:
			return m.Pos[int(p)-first], nil
		}
	}
}

// Position returns the entry of a position, and false if it does not exist.
func (m *Module) Position(p Pos) (PosEntry, bool) {
	e, err := m.ReadPosition(p)
	return e, err == nil
}

// Site returns a site by its number, and false if it does not exist.
func (m *Module) Site(n int32) (s Site, ok bool) {
	if end, _ := m.NumLines(); n <= 0 || int(n) >= end {
		return s, false
	}
	for {
		switch first, _ := m.FirstLines(); {
		case int(n) < first:
			m = m.Base
		case m.late != nil:
			s, err := m.late.sites.at(int(n))
			return s, err == nil
		default:
			return m.Sites[int(n)-first], true
		}
	}
}

// Line returns a place in the source, for messages: "" and 0 if it is unknown.
func (m *Module) Line(p Pos) (file string, line int) {
	if m == nil {
		return "", 0
	}
	e, _ := m.Position(p)
	s, ok := m.Site(e.Site)
	if !ok || s.File < 0 || int(s.File) >= len(m.Files) {
		return "", 0
	}
	return m.Files[s.File], int(s.Line)
}
