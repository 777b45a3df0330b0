package rt

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// # Kernels
//
// Inner loops of the standard library that have assembly in native Go, or that vectors make many times as
// fast, run in the host: the block function of SHA-256, CRC-32, math/big's operations on vectors of words,
// counting a byte, validating UTF-8. A kernel
// computes what the guest's own loop would, word by word in the same order, so that its operands
// may overlap as they may there. It is charged by the length of its operands before it starts, and
// works in pieces between polls. Lowering calls the kernels (lower/intrinsic.go), for vectors that
// are long enough.

// kernelPiece is the most bytes that a kernel works on between two polls.
const kernelPiece = 64 << 10

// pieces calls work for 0 to n in pieces of at most size, and polls between them.
func (vm *VM) pieces(n, size int, work func(from, to int)) Status {
	for from := 0; from < n; {
		to := min(from+size, n)
		work(from, to)
		if from = to; from < n {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
	}
	return OK
}

// A digest is a hash whose state can be set and read.
type digest interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// The form of a digest's state: the name, eight big-endian words, the rest of a block, the number
// of bytes so far.
const (
	digestName  = "sha\x03"
	digestState = len(digestName) + 32 + sha256.BlockSize + 8
)

// sha256State is what the block function keeps between calls.
type sha256State struct {
	d   digest
	buf [digestState]byte
}

// kernelsHosts are the host functions in this file, by their names in ir.Primitives.
var kernelsHosts = map[string]Func{
	"sha256block": hostSHA256block,
	"bigadd":      hostBigadd,
	"bigsub":      hostBigsub,
	"bigmul":      hostBigmul,
	"bigmuladd":   hostBigmuladd,
	"bigshl":      hostBigshl,
	"bigshr":      hostBigshr,
	"countbyte":   hostCountbyte,
	"crc32":       hostCRC32,
	"validutf8":   hostValidUTF8,
}

// hostSHA256block adds the whole blocks among n bytes at data to the eight words at dig.
func hostSHA256block(vm *VM, a *ir.Args) Status {
	n := a[2] &^ (sha256.BlockSize - 1)
	h, st := vm.writable("sha256block", a[0], 32)
	if st != OK {
		return st
	}
	p, ok := vm.bytes(a[1], n)
	if !ok {
		return vm.badAddress("sha256block", a[1], n)
	}
	s := &vm.sha
	if s.d == nil {
		d, ok := sha256.New().(digest)
		if !ok {
			return vm.Fail("sha256block", ErrValue)
		}
		s.d = d
		copy(s.buf[:], digestName)
	}
	// The bytes after the words are from the call before: no part of a block, and a length that is
	// not read.
	state, words := (*[32]byte)(s.buf[len(digestName):]), (*[32]byte)(h)
	swapWords(state, words)
	if err := s.d.UnmarshalBinary(s.buf[:]); err != nil {
		return vm.Fail("sha256block", err)
	}
	if st := vm.pieces(len(p), kernelPiece, func(from, to int) { s.d.Write(p[from:to]) }); st != OK {
		return st
	}
	out, err := s.d.AppendBinary(s.buf[:0])
	if err != nil || len(out) != digestState {
		return vm.Fail("sha256block", ErrValue)
	}
	swapWords(words, state)
	return OK
}

// swapWords copies eight words with the bytes of each reversed.
func swapWords(dst, src *[32]byte) {
	for i := 0; i < 32; i += 8 {
		x := binary.LittleEndian.Uint64(src[i:])
		binary.LittleEndian.PutUint64(dst[i:], bits.RotateLeft64(bits.ReverseBytes64(x), 32))
	}
}

// hostCountbyte counts the byte in the low bits of the last operand among n bytes at p.
func hostCountbyte(vm *VM, a *ir.Args) Status {
	p, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("countbyte", a[0], a[1])
	}
	count, sep := 0, [1]byte{byte(a[2])}
	st := vm.pieces(len(p), kernelPiece, func(from, to int) { count += bytes.Count(p[from:to], sep[:]) })
	a[0] = uint64(count)
	return st
}

// hostValidUTF8 tells if n bytes at p are valid UTF-8.
func hostValidUTF8(vm *VM, a *ir.Args) Status {
	p, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("validutf8", a[0], a[1])
	}
	valid, done := true, 0
	st := vm.pieces(len(p), kernelPiece, func(_, to int) {
		// A rune that reaches into the next piece belongs to that piece.
		for back := 0; to < len(p) && back < utf8.UTFMax && !utf8.RuneStart(p[to]); back++ {
			to--
		}
		valid = valid && utf8.Valid(p[done:to])
		done = to
	})
	a[0] = 0
	if valid {
		a[0] = 1
	}
	return st
}

// hostCRC32 adds the bytes at a pointer to a check sum, for a polynomial: operands sum,
// polynomial, pointer, n.
func hostCRC32(vm *VM, a *ir.Args) Status {
	p, ok := vm.bytes(a[2], a[3])
	if !ok {
		return vm.badAddress("crc32", a[2], a[3])
	}
	table := crc32.IEEETable
	switch a[1] {
	case crc32.IEEE:
	case crc32.Castagnoli:
		table = crc32.MakeTable(crc32.Castagnoli) // made once
	default:
		return vm.Fail("crc32", ErrValue)
	}
	sum := uint32(a[0])
	st := vm.pieces(len(p), kernelPiece, func(from, to int) { sum = crc32.Update(sum, table, p[from:to]) })
	a[0] = uint64(sum)
	return st
}

// vectors returns the operands z, x and y of n words each. A function with fewer operands passes
// one of them twice.
func (vm *VM) vectors(a *ir.Args) (z, x, y []uint64, st Status) {
	const op = "math/big"
	n := a[3]
	if n == 0 || n > 1<<29 {
		return nil, nil, nil, vm.badAddress(op, a[0], 8*n)
	}
	bz, st := vm.writable(op, a[0], 8*n)
	if st != OK {
		return nil, nil, nil, st
	}
	bx, ok1 := vm.bytes(a[1], 8*n)
	by, ok2 := vm.bytes(a[2], 8*n)
	if !ok1 || !ok2 {
		return nil, nil, nil, vm.badAddress(op, a[0], 8*n)
	}
	return words(bz), words(bx), words(by), OK
}

// words makes words from bytes at any address. The guest's addresses need not be multiples of
// eight.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// big runs a kernel over the vectors in pieces, from the first words to the last. The kernel gets
// the carry into a piece and returns the carry out of it.
func (vm *VM) big(a *ir.Args, c uint64, kernel func(z, x, y []uint64, c uint64) uint64) Status {
	z, x, y, st := vm.vectors(a)
	if st != OK {
		return st
	}
	st = vm.pieces(len(z), kernelPiece/8, func(from, to int) { c = kernel(z[from:to], x[from:to], y[from:to], c) })
	a[0] = c
	return st
}

// hostBigadd computes z = x + y with the carry.
func hostBigadd(vm *VM, a *ir.Args) Status {
	return vm.big(a, 0, func(z, x, y []uint64, c uint64) uint64 {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i], c = bits.Add64(x[i], y[i], c)
		}
		return c
	})
}

// hostBigsub computes z = x - y with the borrow.
func hostBigsub(vm *VM, a *ir.Args) Status {
	return vm.big(a, 0, func(z, x, y []uint64, c uint64) uint64 {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			z[i], c = bits.Sub64(x[i], y[i], c)
		}
		return c
	})
}

// hostBigmul computes z = x*m + c with the upper word: operands z, x, x, n, m, c.
func hostBigmul(vm *VM, a *ir.Args) Status {
	m := a[4]
	return vm.big(a, a[5], func(z, x, _ []uint64, c uint64) uint64 {
		x = x[:len(z)]
		for i := range z {
			hi, lo := bits.Mul64(x[i], m)
			var carry uint64
			z[i], carry = bits.Add64(lo, c, 0)
			c = hi + carry
		}
		return c
	})
}

// hostBigmuladd computes z = x + y*m + c with the upper word: operands z, x, y, n, m, c.
func hostBigmuladd(vm *VM, a *ir.Args) Status {
	m := a[4]
	return vm.big(a, a[5], func(z, x, y []uint64, c uint64) uint64 {
		x, y = x[:len(z)], y[:len(z)]
		for i := range z {
			hi, lo := bits.Mul64(y[i], m)
			lo, carry := bits.Add64(lo, x[i], 0)
			hi += carry
			z[i], carry = bits.Add64(lo, c, 0)
			c = hi + carry
		}
		return c
	})
}

// hostBigshl computes z = x << s, 0 < s < 64, and the bits shifted out: operands z, x, x, n, s. It
// goes from the last word to the first.
func hostBigshl(vm *VM, a *ir.Args) Status {
	z, x, _, st := vm.vectors(a)
	if st != OK {
		return st
	}
	s := a[4] & 63
	if s == 0 {
		return vm.badAddress("math/big", a[0], 8*a[3])
	}
	n := len(z)
	high := x[n-1]
	c := high >> ((64 - s) & 63)
	st = vm.pieces(n-1, kernelPiece/8, func(from, to int) {
		// Words from j to k, and for each the word below it.
		j, k := n-to, n-from
		x, z := x[j-1:k-1], z[j:k]
		x = x[:len(z)]
		s, t := s&63, (64-s)&63
		for i := len(z) - 1; i >= 0; i-- {
			low := x[i]
			z[i] = high<<s | low>>t
			high = low
		}
	})
	z[0] = high << s
	a[0] = c
	return st
}

// hostBigshr computes z = x >> s, 0 < s < 64, and the bits shifted out: operands z, x, x, n, s.
func hostBigshr(vm *VM, a *ir.Args) Status {
	z, x, _, st := vm.vectors(a)
	if st != OK {
		return st
	}
	s := a[4] & 63
	if s == 0 {
		return vm.badAddress("math/big", a[0], 8*a[3])
	}
	n := len(z)
	low := x[0]
	c := low << ((64 - s) & 63)
	st = vm.pieces(n-1, kernelPiece/8, func(from, to int) {
		x, z := x[from+1:to+1], z[from:to]
		x = x[:len(z)]
		s, t := s&63, (64-s)&63
		for i := range z {
			high := x[i]
			z[i] = low>>s | high<<t
			low = high
		}
	})
	z[n-1] = low >> s
	a[0] = c
	return st
}
