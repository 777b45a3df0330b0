//go:build !unix

package native

import "errors"

// An Arena is address space for code. This system has none.
type Arena struct{ Trap byte }

// ErrArenaFull says that an arena's address space is used up.
var ErrArenaFull = errors.New("native: the arena for code is full")

// NewArena fails.
func NewArena(data, size int) (*Arena, error) {
	return nil, errors.New("native: no memory for code on this system")
}

func (a *Arena) Data() []byte { return nil }

func (a *Arena) Contains(at uintptr) bool { return false }

func (a *Arena) Publish(list [][]byte, fix func(i int, code []byte, at uintptr)) ([]uintptr, error) {
	return nil, ErrArenaFull
}

func (a *Arena) Close() error { return nil }
