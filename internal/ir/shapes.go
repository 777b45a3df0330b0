package ir

// Shapes are for reflection, which few programs use: a module that was read from a trusted image reads them when one is
// asked for first.

// lateShapes reads the shapes of a module.
type lateShapes struct {
	n    int
	read func() ([]*Shape, error)
	all  late
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
// reading it, the table is empty, and the next call tries again. It may be called by several goroutines at a time.
func (m *Module) LoadShapes() error {
	l := m.lateShapes
	if l == nil {
		return nil
	}
	return l.all.load(func() error {
		list, err := l.read()
		if err == nil {
			m.Shapes = list
		}
		return err
	})
}

// Shape returns the shape that a function or a call names: an index into Shapes plus 1. It returns nil if there is none,
// or if the shapes cannot be read.
func (m *Module) Shape(n int32) *Shape {
	if m.LoadShapes() != nil || n <= 0 || int(n) > len(m.Shapes) {
		return nil
	}
	return m.Shapes[n-1]
}
