package main

import "sync"

// A ballast spares a compilation most of the host's collections. It allocates a few hundred
// megabytes, of which little is garbage before it ends: collecting while the heap is small
// takes a fifth of its time. With a large object that nobody touches, and that so takes no
// memory itself, the collector begins when the heap holds as much again. Programs that come from
// the cache do without.
type ballast struct {
	once sync.Once
	b    []byte
}

const ballastSize = 96 << 20

// take is called when a compilation begins, also by several at a time.
func (b *ballast) take() { b.once.Do(func() { b.b = make([]byte, ballastSize) }) }

// drop is called when all are over.
func (b *ballast) drop() { b.b = nil }
