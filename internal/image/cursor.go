package image

import "math"

// A cursor reads a section. It keeps the first error in err, and from then on everything reads as
// zero: loops are bounded by checked counts, and ask for the error at their end.
type cursor struct {
	b   []byte
	off int
	err error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = formatError(format, args...)
	}
	c.b, c.off = nil, 0
}

func (c *cursor) left() int { return len(c.b) - c.off }

func (c *cursor) byte() byte {
	if c.off >= len(c.b) {
		c.fail("truncated")
		return 0
	}
	x := c.b[c.off]
	c.off++
	return x
}

func (c *cursor) uvarint() uint64 {
	if c.off < len(c.b) {
		if x := c.b[c.off]; x < 0x80 {
			c.off++
			return uint64(x)
		}
	}
	return c.longUvarint()
}

func (c *cursor) longUvarint() uint64 {
	x := uint64(0)
	for i, b := range c.b[c.off:] {
		if i == 9 && b > 1 {
			c.fail("number of more than 64 bits")
			return 0
		}
		if b < 0x80 {
			if b == 0 && i > 0 {
				c.fail("number in more bytes than it needs")
				return 0
			}
			c.off += i + 1
			return x | uint64(b)<<(7*i)
		}
		x |= uint64(b&0x7f) << (7 * i)
	}
	c.fail("truncated")
	return 0
}

// varint reads a signed number in zigzag.
func (c *cursor) varint() int64 {
	x := c.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// delta reads a signed difference to prev; the sum is an int32 that is not negative.
func (c *cursor) delta(prev int32) int32 {
	x := int64(prev) + c.varint()
	if x < 0 || x > math.MaxInt32 {
		c.fail("reference out of range")
		return 0
	}
	return int32(x)
}

// index reads a number below n.
func (c *cursor) index(n int) int {
	x := c.uvarint()
	if x >= uint64(n) {
		c.fail("reference out of range")
		return 0
	}
	return int(x)
}

// int32 reads a number of 31 bits.
func (c *cursor) int32() int32 {
	return int32(c.atMost(math.MaxInt32))
}

// size reads a number of 63 bits.
func (c *cursor) size() int64 {
	return int64(c.atMost(math.MaxInt64))
}

func (c *cursor) atMost(most uint64) uint64 {
	x := c.uvarint()
	if x > most {
		c.fail("number out of range")
		return 0
	}
	return x
}

// strings reads a list, nil if it is empty.
func (c *cursor) strings() []string {
	n := c.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = c.string()
	}
	return list
}

// count reads a number of things. Each takes at least min of the remaining bytes.
func (c *cursor) count(min int) int {
	n := c.uvarint()
	if n > uint64(c.left()/min) {
		c.fail("truncated: more elements than bytes")
		return 0
	}
	return int(n)
}

// bytes reads a count and as many bytes, which are not copied.
func (c *cursor) bytes() []byte {
	n := c.count(1)
	b := c.b[c.off : c.off+n : c.off+n]
	c.off += n
	return b
}

func (c *cursor) string() string { return string(c.bytes()) }

// words reads a count and as many words.
func (c *cursor) words() []uint64 {
	n := c.count(1)
	if n == 0 {
		return nil
	}
	ws := make([]uint64, n)
	for i := range ws {
		ws[i] = c.uvarint()
	}
	return ws
}

func (c *cursor) bool() bool {
	switch c.byte() {
	case 0:
		return false
	case 1:
		return true
	}
	c.fail("neither true nor false")
	return false
}

// end returns the error of the section; unread bytes are one.
func (c *cursor) end(name string) error {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes too many", c.left())
	}
	if e, ok := c.err.(*FormatError); ok {
		return formatError("%s: %s", name, e.Reason)
	}
	return c.err
}
