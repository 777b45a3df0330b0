package engine

import (
	"math/bits"
	"sync"

	"github.com/gyrvm/gyr/state"
)

// Reading ahead.
//
// The pages of a state are used in ascending order, or nearly so. While a batch of them is used, the
// hashes of the next one are computed in another goroutine. Only the restoring goroutine reads
// pages from the source.

// batchPages is how many pages a batch has: enough to make the change of goroutines cheap.
const batchPages = 64

// A batch is a part of a state's pages, in ascending order.
type batch struct {
	numbers []uint32
	errs    []error // by index, when hashed is over
	want    []state.Hash
	buf     [batchPages][state.PageSize]byte
	hashed  sync.WaitGroup
	used    int // pages before it were used
}

// page waits for a page and returns it. It reports false if the batch does not have it.
func (b *batch) page(number uint32) (content []byte, err error, ok bool) {
	for i := b.used; i < len(b.numbers); i++ {
		if b.numbers[i] == number {
			b.hashed.Wait()
			b.used = i + 1
			return b.buf[i][:], b.errs[i], true
		}
	}
	return nil, nil, false
}

// fill reads the pages of the state from a number on, and begins to compute their hashes.
func (b *batch) fill(s *openedState, from uint32) {
	b.hashed.Wait()
	b.numbers, b.errs, b.want, b.used = b.numbers[:0], b.errs[:0], b.want[:0], 0
	for n, ok := s.next(from); ok && len(b.numbers) < batchPages; n, ok = s.next(n + 1) {
		i := len(b.numbers)
		want, err := s.tree.Page(n)
		if err == nil {
			err = s.saved.ReadPage(n, b.buf[i][:])
		}
		b.numbers, b.errs, b.want = append(b.numbers, n), append(b.errs, err), append(b.want, want)
		if err != nil {
			break // pages after it are not needed
		}
	}
	b.hashed.Go(func() {
		for i := range b.numbers {
			if b.errs[i] == nil && state.HashPage(b.buf[i][:]) != b.want[i] {
				b.errs[i] = state.ErrDamaged
			}
		}
	})
}

// next returns the first page from a number on that was not used yet.
func (s *openedState) next(from uint32) (uint32, bool) {
	for i := from / 64; i < uint32(len(s.pages)); i++ {
		x := s.pages[i]
		if i == from/64 {
			x &= ^uint64(0) << (from % 64)
		}
		if x != 0 {
			return i*64 + uint32(bits.TrailingZeros64(x)), true
		}
	}
	return 0, false
}

// read returns a page that was held against the tree. It is valid until the next call.
func (s *openedState) read(number uint32) ([]byte, error) {
	if s.now == nil {
		s.now, s.then = new(batch), new(batch)
	}
	content, err, ok := s.now.page(number)
	if ok {
		return content, err
	}
	s.now, s.then = s.then, s.now
	if content, err, ok = s.now.page(number); !ok {
		s.now.fill(s, number)
		content, err, _ = s.now.page(number)
	}
	s.then.fill(s, s.now.numbers[len(s.now.numbers)-1]+1)
	return content, err
}
