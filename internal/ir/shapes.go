package ir

// Shapes serve reflection, which few programs use: a module that was read from a trusted image
// reads them on first use.

// lateShapes reads the shapes of a module.
type lateShapes struct {
	n    int
	read func() ([]*Shape, error)
	all  late
}

// SetShapes lets a module read its n Shapes on first use.
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

// LoadShapes makes Shapes complete. Call it before using the table itself. After an error from
// reading, the table is empty, and the next call tries again. Several goroutines may call it at
// once.
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

// Shape returns the shape that a function or a call names: an index into Shapes plus 1. It returns
// nil if it does not exist, or if the shapes cannot be read.
func (m *Module) Shape(n int32) *Shape {
	if m.LoadShapes() != nil || n <= 0 || int(n) > len(m.Shapes) {
		return nil
	}
	return m.Shapes[n-1]
}
