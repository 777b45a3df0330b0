package runtime

import (
	_ "internal/chacha8rand"
	_ "unsafe" // for go:linkname
)

// Functions that are assembly in the real library and that compiled code cannot
// do without.

// On this architecture the block function jumps to the portable one.
//
//go:linkname chacha8_block internal/chacha8rand.block
func chacha8_block(seed *[4]uint64, blocks *[32]uint64, counter uint32) {
	chacha8_block_generic(seed, blocks, counter)
}

//go:linkname chacha8_block_generic internal/chacha8rand.block_generic
func chacha8_block_generic(seed *[4]uint64, blocks *[32]uint64, counter uint32)

// Code signatures that mark a binary's use of cryptography: they do nothing.

//go:linkname sig_BoringCrypto crypto/internal/boring/sig.BoringCrypto
func sig_BoringCrypto() {}

//go:linkname sig_FIPSOnly crypto/internal/boring/sig.FIPSOnly
func sig_FIPSOnly() {}

//go:linkname sig_StandardCrypto crypto/internal/boring/sig.StandardCrypto
func sig_StandardCrypto() {}
