package ir

import (
	"errors"
	"sync"
	"testing"
)

// A failed read is tried again later, and a successful one happens once, however many ask at the
// same time.
func TestLate(t *testing.T) {
	broken, reads := errors.New("broken"), 0
	m := &Module{}
	m.SetData(3, func(dst []byte, at int) error {
		if reads++; reads == 1 {
			return broken
		}
		copy(dst, "abc"[at:])
		return nil
	})
	m.SetShapes(1, func() ([]*Shape, error) {
		if reads++; reads == 3 {
			return []*Shape{nil}, broken
		}
		return []*Shape{{Size: 8}}, nil
	})
	if err := m.LoadData(); err != broken || m.Data != nil || m.DataSize() != 3 {
		t.Errorf("data %q of %d bytes, error %v", m.Data, m.DataSize(), err)
	}
	if err := m.LoadData(); err != nil || string(m.Data) != "abc" {
		t.Errorf("data %q, error %v", m.Data, err)
	}
	if m.Shape(1) != nil || len(m.Shapes) != 0 || m.NumShapes() != 1 {
		t.Errorf("shapes %v of %d", m.Shapes, m.NumShapes())
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if s := m.Shape(1); s == nil || s.Size != 8 {
				t.Errorf("shape %v", s)
			}
		})
	}
	wg.Wait()
	if reads != 4 {
		t.Errorf("read %d times", reads)
	}
}
