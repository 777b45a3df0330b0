package main

import "math/bits"

// The hash of keys, as package interp has it.

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func foldStart(seed, n uint64) uint64 { return fold(seed^0xa0761d6478bd642f, n^0xe7037ed1a0b428db) }

func foldWord(h, word uint64) uint64 { return fold(h^word, 0x8ebc6af09c88c6e3) }
