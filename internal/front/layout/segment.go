package layout

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/gyrvm/gyr/internal/ir"
)

const (
	// dataLimit bounds the segment: type offsets are positive 32-bit numbers.
	dataLimit = 1 << 31
	// Globals above bigGlobal bytes, and those beyond lowGlobals bytes in all, lie from highBase
	// on. There only the bytes up to the last written one are stored. Programs with such globals
	// have a gap of untouched memory between the end of other data and highBase.
	bigGlobal  = 1 << 20
	lowGlobals = 4 << 20
	highBase   = 16 << 20
	// Smaller globals share pages that hold nothing else.
	pageSize = 4096
)

// A region is a growing range of memory. Bytes beyond len(bytes) are zero.
type region struct {
	base, end uint64
	bytes     []byte
}

// window returns n bytes at addr for writing.
func (r *region) window(addr uint64, n int) []byte {
	lo := int(addr - r.base)
	if hi := lo + n; hi > len(r.bytes) {
		r.bytes = append(r.bytes, make([]byte, hi-len(r.bytes))...)
	}
	return r.bytes[lo : lo+n]
}

// A span is unused memory.
type span struct{ next, end uint64 }

// Skip leaves bytes free.
func (b *Builder) Skip(n int) { b.low.end += uint64(n) }

// alloc reserves size bytes, zeroed.
func (b *Builder) alloc(size, align int64) uint32 {
	start := uint64(roundUp(int64(b.low.end), max(align, 1)))
	if b.high.end > highBase && start < b.high.end && start+uint64(size) > highBase {
		start = uint64(roundUp(int64(b.high.end), max(align, 1))) // beyond the big globals
	}
	if size < 0 || size > dataLimit || start+uint64(size) > dataLimit {
		b.tooLarge("data segment beyond 2 GiB")
		return ir.DataBase
	}
	b.low.end = start + uint64(size)
	return uint32(start)
}

// window returns n bytes at addr for writing.
func (b *Builder) window(addr uint32, n int) []byte {
	if a := uint64(addr); b.inHigh(a) {
		return b.high.window(a, n)
	}
	if uint64(addr) < b.low.base || uint64(addr)+uint64(n) > b.low.end {
		b.fail("write of %d bytes at %#x outside of the data segment", n, addr)
		return make([]byte, n)
	}
	return b.low.window(uint64(addr), n)
}

func (b *Builder) inHigh(a uint64) bool { return a >= highBase && a < b.high.end }

// image returns the contents and the number of zero bytes after them.
func (b *Builder) image() (data []byte, bss int64) {
	data, end := b.low.bytes, b.low.end
	if b.high.end > highBase {
		if n := len(b.high.bytes); n > 0 {
			need := highBase - ir.DataBase + n
			if need > len(data) {
				data = append(data, make([]byte, need-len(data))...)
			}
			copy(data[highBase-ir.DataBase:], b.high.bytes)
		}
		end = max(end, b.high.end)
	}
	end = max(end, b.end)
	n := len(data) // zero bytes at the end need not be stored
	for n > 0 && data[n-1] == 0 {
		n--
	}
	return data[:n:n], int64(end-ir.DataBase) - int64(n)
}

// String returns the address of the bytes of s, 0 for the empty string.
func (b *Builder) String(s string) uint32 {
	if s == "" {
		return 0
	}
	addr, ok := b.strings[s]
	if !ok {
		addr = b.place(TextThing, s, int64(len(s)), 1)
		copy(b.window(addr, len(s)), s)
		b.strings[s] = addr
	}
	return addr
}

// Bytes places read-only data of the given alignment.
func (b *Builder) Bytes(data []byte, align int64) uint32 {
	addr := b.place(BytesThing, bytesName(data, align), int64(len(data)), align)
	copy(b.window(addr, len(data)), data)
	return addr
}

// Closure returns the address of the function value of a function without
// captured variables: 8 bytes that hold its index.
func (b *Builder) Closure(fnIndex int32) uint32 {
	addr, ok := b.closures[fnIndex]
	if !ok {
		addr = b.place(ClosureThing, strconv.Itoa(int(fnIndex)), 8, 8)
		b.SetInt64(addr, int64(fnIndex))
		b.closures[fnIndex] = addr
	}
	return addr
}

// Global places a zeroed variable. ptrs is the pointer mask of the whole variable. A variable with
// pointers becomes a root of the collector. GlobalOf does the same for a type, without a mask for
// every element of an array.
func (b *Builder) Global(size, align int64, ptrs []uint64, name string) uint32 {
	if !anyBit(ptrs) {
		return b.global(size, align, ir.NoPointers, name)
	}
	return b.global(size, align, b.internLayout(roundUp(size, PtrSize), ptrs), name)
}

func (b *Builder) global(size, align int64, layout int32, name string) uint32 {
	kind := 0
	if layout != ir.NoPointers {
		size, align, kind = roundUp(size, PtrSize), max(align, PtrSize), 1
	}
	addr, claimed := b.claim(VariableThing, name, size)
	switch {
	case claimed:
	case (size > bigGlobal || b.inLow+size > lowGlobals) && b.low.end <= highBase:
		start := uint64(roundUp(int64(b.high.end), max(align, 1)))
		if size > dataLimit || start+uint64(size) > dataLimit {
			b.tooLarge("data segment beyond 2 GiB: %s", name)
			return ir.DataBase
		}
		addr, b.high.end = uint32(start), start+uint64(size)
	case size >= pageSize/2:
		b.inLow += size
		addr = b.alloc(size, max(align, PtrSize))
	default:
		p := &b.pages[kind]
		start := uint64(roundUp(int64(p.next), max(align, 1)))
		if start+uint64(size) > p.end {
			start = uint64(b.alloc(pageSize, pageSize))
			p.end = start + pageSize
			b.inLow += pageSize
		}
		addr, p.next = uint32(start), start+uint64(size)
	}
	b.note(VariableThing, name, addr, size)
	if kind == 1 {
		n := size / b.layouts[layout].Size
		if n > math.MaxInt32 {
			b.tooLarge("global %s too large", name)
		}
		b.roots = append(b.roots, ir.Root{Addr: addr, Layout: layout, Count: int32(n)})
	}
	return addr
}

// SetInt32 stores 4 bytes.
func (b *Builder) SetInt32(addr uint32, v int32) {
	binary.LittleEndian.PutUint32(b.window(addr, 4), uint32(v))
}

// SetInt64 stores 8 bytes.
func (b *Builder) SetInt64(addr uint32, v int64) {
	binary.LittleEndian.PutUint64(b.window(addr, 8), uint64(v))
}

// SetBytes stores data.
func (b *Builder) SetBytes(addr uint32, data []byte) { copy(b.window(addr, len(data)), data) }

// Int32 loads 4 bytes.
func (b *Builder) Int32(addr uint32) int32 {
	return int32(binary.LittleEndian.Uint32(b.window(addr, 4)))
}
