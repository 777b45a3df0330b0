package store_test

import (
	"testing"

	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/storetest"
)

// A lasting backend is one in memory that can be opened again: Close closes only the opened handle.
type lasting struct {
	store.Backend
	closed bool
}

func (l *lasting) Get(key []byte) ([]byte, bool, error) {
	if l.closed {
		return nil, false, store.ErrClosed
	}
	return l.Backend.Get(key)
}

func (l *lasting) Has(key []byte) (bool, error) {
	if l.closed {
		return false, store.ErrClosed
	}
	return l.Backend.Has(key)
}

func (l *lasting) Scan(prefix []byte, reverse bool, each func(key, value []byte) bool) error {
	if l.closed {
		return store.ErrClosed
	}
	return l.Backend.Scan(prefix, reverse, each)
}

func (l *lasting) Write(writes []store.Write, durable bool) error {
	if l.closed {
		return store.ErrClosed
	}
	return l.Backend.Write(writes, durable)
}

func (l *lasting) Close() error {
	l.closed = true
	return nil
}

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Database {
		m := store.NewMemory()
		return storetest.Database{Open: func() (store.Backend, error) { return &lasting{Backend: m}, nil }}
	})
}

// TestMemoryCloses: a closed backend has no values any more.
func TestMemoryCloses(t *testing.T) {
	m := store.NewMemory()
	if err := m.Write([]store.Write{{Key: []byte("k"), Value: []byte("v")}}, true); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := m.Get([]byte("k")); ok || err != store.ErrClosed {
		t.Error(v, ok, err)
	}
	if ok, err := m.Has([]byte("k")); ok || err != store.ErrClosed {
		t.Error(ok, err)
	}
	if err := m.Scan([]byte("k"), false, nil); err != store.ErrClosed {
		t.Error(err)
	}
	if err := m.Write(nil, true); err != store.ErrClosed {
		t.Error(err)
	}
}
