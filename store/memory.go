package store

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// NewMemory returns a [Backend] that lasts as long as the process. It is for tests, and for hosts that want versions and
// roots without a disk.
func NewMemory() Backend { return &memory{} }

type memory struct {
	mu     sync.RWMutex
	closed bool
	values [256]map[string][]byte // by the first byte of the key. A value is never changed, only replaced.
}

func (m *memory) Get(key []byte) ([]byte, bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, false, ErrClosed
	}
	value, ok := m.values[key[0]][string(key)]
	return bytes.Clone(value), ok, nil
}

func (m *memory) Has(key []byte) (bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return false, ErrClosed
	}
	_, ok := m.values[key[0]][string(key)]
	return ok, nil
}

func (m *memory) Scan(prefix []byte, reverse bool, each func(key, value []byte) bool) error {
	type pair struct {
		key   string
		value []byte
	}
	var found []pair
	m.mu.RLock()
	if m.closed {
		m.mu.RUnlock()
		return ErrClosed
	}
	for key, value := range m.values[prefix[0]] {
		if strings.HasPrefix(key, string(prefix)) {
			found = append(found, pair{key, value})
		}
	}
	m.mu.RUnlock()
	slices.SortFunc(found, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	if reverse {
		slices.Reverse(found)
	}
	for _, p := range found {
		if !each([]byte(p.key), bytes.Clone(p.value)) {
			break
		}
	}
	return nil
}

func (m *memory) Write(writes []Write, durable bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for _, w := range writes {
		values := &m.values[w.Key[0]]
		switch {
		case w.Value == nil:
			delete(*values, string(w.Key))
			continue
		case *values == nil:
			*values = map[string][]byte{}
		}
		(*values)[string(w.Key)] = append([]byte{}, w.Value...)
	}
	return nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.values = true, [256]map[string][]byte{}
	return nil
}
