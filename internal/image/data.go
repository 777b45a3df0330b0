package image

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// Runs of at least minZeros zero bytes are left out of the data, as far as
// the whole stays below maxExpansion times its image.
const (
	minZeros     = 32
	maxExpansion = 64
)

// encodeData writes the length, then pairs: a number of zero bytes, a number of
// other bytes and these. With a base, the bytes are the exclusive or of both data.
func encodeData(w *writer, data, base []byte) {
	w.uint(len(data))
	start := len(w.b)
	encodeRuns(w, data, base)
	if len(data)-len(base) > maxExpansion*(len(w.b)-start) {
		w.b = w.b[:start]
		w.uint(0)
		w.uint(len(data))
		w.b = appendXOR(w.b, data, base)
	}
}

// appendXOR appends the exclusive or of data and base, which may be longer or shorter: missing
// bytes count as zero.
func appendXOR(b, data, base []byte) []byte {
	at := len(b)
	b = append(b, data...)
	subtle.XORBytes(b[at:], b[at:], base[:min(len(base), len(data))])
	return b
}

func encodeRuns(w *writer, data, base []byte) {
	for at := 0; at < len(data); {
		zeros := same(data, base, at)
		if zeros < minZeros && at+zeros < len(data) {
			zeros = 0
		}
		// The rest lasts to the next long run.
		n := zeros
		for at+n < len(data) {
			z := same(data, base, at+n)
			if z >= minZeros {
				break
			}
			n += max(z, 1)
		}
		w.uint(zeros)
		w.uint(n - zeros)
		w.b = appendXOR(w.b, data[at+zeros:at+n], base[min(at+zeros, len(base)):])
		at += n
	}
}

// same returns how many bytes data and base have in common from a place on.
func same(data, base []byte, at int) int {
	i := at
	for end := min(len(data), len(base)) - 8; i <= end; i += 8 {
		if x := binary.LittleEndian.Uint64(data[i:]) ^ binary.LittleEndian.Uint64(base[i:]); x != 0 {
			return i - at + bits.TrailingZeros64(x)/8
		}
	}
	for i < len(data) && (i < len(base) && data[i] == base[i] || i >= len(base) && data[i] == 0) {
		i++
	}
	return i - at
}

// readData gives the module its data. From a trusted image they are read on demand.
func (im *Image) readData(m *ir.Module) error {
	c := cursor{b: im.sections[secData]}
	below := 0
	if m.Base != nil {
		below = m.Base.DataSize()
	}
	n := c.uvarint()
	if n > ir.MaxObject || im.lateData == nil && n > uint64(c.left())*maxExpansion+uint64(below) {
		c.fail("more data than the section holds")
		return c.end("data")
	}
	size := int(n)
	if im.trusted {
		m.SetData(size, func(dst []byte, at int) error { return im.data(m.Base, size, dst, at) })
		return nil
	}
	if err := im.checkData(size); err != nil {
		return err
	}
	m.Data = make([]byte, size)
	return im.data(m.Base, size, m.Data, 0)
}

// checkData reports what is wrong with the data, which have size bytes.
func (im *Image) checkData(size int) error {
	c := cursor{b: im.sections[secData]}
	c.uvarint()
	for at := 0; at < size && c.err == nil; {
		zeros, b := run(&c, size-at)
		at += zeros + len(b)
	}
	return c.end("data")
}

// run reads a number of zeros and the bytes after them, most bytes together at most.
func run(c *cursor, most int) (zeros int, b []byte) {
	n := c.uvarint()
	if n > uint64(most) {
		c.fail("more data than announced")
		return 0, nil
	}
	b = c.bytes()
	if uint64(len(b)) > uint64(most)-n || n == 0 && len(b) == 0 {
		c.fail("more data than announced")
		return 0, nil
	}
	return int(n), b
}

// data copies the data of a module that has size bytes of them, from a place on.
func (im *Image) data(base *ir.Module, size int, dst []byte, at int) error {
	below := 0
	if base != nil {
		below = base.DataSize()
	}
	n := min(len(dst), max(0, below-at))
	if n > 0 {
		if err := base.ReadData(dst[:n], at); err != nil {
			return err
		}
	}
	if im.lateData == nil {
		clear(dst[n:])
	} else {
		if n < len(dst) {
			if err := im.lateData(dst[n:], max(0, at-below)); err != nil {
				return err
			}
		}
		size = below // the section is about the base's part
	}
	c := cursor{b: im.sections[secData]}
	c.uvarint()
	for pos := 0; pos < min(size, at+len(dst)) && c.err == nil; {
		zeros, b := run(&c, size-pos)
		pos += zeros
		if skip := max(0, at-pos); skip < len(b) && pos+skip < at+len(dst) {
			to := dst[pos+skip-at:]
			subtle.XORBytes(to, to, b[skip:])
		}
		pos += len(b)
	}
	return c.err
}

// splitData separates from the section the program's own data. The data of its base have below
// bytes.
func (im *Image) splitData(below int) (rest, late []byte, err error) {
	c := cursor{b: im.sections[secData]}
	size := int(c.uvarint())
	all := make([]byte, size)
	if err := im.data(nil, size, all, 0); err != nil {
		return nil, nil, err
	}
	var w writer
	w.uint(size)
	encodeRuns(&w, all[:below], nil)
	return w.b, all[below:], nil
}
