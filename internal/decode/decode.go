// Package decode takes apart what the cache and states of instances keep: numbers with the lowest byte
// first, or of variable length as in encoding/binary, and counts before what they count. What is cut off or has other lengths than it says
// leaves Short set, and zeros; nothing is allocated for what is not there. Whether the parts fit
// together is for the reader's owner to check.
package decode

import "encoding/binary"

// A Reader takes bytes from the front of B.
type Reader struct {
	B     []byte
	Short bool // there was too little
}

// Bytes returns the next n bytes, which stay a part of B.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.B)) {
		r.Short, r.B = true, nil
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

// Uvarint returns the next number of variable length. One that is larger than most, or longer than it need be, leaves Short set.
func (r *Reader) Uvarint(most uint64) uint64 {
	v, n := binary.Uvarint(r.B)
	if n <= 0 || v > most || n > 1 && r.B[n-1] == 0 {
		r.Short, r.B = true, nil
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Varint returns the next number of variable length that has a sign.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.B)
	if n <= 0 || n > 1 && r.B[n-1] == 0 {
		r.Short, r.B = true, nil
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Text returns the next length, of variable length itself, and as many bytes.
func (r *Reader) Text() string { return string(r.Bytes(r.Uvarint(uint64(len(r.B))))) }

// Count returns a number of things, of 4 bytes, that take at least size bytes each.
func (r *Reader) Count(size int) int {
	n := r.U32()
	if uint64(n)*uint64(size) > uint64(len(r.B)) {
		r.Short = true
		return 0
	}
	return int(n)
}

// End reports whether all was there and nothing is left.
func (r *Reader) End() bool { return !r.Short && len(r.B) == 0 }
