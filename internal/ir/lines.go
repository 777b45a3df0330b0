package ir

import "sync"

// The tables of positions and sites say where in the source an operation stands. Tracebacks, profiles and compilers
// ask them; a program that runs from a cache and ends well does not. So a module that was read from a trusted image
// reads them when they are asked for first.

// lateLines reads the tables of a module once.
type lateLines struct {
	once       sync.Once
	sites, pos int
	read       func() ([]Site, []PosEntry, error)
	err        error
}

// SetLines lets a module read Sites and Pos, which stay empty until then, when LoadLines is called first. It also says
// how many there will be.
func (m *Module) SetLines(sites, pos int, read func() ([]Site, []PosEntry, error)) {
	m.late = &lateLines{sites: sites, pos: pos, read: read}
}

// NumLines returns the lengths of Sites and Pos.
func (m *Module) NumLines() (sites, pos int) {
	if l := m.late; l != nil {
		return l.sites, l.pos
	}
	return len(m.Sites), len(m.Pos)
}

// LoadLines makes Sites and Pos complete. Whoever looks at the tables themselves, and not through Position and Site,
// calls it first. After an error, which is that of reading them, they are empty. It may be called by several goroutines
// at a time.
func (m *Module) LoadLines() error {
	l := m.late
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		sites, pos, err := l.read()
		if l.err = err; err == nil {
			m.Sites, m.Pos = sites, pos
		}
	})
	return l.err
}

// Position returns the entry of a position, and false if there is none.
func (m *Module) Position(p Pos) (PosEntry, bool) {
	m.LoadLines()
	if p <= 0 || int(p) >= len(m.Pos) {
		return PosEntry{}, false
	}
	return m.Pos[p], true
}

// Site returns a site by its number, and false if there is none.
func (m *Module) Site(n int32) (Site, bool) {
	m.LoadLines()
	if n <= 0 || int(n) >= len(m.Sites) {
		return Site{}, false
	}
	return m.Sites[n], true
}

// Line is a place in the source, for messages: "" and 0 if it is not known.
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
