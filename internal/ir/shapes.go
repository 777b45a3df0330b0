package ir

import "sync"

// Shapes are for reflection, which few programs use: a module that was read from a trusted image reads them when one is
// asked for first.

// lateShapes reads the shapes of a module.
type lateShapes struct {
	n    int
	read func() ([]*Shape, error)
	once sync.Once
	err  error
}

// SetShapes lets a module read Shapes, of which there are n, when they are asked for first.
func (m *Module) SetShapes(n int, read func() ([]*Shape, error)) {
	m.Shapes, m.lateShapes = nil, &lateShapes{n: n, read: read}
}

// NumShapes returns the length of Shapes.
func (m *Module) NumShapes() int {
	if l := m.lateShapes; l != nil {
		return l.n
	}
	return len(m.Shapes)
}

// LoadShapes makes Shapes complete. Whoever looks at the table itself calls it first. After an error, which is that of
// reading it, the table is empty. It may be called by several goroutines at a time.
func (m *Module) LoadShapes() error {
	l := m.lateShapes
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		list, err := l.read()
		if l.err = err; err == nil {
			m.Shapes = list
		}
	})
	return l.err
}

// Shape returns the shape that a function or a call names: an index into Shapes plus 1. It returns nil if there is none,
// or if the shapes cannot be read.
func (m *Module) Shape(n int32) *Shape {
	if m.LoadShapes() != nil || n <= 0 || int(n) > len(m.Shapes) {
		return nil
	}
	return m.Shapes[n-1]
}
