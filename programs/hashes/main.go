// Command hashes computes checksums that it implements itself: CRC-32, Adler-32, FNV-1a,
// SipHash-2-4 and SHA-256. The size is the number of KiB.
//
// Usage: hashes [size]
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
)

var crcTable = func() (t [256]uint32) {
	for i := range t {
		c := uint32(i)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ 0xedb88320
			} else {
				c >>= 1
			}
		}
		t[i] = c
	}
	return t
}()

func crc32(b []byte) uint32 {
	c := ^uint32(0)
	for _, v := range b {
		c = crcTable[byte(c)^v] ^ c>>8
	}
	return ^c
}

func adler32(b []byte) uint32 {
	s, t := uint32(1), uint32(0)
	for len(b) > 0 {
		k := min(len(b), 5552) // so many sums of bytes fit in 32 bits
		for _, v := range b[:k] {
			s += uint32(v)
			t += s
		}
		s, t, b = s%65521, t%65521, b[k:]
	}
	return t<<16 | s
}

func fnv1a(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range b {
		h = (h ^ uint64(v)) * 1099511628211
	}
	return h
}

func sipRound(a, b, c, d uint64) (uint64, uint64, uint64, uint64) {
	a += b
	c += d
	b = bits.RotateLeft64(b, 13) ^ a
	d = bits.RotateLeft64(d, 16) ^ c
	a = bits.RotateLeft64(a, 32)
	c += b
	a += d
	b = bits.RotateLeft64(b, 17) ^ c
	d = bits.RotateLeft64(d, 21) ^ a
	c = bits.RotateLeft64(c, 32)
	return a, b, c, d
}

func sipHash(k0, k1 uint64, b []byte) uint64 {
	v0, v1 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d
	v2, v3 := k0^0x6c7967656e657261, k1^0x7465646279746573
	last := uint64(len(b)) << 56
	for ; len(b) >= 8; b = b[8:] {
		m := binary.LittleEndian.Uint64(b)
		v3 ^= m
		for range 2 {
			v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		}
		v0 ^= m
	}
	for i, v := range b {
		last |= uint64(v) << (8 * i)
	}
	v3 ^= last
	for range 2 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

// The constants of SHA-256 are the first bits behind the point of the roots of
// the first primes.
var shaStart, shaRound = func() (start [8]uint32, round [64]uint32) {
	fraction := func(x float64) uint32 { return uint32(math.Floor((x - math.Floor(x)) * (1 << 32))) }
	for p, k := 2, 0; k < len(round); p++ {
		prime := true
		for d := 2; d*d <= p; d++ {
			if p%d == 0 {
				prime = false
				break
			}
		}
		if prime {
			if k < len(start) {
				start[k] = fraction(math.Sqrt(float64(p)))
			}
			round[k] = fraction(math.Cbrt(float64(p)))
			k++
		}
	}
	return start, round
}()

func shaBlock(h *[8]uint32, block []byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := 16; i < 64; i++ {
		s0 := bits.RotateLeft32(w[i-15], -7) ^ bits.RotateLeft32(w[i-15], -18) ^ w[i-15]>>3
		s1 := bits.RotateLeft32(w[i-2], -17) ^ bits.RotateLeft32(w[i-2], -19) ^ w[i-2]>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	a, b, c, d, e, f, g, z := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	for i, k := range shaRound {
		t1 := z + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (e&f ^ ^e&g) + k + w[i]
		t2 := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&b ^ a&c ^ b&c)
		z, g, f, e, d, c, b, a = g, f, e, d+t1, c, b, a, t1+t2
	}
	h[0] += a
	h[1] += b
	h[2] += c
	h[3] += d
	h[4] += e
	h[5] += f
	h[6] += g
	h[7] += z
}

func sha256(b []byte) (sum [32]byte) {
	h := shaStart
	rest := b
	for ; len(rest) >= 64; rest = rest[64:] {
		shaBlock(&h, rest[:64])
	}
	var tail [128]byte
	k := copy(tail[:], rest)
	tail[k] = 0x80
	end := 64
	if k+9 > 64 {
		end = 128
	}
	binary.BigEndian.PutUint64(tail[end-8:], uint64(len(b))*8)
	for i := 0; i < end; i += 64 {
		shaBlock(&h, tail[i:i+64])
	}
	for i, v := range h {
		binary.BigEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}

func main() {
	n := size(20000)
	b := make([]byte, 1024)
	for i := range b {
		b[i] = byte(i*i + i>>3)
	}
	var crc, adler uint32
	var fnv, sip uint64
	var sha [32]byte
	for i := range n {
		binary.LittleEndian.PutUint64(b[i%1000:], uint64(i))
		crc = crc*31 + crc32(b)
		adler = adler*31 + adler32(b)
		fnv = fnv*31 + fnv1a(b)
		sip = sip*31 + sipHash(1, uint64(i), b[:1000+i%24])
		copy(b, sha[:])
		sha = sha256(b[:900+i%124])
	}
	fmt.Printf("%08x %08x %016x %016x %x\n", crc, adler, fnv, sip, sha)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
