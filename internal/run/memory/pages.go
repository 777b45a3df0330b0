package memory

import (
	"runtime"
	"unsafe"
)

// Pages are memory of the host outside Go's heap, for data that a guest can make grow and cannot
// see. Go's collector neither counts nor scans them, untouched ones cost nothing, and freed ones
// are gone at once. The zero value is empty. Bytes may not hold pointers to Go's heap.
//
// Go's collector frees pages that have become unreachable. So a user of Bytes must keep the Pages
// reachable.
type Pages struct {
	Bytes  []byte
	mapped *owned // mapped by the operating system; nil: from Go's heap
}

// An owned mapping goes back to the operating system when it becomes unreachable, unless it was
// given back before.
type owned struct {
	bytes   []byte
	cleanup runtime.Cleanup
}

func newOwned(b []byte, unmap func([]byte)) *owned {
	m := &owned{bytes: b}
	m.cleanup = runtime.AddCleanup(m, unmap, b)
	return m
}

// kept records that the memory was given back, or moved, explicitly.
func (m *owned) kept() {
	m.cleanup.Stop()
	runtime.KeepAlive(m)
}

// pageGrain is a multiple of every host's page size.
const pageGrain = 64 << 10

// MapPages returns at least n zeroed bytes. If the operating system refuses
// they come from Go's heap.
func MapPages(n int) Pages {
	n = (max(n, 1) + pageGrain - 1) &^ (pageGrain - 1)
	if b, err := mapPages(n); err == nil {
		return Pages{b, newOwned(b, unmapPages)}
	}
	w := make([]uint64, n/8)
	return Pages{unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n), nil}
}

// Grow makes p hold at least n bytes. It may move p; the contents are kept.
func (p *Pages) Grow(n int) {
	if n <= len(p.Bytes) {
		return
	}
	if p.mapped != nil {
		if b, err := remapPages(p.Bytes, (n+pageGrain-1)&^(pageGrain-1)); err == nil {
			p.mapped.kept()
			*p = Pages{b, newOwned(b, unmapPages)}
			return
		}
	}
	q := MapPages(n)
	copy(q.Bytes, p.Bytes)
	p.Free()
	*p = q
}

// GrowDown makes p hold at least n bytes. It moves p, and keeps the contents at its end.
func (p *Pages) GrowDown(n int) { p.growDown(n, movePages) }

const (
	// From moveFrom on GrowDown moves page tables and not bytes, so that its time is small for
	// every size. What was moved is a mapping of its own to the system, which limits their number.
	moveFrom = 4 << 20

	dropStep = 1 << 20 // bytes copied before their source is given back
)

func (p *Pages) growDown(n int, move func(to, from []byte) error) {
	if n <= len(p.Bytes) {
		return
	}
	q := MapPages(n)
	to := q.Bytes[len(q.Bytes)-len(p.Bytes):]
	if !canMove || p.mapped == nil || q.mapped == nil || len(to) < moveFrom {
		copyPages(to, p, 0)
		p.Free()
		*p = q
		return
	}
	p.mapped.kept()
	// Earlier moved parts have to be moved one by one. With sizes that are powers of two, these are
	// the second half, the second half of the first, and so on from the end.
	for at := 0; at < len(to); {
		k := ((len(to)-at)/2 + pageGrain - 1) &^ (pageGrain - 1)
		if move(to[at:at+k], p.Bytes[at:at+k]) != nil {
			// The system refuses. At to[at:at+k] there may now be no memory, or soon memory of
			// another owner.
			q.mapped.kept()
			r := MapPages(n)
			end := r.Bytes[len(r.Bytes)-len(to):]
			copy(end, to[:at])
			copyPages(end, p, at)
			unmapPages(q.Bytes[:len(q.Bytes)-len(to)+at])
			if at+k < len(to) {
				unmapPages(to[at+k:])
			}
			unmapPages(p.Bytes[at:])
			*p = r
			return
		}
		at += k
	}
	*p = q
}

// copyPages copies p from at on to the same place in to, and gives the source back on the way.
func copyPages(to []byte, p *Pages, at int) {
	for at < len(p.Bytes) {
		k := copy(to[at:], p.Bytes[at:min(at+dropStep, len(p.Bytes))])
		p.Drop(at, k)
		at += k
	}
}

// Free gives the memory back.
func (p *Pages) Free() {
	if p.mapped != nil {
		p.mapped.kept()
		unmapPages(p.Bytes)
	}
	*p = Pages{}
}

// Drop gives back the memory of the n bytes at off. Their contents are then undefined, but they may
// be used again.
func (p *Pages) Drop(off, n int) {
	const page = 4 << 10 // with a larger page size the call only fails
	lo, hi := (off+page-1)&^(page-1), (off+n)&^(page-1)
	if p.mapped != nil && lo < hi {
		decommit(p.Bytes[lo:hi])
	}
}

// A Vec is an array of T, which must not hold pointers. It grows like a slice, but once it is large
// it lies outside Go's heap. Elements are read and written through List.
type Vec[T any] struct {
	List  []T
	pages Pages
}

// vecSmall is the size in bytes up to which a Vec is in Go's heap.
const vecSmall = 64 << 10

// Append adds an element.
func (v *Vec[T]) Append(x T) {
	if len(v.List) == cap(v.List) {
		v.Grow(1)
	}
	v.List = append(v.List, x)
}

// Grow makes room for n more elements.
func (v *Vec[T]) Grow(n int) {
	have := len(v.List)
	if have+n <= cap(v.List) {
		return
	}
	var t T
	size := int(unsafe.Sizeof(t))
	want := max(have+n, 2*cap(v.List), 1024/size)
	if want*size <= vecSmall {
		list := make([]T, have, want)
		copy(list, v.List)
		v.List = list
		return
	}
	small := v.pages.Bytes == nil
	v.pages.Grow(want * size)
	all := unsafe.Slice((*T)(unsafe.Pointer(&v.pages.Bytes[0])), len(v.pages.Bytes)/size)
	if small {
		copy(all, v.List)
	}
	v.List = all[:have]
}

// Clear removes all elements, and gives back the memory of an array larger than
// keep bytes.
func (v *Vec[T]) Clear(keep int) {
	if len(v.pages.Bytes) > keep {
		v.Free()
		return
	}
	v.List = v.List[:0]
}

// Free removes all elements and gives the memory back.
func (v *Vec[T]) Free() {
	v.pages.Free()
	v.List = nil
}
