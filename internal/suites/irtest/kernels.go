package irtest

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Kernel is a kernel of the host, in the plainest form: the reference of back ends that have code of
// their own for it.
type Kernel struct {
	Name string
	eval func(e *Eval, a []uint64) uint64
}

// Kernels are all kernels of package rt.
var Kernels = []Kernel{
	{"countbyte", func(e *Eval, a []uint64) (n uint64) {
		for _, b := range e.mem(a[0], a[1]) {
			n += b2i(b == byte(a[2]))
		}
		return n
	}},
	{"crc32", func(e *Eval, a []uint64) uint64 {
		return uint64(crc32.Update(uint32(a[0]), crc32.MakeTable(uint32(a[1])), e.mem(a[2], a[3])))
	}},
	{"validutf8", func(e *Eval, a []uint64) uint64 { return b2i(utf8.Valid(e.mem(a[0], a[1]))) }},
	{"sha256block", func(e *Eval, a []uint64) uint64 {
		sha256Blocks(e.mem(a[0], 32), e.mem(a[1], a[2]&^63))
		return 0
	}},
	{"bigadd", words(func(x, y, _, c uint64) (uint64, uint64) { return bits.Add64(x, y, c) })},
	{"bigsub", words(func(x, y, _, c uint64) (uint64, uint64) { return bits.Sub64(x, y, c) })},
	{"bigmul", words(func(x, _, m, c uint64) (uint64, uint64) { return mulAdd(x, m, 0, c) })},
	{"bigmuladd", words(func(x, y, m, c uint64) (uint64, uint64) { return mulAdd(y, m, x, c) })},
	{"bigshl", func(e *Eval, a []uint64) uint64 {
		last := int64(a[3]) - 1
		x := e.word(a[1], last)
		out := x >> (64 - a[4])
		for i := last; i >= 0; i-- {
			below := uint64(0)
			if i > 0 {
				below = e.word(a[1], i-1)
			}
			e.store(ir.I64, a[0]+8*uint64(i), x<<a[4]|below>>(64-a[4]))
			x = below
		}
		return out
	}},
	{"bigshr", func(e *Eval, a []uint64) uint64 {
		last := int64(a[3]) - 1
		x := e.word(a[1], 0)
		out := x << (64 - a[4])
		for i := range last + 1 {
			above := uint64(0)
			if i < last {
				above = e.word(a[1], i+1)
			}
			e.store(ir.I64, a[0]+8*uint64(i), x>>a[4]|above<<(64-a[4]))
			x = above
		}
		return out
	}},
}

// kernelPrimitives are the lines of Kernels in a module's table.
func kernelPrimitives() (list []ir.Primitive) {
	for _, k := range Kernels {
		list = append(list, ir.Primitive{Name: k.Name, Sig: ir.PrimitiveNamed(k.Name).Signature()})
	}
	return list
}

// Kernel appends a call of a kernel, by its number in Kernels, and returns its result.
func (b *Builder) Kernel(n int, args ...*ir.Value) *ir.Value {
	return b.Host(hostKernels+int64(n), args...)
}

func (e *Eval) word(p uint64, i int64) uint64 { return e.load(ir.I64, p+8*uint64(i)) }

// words makes a kernel over vectors. Its operands are z, x, y, n, m and c; the last two may be missing.
func words(each func(x, y, m, c uint64) (z, carry uint64)) func(*Eval, []uint64) uint64 {
	return func(e *Eval, a []uint64) uint64 {
		m, c, z := uint64(0), uint64(0), uint64(0)
		if len(a) > 4 {
			m, c = a[4], a[5]
		}
		for i := range int64(a[3]) {
			z, c = each(e.word(a[1], i), e.word(a[2], i), m, c)
			e.store(ir.I64, a[0]+8*uint64(i), z)
		}
		return c
	}
}

// mulAdd returns x*m + y + c and the upper word.
func mulAdd(x, m, y, c uint64) (lo, hi uint64) {
	hi, lo = bits.Mul64(x, m)
	for _, s := range []uint64{y, c} {
		var carry uint64
		lo, carry = bits.Add64(lo, s, 0)
		hi += carry
	}
	return lo, hi
}

// sha256Blocks is the block function of SHA-256, with the state in words of the machine's order.
func sha256Blocks(state, p []byte) {
	// The saved form of a hash has a name, the words from the highest byte on, what is left of a block,
	// and a length.
	const name = "sha\x03"
	saved := []byte(name)
	for i := range 8 {
		saved = binary.BigEndian.AppendUint32(saved, binary.LittleEndian.Uint32(state[4*i:]))
	}
	d := sha256.New()
	if err := d.(encoding.BinaryUnmarshaler).UnmarshalBinary(append(saved, make([]byte, sha256.BlockSize+8)...)); err != nil {
		panic(err)
	}
	d.Write(p)
	saved, err := d.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err)
	}
	for i := range 8 {
		binary.LittleEndian.PutUint32(state[4*i:], binary.BigEndian.Uint32(saved[len(name)+4*i:]))
	}
}
