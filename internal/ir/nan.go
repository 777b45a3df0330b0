package ir

// # NaNs
//
// No program sees the sign and payload of a NaN that it has computed, because processors choose them
// differently:
//
//   - OpBitcast from a float gives [NaN64] or [NaN32] for every NaN, the bits of math.NaN().
//   - A NaN in memory has the bits [MemoryNaN64] or [MemoryNaN32], those that an amd64 processor
//     gives to a NaN that comes from no other. There, arithmetic on floats from memory makes no NaN
//     with other bits, and storing one needs no check (decision 31).
//   - A program with package unsafe may look at the memory of a float: in such a program a NaN in
//     memory has the bits NaN64 or NaN32, too.
//
// States and roots contain the memory, so every tier and processor keeps to this.
const (
	NaN64       = 0x7FF8000000000001
	NaN32       = 0x7FC00000
	MemoryNaN64 = 0xFFF8000000000000
	MemoryNaN32 = 0xFFC00000
)

// IsNaN reports whether the bits of a float of type t are those of a NaN.
func IsNaN(t Type, bits uint64) bool {
	if t == F32 {
		return uint32(bits)&(1<<31-1) > 0xff<<23
	}
	return bits&(1<<63-1) > 0x7ff<<52
}

// MemoryNaN returns the bits in memory of a float of type t whose bits are those of a NaN, in a program
// without package unsafe; other bits remain.
func MemoryNaN(t Type, bits uint64) uint64 {
	switch {
	case !IsNaN(t, bits):
		return bits
	case t == F32:
		return MemoryNaN32
	}
	return MemoryNaN64
}
