package wasi

import (
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The content of a regular file of the tree is a set of blocks. Blocks of zeros need not exist.

const (
	blockSize = memory.UnitBlock - memory.UnitEntry // the rest is a block's place in the index
	maxFile   = 1 << 40                             // the largest size of a file
)

type content struct {
	size   int64
	blocks map[int64]*[blockSize]byte
}

// readAt copies bytes from an offset.
func (c *content) readAt(p []byte, off int64) int {
	if off >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-off)]
	for done := 0; done < len(p); {
		at := (off + int64(done)) % blockSize
		to := p[done:min(len(p), done+int(blockSize-at))]
		if b := c.blocks[(off+int64(done))/blockSize]; b != nil {
			copy(to, b[at:])
		} else {
			clear(to)
		}
		done += len(to)
	}
	return len(p)
}

// writeAt stores bytes at an offset of a node's content. It stops at the memory limit.
func (s *System) writeAt(n *node, p []byte, off int64) (int, Errno) {
	c := &n.data
	if off > maxFile-int64(len(p)) {
		return 0, EFBIG
	}
	done := 0
	for done < len(p) {
		i, at := (off+int64(done))/blockSize, (off+int64(done))%blockSize
		b := c.blocks[i]
		if b == nil {
			if !s.host.Charge(memory.UnitBlock) {
				return done, OutOfMemory
			}
			if c.blocks == nil {
				c.blocks = map[int64]*[blockSize]byte{}
			}
			b = new([blockSize]byte)
			c.blocks[i] = b
		}
		done += copy(b[at:], p[done:])
		c.size = max(c.size, off+int64(done))
	}
	return done, Success
}

// blocksOf returns the number of blocks in a file of a size.
func blocksOf(size int64) int64 { return (size + blockSize - 1) / blockSize }

// resize extends a node's content by zeros, or shortens it.
func (s *System) resize(n *node, size int64) {
	c := &n.data
	if size < c.size {
		keep, end := blocksOf(size), blocksOf(c.size)
		drop := func(i int64) {
			delete(c.blocks, i)
			s.host.Charge(-memory.UnitBlock)
		}
		if n := int64(len(c.blocks)); n < end-keep { // far more places than blocks
			s.host.Spend(workBlock * n)
			for i := range c.blocks {
				if i >= keep {
					drop(i)
				}
			}
		} else {
			s.host.Spend(workBlock * (end - keep))
			for i := keep; i < end; i++ {
				if c.blocks[i] != nil {
					drop(i)
				}
			}
		}
		if b := c.blocks[size/blockSize]; b != nil {
			clear(b[size%blockSize:])
		}
		if len(c.blocks) == 0 {
			c.blocks = nil
		}
	}
	c.size = size
}
