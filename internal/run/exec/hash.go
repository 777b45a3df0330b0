package exec

import (
	"encoding/binary"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// MemHash is the hash of OpMemHash, the same in every tier and on every CPU: a multiply-and-fold
// hash in the manner of wyhash. It takes words of 8 bytes from the start. The last 1 to 8 bytes
// (none of an empty string) come at the end, together with the length.
func MemHash(b []byte, seed uint64) uint64 {
	return hashEnd(hashStart(seed, uint64(len(b))), b)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func hashStart(seed, n uint64) uint64 { return mix(seed^ir.HashSeed, n^ir.HashLast) }

// hashBlocks takes a multiple of 8 bytes.
func hashBlocks(h uint64, b []byte) uint64 {
	for len(b) >= 8 {
		h = mix(h^binary.LittleEndian.Uint64(b), ir.HashWord)
		b = b[8:]
	}
	return h
}

func hashEnd(h uint64, b []byte) uint64 {
	for len(b) > 8 {
		h = mix(h^binary.LittleEndian.Uint64(b), ir.HashWord)
		b = b[8:]
	}
	var last uint64
	for i := len(b) - 1; i >= 0; i-- {
		last = last<<8 | uint64(b[i])
	}
	h = mix(h^last, ir.HashLast)
	return (h ^ h>>32) & 0xffffffff
}
