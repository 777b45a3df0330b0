// Package arena keeps the working memory of compilations from one function to the next. New memory,
// and the host's collections that it causes, were more than half of the cost of compiling to
// machine code.
package arena

import "unsafe"

// A Slab hands out slices that live until its next Reset. A compilation takes its tables from
// slabs, so the next one needs no new memory. The zero value is ready.
type Slab[T any] struct {
	mem  []T
	used int
}

// slabBytes is the most memory that a slab keeps over a Reset.
const slabBytes = 512 << 10

// Make returns n zero elements, with no spare capacity.
func (s *Slab[T]) Make(n int) []T {
	if n > len(s.mem)-s.used {
		s.mem, s.used = make([]T, max(2*len(s.mem), n, 64)), 0
	}
	at := s.used
	s.used += n
	return s.mem[at:s.used:s.used]
}

// Copy returns a copy of list.
func (s *Slab[T]) Copy(list []T) []T {
	c := s.Make(len(list))
	copy(c, list)
	return c
}

// Append is append with memory of the slab. The list came from the slab or is nil.
func (s *Slab[T]) Append(list []T, x T) []T {
	if n := len(list); n == cap(list) {
		list = append(s.Make(max(2*n, 2))[:0], list...)
	}
	return append(list, x)
}

// Reset takes everything back.
func (s *Slab[T]) Reset() {
	var x T
	if len(s.mem)*int(unsafe.Sizeof(x)) > slabBytes {
		*s = Slab[T]{}
		return
	}
	clear(s.mem[:s.used])
	s.used = 0
}

// Kept empties a list and keeps its memory, unless that is too much.
func Kept[T any](list []T) []T {
	var x T
	if cap(list)*int(unsafe.Sizeof(x)) > slabBytes {
		return nil
	}
	clear(list)
	return list[:0]
}
