package runtime

import _ "internal/chacha8rand"

// The block function of ChaCha8 is assembly that jumps to the portable one.

//go:linkname chacha8_block internal/chacha8rand.block
func chacha8_block(seed *[4]uint64, blocks *[32]uint64, counter uint32) {
	chacha8_block_generic(seed, blocks, counter)
}

//go:linkname chacha8_block_generic internal/chacha8rand.block_generic
func chacha8_block_generic(seed *[4]uint64, blocks *[32]uint64, counter uint32)
