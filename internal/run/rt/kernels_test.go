package rt

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash/crc32"
	"math/big"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/ir"
)

// room allocates n bytes of the guest's memory.
func room(t *testing.T, vm *VM, n uint64) uint64 {
	t.Helper()
	p, st := vm.Alloc(ir.NoPointers, n)
	if st != OK {
		t.Fatalf("no room for %d bytes", n)
	}
	return uint64(p)
}

// The kernels of math/big compute what its integers compute, also in pieces and when the result is
// an operand.
func TestBigKernels(t *testing.T) {
	vm, _ := newVM(t, Config{})
	const most = 3*kernelPiece/8 + 5
	at := [3]uint64{room(t, vm, 8*most), room(t, vm, 8*most), room(t, vm, 8*most)}
	r := rand.New(rand.NewPCG(1, 2))
	get := func(p uint64, n int) *big.Int {
		b := bytes.Clone(mem(t, vm, p, uint64(8*n)))
		for i := range len(b) / 2 {
			b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
		}
		return new(big.Int).SetBytes(b)
	}
	fill := func(p uint64, n int) {
		for i := range n {
			w := r.Uint64()
			switch r.IntN(4) {
			case 0:
				w = 0
			case 1:
				w = 1<<64 - 1
			}
			put64(t, vm, p+uint64(8*i), w)
		}
	}
	word := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	for _, n := range []int{1, 2, 3, 24, 100, kernelPiece / 8, kernelPiece/8 + 1, most} {
		for range 8 {
			z, x, y := at[0], at[1], at[2]
			switch r.IntN(3) {
			case 0:
				z = x
			case 1:
				z = y
			}
			all := new(big.Int).Lsh(big.NewInt(1), uint(64*n)) // words to the base 2^64
			m, c, s := r.Uint64(), r.Uint64(), uint64(1+r.IntN(63))
			check := func(name string, want, got *big.Int, carry, wantCarry *big.Int) {
				t.Helper()
				if want.Cmp(got) != 0 || carry.Cmp(wantCarry) != 0 {
					t.Fatalf("%s of %d words: wrong result, or carry %#x instead of %#x", name, n, carry, wantCarry)
				}
			}
			split := func(v *big.Int) (low, high *big.Int) { // of a number that may be negative
				high, low = new(big.Int).DivMod(v, all, new(big.Int))
				return low, high
			}
			run := func(name string, v *big.Int, args ...uint64) {
				t.Helper()
				low, high := split(v)
				carry := must(t, vm, name, append([]uint64{z, x, y, uint64(n)}, args...)...)[0]
				check(name, low, get(z, n), word(carry), high)
			}
			fill(x, n)
			fill(y, n)
			X, Y := get(x, n), get(y, n)
			run("bigadd", new(big.Int).Add(X, Y))
			X, Y = get(x, n), get(y, n)
			low, high := split(new(big.Int).Sub(X, Y))
			borrow := must(t, vm, "bigsub", z, x, y, uint64(n))[0]
			check("bigsub", low, get(z, n), word(borrow), new(big.Int).Neg(high))
			X, Y = get(x, n), get(y, n)
			v := new(big.Int).Mul(Y, word(m))
			run("bigmuladd", v.Add(v, X).Add(v, word(c)), m, c)
			X = get(x, n)
			v = new(big.Int).Mul(X, word(m))
			run("bigmul", v.Add(v, word(c)), m, c)
			X = get(x, n)
			run("bigshl", new(big.Int).Lsh(X, uint(s)), s)
			X = get(x, n)
			out := must(t, vm, "bigshr", z, x, x, uint64(n), s)[0]
			check("bigshr", new(big.Int).Rsh(X, uint(s)), get(z, n), word(out), new(big.Int).And(new(big.Int).Lsh(X, uint(64-s)), word(1<<64-1)))
		}
	}
	for _, bad := range [][]uint64{{0xfffffff0, at[1], at[2], 4}, {at[0], at[1], at[2], 1 << 61}, {at[0], at[1], at[2], 1<<64 - 1}, {at[0], at[1], at[2], 0}} {
		for _, name := range []string{"bigadd", "bigsub", "bigmul", "bigmuladd", "bigshl", "bigshr"} {
			if _, st := call(vm, name, append(bad, 1, 1)...); st == OK {
				t.Errorf("%s%#x is accepted", name, bad)
			}
		}
	}
}

// The block function continues any state as crypto/sha256 does.
func TestSHA256Kernel(t *testing.T) {
	vm, _ := newVM(t, Config{})
	const most = 2*kernelPiece + 200
	dig, data := room(t, vm, 32), room(t, vm, most)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range mem(t, vm, data, most) {
		mem(t, vm, data, most)[i] = byte(r.Uint32())
	}
	for _, n := range []uint64{0, 1, 63, 64, 65, 128, 1000, kernelPiece, kernelPiece + 64, most} {
		for i := range uint64(4) {
			put64(t, vm, dig+8*i, r.Uint64())
		}
		state := []byte(digestName)
		for i := 0; i < 32; i += 4 {
			state = binary.BigEndian.AppendUint32(state, binary.LittleEndian.Uint32(mem(t, vm, dig, 32)[i:]))
		}
		h := sha256.New()
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(append(state, make([]byte, 72)...)); err != nil {
			t.Fatal(err)
		}
		whole := n &^ 63
		h.Write(mem(t, vm, data, whole))
		out, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		must(t, vm, "sha256block", dig, data, n)
		for i := 0; i < 32; i += 4 {
			want, got := binary.BigEndian.Uint32(out[len(digestName)+i:]), binary.LittleEndian.Uint32(mem(t, vm, dig, 32)[i:])
			if want != got {
				t.Fatalf("%d bytes: word %d is %#x instead of %#x", n, i/4, got, want)
			}
		}
	}
	for _, bad := range [][]uint64{{0xfffffff0, data, 64}, {dig, data, 1 << 40}} {
		if _, st := call(vm, "sha256block", bad...); st == OK {
			t.Errorf("sha256block%#x is accepted", bad)
		}
	}
	var a ir.Args
	if n := testing.AllocsPerRun(100, func() { a[0], a[1], a[2] = dig, data, 256; hostSHA256block(vm, &a) }); n != 0 && !raced {
		t.Errorf("%v allocations", n)
	}
}

// hostCountbyte counts in pieces, and refuses bad operands.
func TestCountKernel(t *testing.T) {
	vm, _ := newVM(t, Config{})
	const most = 2*kernelPiece + 100
	p := room(t, vm, most)
	b := mem(t, vm, p, most)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range b {
		b[i] = byte(r.IntN(3))
	}
	for _, n := range []uint64{0, 1, 63, 64, 1000, kernelPiece, kernelPiece + 1, most} {
		a := ir.Args{p, n, 0x100 + 2}
		if st := hostCountbyte(vm, &a); st != OK || a[0] != uint64(bytes.Count(b[:n], []byte{2})) {
			t.Errorf("%d bytes: %d, status %v", n, a[0], st)
		}
	}
	if st := hostCountbyte(vm, &ir.Args{p, 1 << 33, 1}); st == OK {
		t.Error("more than there can be was counted")
	}
}

// Checksums of both polynomials are right in pieces, and bad operands are refused.
func TestCRC32Kernel(t *testing.T) {
	vm, _ := newVM(t, Config{})
	const most = 2*kernelPiece + 100
	p := room(t, vm, most)
	b := mem(t, vm, p, most)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for _, poly := range []uint32{crc32.IEEE, crc32.Castagnoli} {
		for _, n := range []uint64{0, 1, 15, 16, 63, 1000, kernelPiece, kernelPiece + 1, most} {
			sum := r.Uint64() // anything above the low 32 bits
			a := ir.Args{sum, uint64(poly), p, n}
			want := crc32.Update(uint32(sum), crc32.MakeTable(poly), b[:n])
			if st := hostCRC32(vm, &a); st != OK || a[0] != uint64(want) {
				t.Errorf("%#x, %d bytes: %#x instead of %#x, status %v", poly, n, a[0], want, st)
			}
		}
	}
	for _, bad := range []ir.Args{{0, crc32.IEEE, p, 1 << 33}, {0, crc32.IEEE, 0xfffffff0, 32}, {0, crc32.Koopman, p, 1}, {0, 1<<32 | crc32.IEEE, p, 1}} {
		if st := hostCRC32(vm, &bad); st == OK {
			t.Errorf("crc32%#x is accepted", bad[:4])
		}
	}
	a := ir.Args{1, crc32.Castagnoli, p, 256}
	if n := testing.AllocsPerRun(100, func() { a[1], a[2], a[3] = crc32.Castagnoli, p, 256; hostCRC32(vm, &a) }); n != 0 && !raced {
		t.Errorf("%v allocations", n)
	}
}

// Runes that reach over the end of a piece are whole, bytes that are not UTF-8 are found wherever they are,
// and bad operands are refused.
func TestUTF8Kernel(t *testing.T) {
	vm, _ := newVM(t, Config{})
	const most = 2*kernelPiece + 100
	p := room(t, vm, most)
	b := mem(t, vm, p, most)
	valid := func(n int) uint64 {
		a := ir.Args{p, uint64(n)}
		if st := hostValidUTF8(vm, &a); st != OK {
			t.Fatalf("%d bytes: status %v", n, st)
		}
		return a[0]
	}
	for shift := range utf8.UTFMax {
		for i := range b[:shift] {
			b[i] = 'x'
		}
		whole := shift
		for ; whole+4 <= most; whole += 4 {
			copy(b[whole:], "\U0010ffff")
		}
		if valid(whole) != 1 || valid(whole-1) != 0 || valid(0) != 1 {
			t.Errorf("shift %d: texts of whole runes, of a part of one and of nothing give %d, %d, %d", shift, valid(whole), valid(whole-1), valid(0))
		}
		for at := kernelPiece - 5; at < kernelPiece+5; at++ {
			was := b[at]
			b[at] ^= 0x80
			if valid(whole) != 0 {
				t.Errorf("shift %d: byte %d is wrong, and the text is valid", shift, at)
			}
			b[at] = was
		}
	}
	for i := range b { // no place where a piece could end
		b[i] = 0x80
	}
	if valid(most) != 0 {
		t.Error("continuations are valid")
	}
	for _, bad := range []ir.Args{{p, 1 << 33}, {0xfffffff0, 32}} {
		if st := hostValidUTF8(vm, &bad); st == OK {
			t.Errorf("validutf8%#x is accepted", bad[:2])
		}
	}
	a := ir.Args{p, 256}
	if n := testing.AllocsPerRun(100, func() { a[0], a[1] = p, 256; hostValidUTF8(vm, &a) }); n != 0 && !raced {
		t.Errorf("%v allocations", n)
	}
}
