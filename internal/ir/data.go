package ir

// The data segment of the standard library has half a megabyte. A program that runs from a cache
// needs a copy of it in its own memory and nothing else. So a module that was read from a trusted
// image has no Data until LoadData asks for all of it.

// lateData reads the data segment of a module.
type lateData struct {
	size int
	read func(dst []byte, at int) error
	all  late
}

// SetData gives a module data that are kept elsewhere: size bytes, the base's included. read copies
// them from offset at on. Several goroutines may call it at once.
func (m *Module) SetData(size int, read func(dst []byte, at int) error) {
	m.Data, m.lateData = nil, &lateData{size: size, read: read}
}

// DataSize returns the length of Data.
func (m *Module) DataSize() int {
	if l := m.lateData; l != nil {
		return l.size
	}
	return len(m.Data)
}

// ReadData fills dst with data from offset at on; there must be that many.
func (m *Module) ReadData(dst []byte, at int) error {
	if l := m.lateData; l != nil {
		return l.read(dst, at)
	}
	copy(dst, m.Data[at:at+len(dst)])
	return nil
}

// LoadData makes Data complete. Call it before using Data itself. After an error from reading, Data
// is empty, and the next call tries again. Several goroutines may call it at once.
func (m *Module) LoadData() error {
	l := m.lateData
	if l == nil {
		return nil
	}
	return l.all.load(func() error {
		b := make([]byte, l.size)
		err := l.read(b, 0)
		if err == nil {
			m.Data = b
		}
		return err
	})
}
