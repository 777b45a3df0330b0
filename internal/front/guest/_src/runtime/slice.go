package runtime

import "unsafe"

// Slices.

func panicmakeslicelen() { panic(errorString("makeslice: len out of range")) }
func panicmakeslicecap() { panic(errorString("makeslice: cap out of range")) }

// makeslice allocates the array of make([]T, n, c).
//
//go:linkname makeslice
func makeslice(et *_type, n, c int) unsafe.Pointer {
	size, ok := mulsize(et.Size_, c)
	if !ok || n < 0 || n > c {
		// The length is named when both are wrong: in make([]T, n) the
		// program wrote no capacity.
		if _, ok := mulsize(et.Size_, n); !ok {
			panicmakeslicelen()
		}
		panicmakeslicecap()
	}
	return mallocgc(size, et, true)
}

// makeslicebuf is makeslice with a buffer of tempbuf bytes.
func makeslicebuf(buf unsafe.Pointer, et *_type, n, c int) unsafe.Pointer {
	if uint(n) <= uint(c) && uint(c) <= tempbuf && et.Size_*uintptr(c) <= tempbuf {
		ir_memclr(buf, tempbuf)
		return buf
	}
	return makeslice(et, n, c)
}

// growslice allocates the array for an append that needs newLen elements, num
// of them new, where oldCap is less than newLen, and copies the old elements.
// It returns the new array, length and capacity. gc's rule gives the capacity:
// double below 256 elements, then gradually less, down to a quarter more; and
// what the size class leaves.
//
//go:linkname growslice
func growslice(old unsafe.Pointer, newLen, oldCap, num int, et *_type) (unsafe.Pointer, int, int) {
	if newLen < 0 {
		panicgrowslice()
	}
	es := et.Size_
	if es == 0 {
		return unsafe.Pointer(&zerobase), newLen, newLen
	}
	size, ok := mulsize(es, growcap(newLen, oldCap))
	if !ok {
		panicgrowslice()
	}
	size = roundupsize(size, et.PtrBytes == 0)
	newCap := size
	if es != 1 {
		if es == 8 {
			newCap >>= 3
		} else {
			newCap /= es
			size = newCap * es
		}
	}
	if size >= maxAlloc {
		panicgrowslice()
	}
	p := mallocgc(size, et, true)
	ir_memmove(p, old, uintptr(newLen-num)*es)
	return p, newLen, int(newCap)
}

func panicgrowslice() { panic(errorString("growslice: len out of range")) }

// growcap is the capacity before rounding to a size class.
func growcap(newLen, oldCap int) int {
	if newLen > 2*oldCap {
		return newLen
	}
	const threshold = 256
	if oldCap < threshold {
		return 2 * oldCap
	}
	c := oldCap
	for uint(c) < uint(newLen) {
		c += (c + 3*threshold) >> 2
	}
	if c <= 0 {
		return newLen
	}
	return c
}

//go:linkname reflect_growslice reflect.growslice
func reflect_growslice(et *_type, old slice, num int) slice {
	// The elements between length and capacity are kept, too.
	num -= old.cap - old.len
	charge(et.Size_*uintptr(old.cap+num), allocWeight)
	var s slice
	s.array, _, s.cap = growslice(old.array, old.cap+num, old.cap, num, et)
	s.len = old.len
	return s
}

// slicecopy is copy for elements of the given size.
func slicecopy(to unsafe.Pointer, toLen int, from unsafe.Pointer, fromLen int, width uintptr) int {
	n := min(toLen, fromLen)
	if n > 0 {
		ir_memmove(to, from, uintptr(n)*width)
	}
	return n
}

//go:linkname typedslicecopy
func typedslicecopy(typ *_type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int {
	return slicecopy(dst, dstLen, src, srcLen, typ.Size_)
}

//go:linkname reflect_typedslicecopy reflect.typedslicecopy
func reflect_typedslicecopy(typ *_type, dst, src slice) int {
	charge(typ.Size_*uintptr(min(dst.len, src.len)), moveWeight)
	return slicecopy(dst.array, dst.len, src.array, src.len, typ.Size_)
}

// unsafeslice checks the operands of unsafe.Slice. Addresses have 32 bits.
func unsafeslice(et *_type, p unsafe.Pointer, n int) {
	if n < 0 {
		panicunsafeslicelen()
	}
	if p == nil {
		if n > 0 {
			panicunsafeslicenilptr()
		}
		return
	}
	if size, ok := mulsize(et.Size_, n); !ok || size > 1<<32-uintptr(p) {
		panicunsafeslicelen()
	}
}

//go:linkname reflect_unsafeslice reflect.unsafeslice
func reflect_unsafeslice(et *_type, p unsafe.Pointer, n int) { unsafeslice(et, p, n) }

// unsafestring checks the operands of unsafe.String.
func unsafestring(p unsafe.Pointer, n int) {
	if n < 0 {
		panicunsafestringlen()
	}
	if p == nil && n > 0 {
		panicunsafestringnilptr()
	}
	if uintptr(n) > 1<<32-uintptr(p) {
		panicunsafestringlen()
	}
}

func panicunsafeslicelen() { panic(errorString("unsafe.Slice: len out of range")) }
func panicunsafeslicenilptr() {
	panic(errorString("unsafe.Slice: ptr is nil and len is not zero"))
}
func panicunsafestringlen() { panic(errorString("unsafe.String: len out of range")) }
func panicunsafestringnilptr() {
	panic(errorString("unsafe.String: ptr is nil and len is not zero"))
}
