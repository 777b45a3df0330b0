// Package decode decodes data of the cache and of states: little-endian numbers, numbers of
// variable length as in encoding/binary, counts before what they count (decode.go), and maps
// (table.go).
//
// If data is truncated or a length is wrong, the Reader sets Short and returns zeros. It allocates
// nothing for data that does not exist. The caller checks whether the parts fit together.
package decode

import "encoding/binary"

// A Reader takes bytes from the front of B.
type Reader struct {
	B     []byte
	Short bool // B was too short
}

// Fail sets Short: what was read means nothing, and neither does the rest.
func (r *Reader) Fail() { r.Short, r.B = true, nil }

// Bytes returns the next n bytes. They remain a part of B.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.B)) {
		r.Fail()
		return nil
	}
	b := r.B[:n:n]
	r.B = r.B[n:]
	return b
}

// U32 returns the next number of 4 bytes.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 returns the next number of 8 bytes.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint returns the next number of variable length. It sets Short if the number is larger than
// most, or not in its shortest form.
func (r *Reader) Uvarint(most uint64) uint64 {
	v, n := binary.Uvarint(r.B)
	if n <= 0 || v > most || n > 1 && r.B[n-1] == 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Varint returns the next signed number of variable length.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.B)
	if n <= 0 || n > 1 && r.B[n-1] == 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Text returns the next text: a length of variable length, and that many bytes.
func (r *Reader) Text() string { return string(r.Bytes(r.Uvarint(uint64(len(r.B))))) }

// Count returns the next number, of 4 bytes. It counts items of at least size bytes each, and is
// checked against the length of B.
func (r *Reader) Count(size int) int {
	n := r.U32()
	if uint64(n)*uint64(size) > uint64(len(r.B)) {
		r.Short = true
		return 0
	}
	return int(n)
}

// End reports whether everything was read and nothing is left.
func (r *Reader) End() bool { return !r.Short && len(r.B) == 0 }
