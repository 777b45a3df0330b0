//go:build unix

package native

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestBulk compares the routines for bulk memory with the evaluator: all sizes around the limits of
// their cases, overlapping ranges, nearly equal contents.
func TestBulk(t *testing.T) {
	const room = irtest.WindowSize + 1024
	const more, most = room + 1024, 9000 // where longer ranges lie, and their room
	needsCode(t)
	r := rand.New(rand.NewPCG(3, 4))
	sizes := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 23, 24, 31, 32, 33, 47, 48, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 255, 256, 400, 511, 512, 513, 539, 639, 640, 700, 1024, 1025, 1100, 2000, 4095, 4096, 5000, 8192, 8193, 8200, -1}
	for round := range 80 {
		mod := irtest.NewModule(make([]byte, more+most), 4096)
		for i := range mod.Data {
			if round%2 == 0 || r.IntN(40<<(round%8/2)) == 0 { // else long ranges are equal, up to their ends
				mod.Data[i] = byte(r.IntN(3))
			}
		}
		clear(mod.Data[room:more]) // opaque reads a zero there
		f := irtest.NewFunc(mod, "main", ir.Sig{})
		mod.Entry = f.F
		add := f.Add
		konst := func(x int64) *ir.Value { return f.Const(ir.I64, x) }
		at := func(n int) *ir.Value {
			if r.IntN(4) == 0 { // around the end of a page
				if p := (ir.DataBase+more+n+20+4095)&^4095 - r.IntN(20+max(n, 0)); p+n <= ir.DataBase+more+most {
					return add(ir.OpConst, ir.Ptr, int64(p))
				}
			}
			if n > room-100 {
				return add(ir.OpConst, ir.Ptr, ir.DataBase+more+int64(r.IntN(max(most-n, 0)+1)))
			}
			return add(ir.OpConst, ir.Ptr, ir.DataBase+int64(r.IntN(room-max(n, 0)+1)))
		}
		// An operand that selection cannot analyse.
		opaque := func(n int) *ir.Value {
			z := add(ir.OpLoad, ir.I64, 0, add(ir.OpConst, ir.Ptr, ir.DataBase+room+512))
			return add(ir.OpAdd, ir.I64, 0, z, konst(int64(n)))
		}
		for range 120 {
			n := sizes[r.IntN(len(sizes))]
			p, q := at(n), at(n)
			if r.IntN(3) == 0 && n >= 0 { // close to each other
				off := int(p.Aux) + r.IntN(41) - 20
				if n > room-100 {
					off = min(max(off, ir.DataBase+more), ir.DataBase+more+most-n)
				} else {
					off = min(max(off, ir.DataBase), ir.DataBase+room-n)
				}
				q = add(ir.OpConst, ir.Ptr, int64(off))
			}
			var res *ir.Value
			switch r.IntN(8) {
			case 0, 1:
				add(ir.OpMoveN, ir.Void, 0, p, q, opaque(n))
			case 2:
				if n < 300 || r.IntN(8) == 0 {
					add(ir.OpClearN, ir.Void, 0, p, opaque(n))
				}
			case 3:
				if r.IntN(2) == 0 {
					add(ir.OpMoveN, ir.Void, 0, p, q, opaque(n))
				}
				res = add(ir.OpMemEq, ir.I8, 0, p, q, opaque(n))
			case 4:
				m := sizes[r.IntN(len(sizes))]
				if r.IntN(2) == 0 {
					m = n
				}
				with := at(m)
				if r.IntN(3) > 0 && m > 0 { // equal except for one byte, or none
					with = q
					n = max(n, 0)
					m = min(m, n)
					add(ir.OpMoveN, ir.Void, 0, p, q, opaque(m))
					if m > 0 && r.IntN(4) > 0 {
						other := add(ir.OpConst, ir.I8, int64(r.IntN(256)-128))
						add(ir.OpStore, ir.Void, 0, add(ir.OpConst, ir.Ptr, q.Aux+int64(r.IntN(m))), other)
					}
				}
				res = add(ir.OpMemCmp, ir.I64, 0, p, opaque(n), with, opaque(m))
			case 5:
				res = add(ir.OpMemHash, ir.I64, 0, p, konst(int64(r.Uint64())), opaque(n))
			case 6:
				res = add(ir.OpIndexByte, ir.I64, 0, p, opaque(n), konst(int64(r.IntN(5))))
			default:
				if n > 0 {
					add(ir.OpMove, ir.Void, int64(n), p, q)
				}
			}
			if res != nil {
				add(ir.OpStore, ir.Void, 0, at(8), res)
			}
		}
		f.Return()
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { started.Compare(t, mod, 0, 0) }) {
			return
		}
	}
}

// TestKernels compares the routines for kernels with the evaluator: all lengths around the limits of
// their cases, vectors that overlap.
func TestKernels(t *testing.T) {
	const room = irtest.WindowSize + 1024
	needsCode(t)
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 12 * len(irtest.Kernels) {
		k, round := round%len(irtest.Kernels), round/len(irtest.Kernels)
		mod := irtest.NewModule(make([]byte, room), 4096)
		for i := range mod.Data {
			switch round % 3 {
			case 0:
				mod.Data[i] = byte(r.IntN(3))
			case 1: // words of all ones and zeros, which carry far
				mod.Data[i] = -byte(r.IntN(16) & 1 & (r.IntN(i+2) >> 3))
			default:
				mod.Data[i] = byte(r.Uint32())
			}
		}
		f := irtest.NewFunc(mod, "main", ir.Sig{})
		mod.Entry = f.F
		at := func(bytes int) int64 { return ir.DataBase + int64(r.IntN(room-bytes+1)) }
		ptr := func(p int64) *ir.Value { return f.Add(ir.OpConst, ir.Ptr, p) }
		word := func(x uint64) *ir.Value { return f.Const(ir.I64, int64(x)) }
		for range 40 {
			n := 1 + r.IntN(min(8*(round+1), room/8))
			z, x, y := at(8*n), at(8*n), at(8*n)
			switch r.IntN(6) {
			case 0:
				x = z
			case 1:
				y, x = z, z
			case 2: // close to each other
				x = min(max(z+int64(r.IntN(81)-40), ir.DataBase), ir.DataBase+room-int64(8*n))
			case 3:
				y = min(max(z+int64(8*(r.IntN(11)-5)), ir.DataBase), ir.DataBase+room-int64(8*n))
			}
			var args []*ir.Value
			switch name := irtest.Kernels[k].Name; name {
			case "countbyte":
				n := r.IntN(room)
				if r.IntN(2) == 0 {
					n = r.IntN(80)
				}
				args = []*ir.Value{ptr(at(n)), word(uint64(n)), word(uint64(r.IntN(3)))}
			case "crc32":
				n := r.IntN(room)
				if r.IntN(2) == 0 {
					n = r.IntN(150)
				}
				poly := []uint32{crc32.IEEE, crc32.Castagnoli}[r.IntN(2)]
				args = []*ir.Value{f.Const(ir.I32, int64(int32(r.Uint32()))), word(uint64(poly)), ptr(at(n)), word(uint64(n))}
			case "validutf8": // see TestValidUTF8
				n := r.IntN(room)
				args = []*ir.Value{ptr(at(n)), word(uint64(n))}
			case "sha256block":
				n := r.IntN(600)
				args = []*ir.Value{ptr(at(32)), ptr(at(n)), word(uint64(n))}
			case "bigadd", "bigsub":
				args = []*ir.Value{ptr(z), ptr(x), ptr(y), word(uint64(n))}
			case "bigmul":
				args = []*ir.Value{ptr(z), ptr(x), ptr(x), word(uint64(n)), word(r.Uint64()), word(r.Uint64())}
			case "bigmuladd":
				args = []*ir.Value{ptr(z), ptr(x), ptr(y), word(uint64(n)), word(-uint64(r.IntN(2)) | r.Uint64()), word(-uint64(r.IntN(2)))}
			case "bigshl", "bigshr":
				args = []*ir.Value{ptr(z), ptr(x), ptr(x), word(uint64(n)), word(uint64(1 + r.IntN(63)))}
			default:
				t.Fatalf("no operands for %s", name)
			}
			if res := f.Kernel(k, args...); res.Type != ir.Void {
				f.Add(ir.OpStore, ir.Void, 0, ptr(at(8)), res)
			}
		}
		f.Return()
		if !t.Run(fmt.Sprint(irtest.Kernels[k].Name, round), func(t *testing.T) { started.Compare(t, mod, 0, 0) }) {
			continue
		}
	}
}

// TestLongSums compares the routine for CRC-32 with package crc32's code, which the evaluator calls: lengths
// around the multiples of its rounds, up to more than it takes.
func TestLongSums(t *testing.T) {
	const room, first = 10 << 10, irtest.WindowSize + 2048 // first: after what irtest.Compare writes
	needsCode(t)
	kernel := slices.IndexFunc(irtest.Kernels, func(k irtest.Kernel) bool { return k.Name == "crc32" })
	r := rand.New(rand.NewPCG(9, 10))
	mod := irtest.NewModule(make([]byte, first+room+8), 4096)
	for i := range mod.Data[first:] {
		mod.Data[first+i] = byte(r.Uint32())
	}
	f := irtest.NewFunc(mod, "main", ir.Sig{})
	mod.Entry = f.F
	sum := f.Const(ir.I32, int64(int32(r.Uint32())))
	for i := range 400 {
		n := max(0, 16*r.IntN(room/16-8)+r.IntN(35)-17)
		if i%2 == 0 {
			n = 100 + r.IntN(300)
		}
		at := ir.DataBase + first + r.IntN(room-n+1)
		poly := []uint32{crc32.IEEE, crc32.Castagnoli}[r.IntN(2)]
		sum = f.Kernel(kernel, sum, f.Const(ir.I64, int64(poly)), f.Add(ir.OpConst, ir.Ptr, int64(at)), f.Const(ir.I64, int64(n)))
	}
	f.Add(ir.OpStore, ir.Void, 0, f.Add(ir.OpConst, ir.Ptr, ir.DataBase+first+room), sum)
	f.Return()
	started.Compare(t, mod, 0, 0)
}

// TestValidUTF8 compares the routine with the evaluator: runes of all lengths and their limits among ASCII,
// whole, cut off and with one byte spoilt, at all places in blocks.
func TestValidUTF8(t *testing.T) {
	const calls, room, first = 64, 1024, irtest.WindowSize + 2048 // first: after what irtest.Compare writes
	needsCode(t)
	kernel := slices.IndexFunc(irtest.Kernels, func(k irtest.Kernel) bool { return k.Name == "validutf8" })
	r := rand.New(rand.NewPCG(7, 8))
	valid := 0
	const rounds = 60
	for round := range rounds {
		mod := irtest.NewModule(make([]byte, first+calls*room+8), 4096)
		f := irtest.NewFunc(mod, "main", ir.Sig{})
		mod.Entry = f.F
		results := f.Const(ir.I64, 0)
		for i := range calls {
			from, n := r.IntN(40), r.IntN(100)
			if r.IntN(2) == 0 {
				n = r.IntN(room - 40)
			}
			from += first + i*room
			text := mod.Data[from : from+n]
			mod.Data[from-1], mod.Data[from+n] = byte(r.Uint32()), byte(r.Uint32())
			writeRunes(r, text)
			if utf8.Valid(text) {
				valid++
			}
			res := f.Kernel(kernel, f.Add(ir.OpConst, ir.Ptr, int64(ir.DataBase+from)), f.Const(ir.I64, int64(n)))
			results = f.Add(ir.OpOr, ir.I64, 0, f.Add(ir.OpShl, ir.I64, 0, results, f.Const(ir.I64, 1)), res)
		}
		f.Add(ir.OpStore, ir.Void, 0, f.Add(ir.OpConst, ir.Ptr, ir.DataBase+first+calls*room), results)
		f.Return()
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { started.Compare(t, mod, 0, 0) }) {
			return
		}
	}
	if all := calls * rounds; valid < all/4 || valid > all*3/4 {
		t.Errorf("%d of %d texts are valid", valid, all)
	}
}

// writeRunes fills memory with runs of ASCII and of other runes. It sometimes cuts off the last rune, and in
// half of the calls replaces a byte.
func writeRunes(r *rand.Rand, p []byte) {
	bounds := []rune{0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff}
	long, first, whole := 16<<r.IntN(6), r.IntN(2), r.IntN(4) > 0
	for i := 0; i < len(p); {
		c := bounds[r.IntN(len(bounds))]
		if i/long%2 == first {
			c = rune(r.IntN(0x80))
		}
		if whole && utf8.RuneLen(c) > len(p)-i {
			c = 'x'
		}
		i += copy(p[i:], string(c))
	}
	if len(p) == 0 || r.IntN(2) == 0 {
		return
	}
	at := r.IntN(len(p))
	if r.IntN(3) == 0 {
		at = len(p) - 1 - r.IntN(min(len(p), 4))
	}
	p[at] = []byte{byte(r.Uint32()), 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff}[r.IntN(17)]
}
