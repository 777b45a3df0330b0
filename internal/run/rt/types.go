package rt

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Heap layouts of types.
//
// Module.TypeLayout has the layouts of descriptors that the compiler made. Descriptors that reflect
// makes at run time exist in guest memory only, as internal/abi.Type with the bitmap of pointers
// that reflect built (GCData). This file reads them, with every address, length and loop bounded.

// A heapType is what an allocation needs to know of a type. Machine code reads it: see
// abi.TypeAddr.
type heapType struct {
	addr   uint32 // of the descriptor; 0: an unused slot
	layout uint32
	size   uint64 // bytes of one element
}

// typeCache holds the last lookups, in memory.TypeCache. Its contents depend only on what was
// allocated, the same in any tier. A descriptor in the heap can be replaced by another only after a
// collection, which empties the cache.
type typeCache struct {
	used    bool     // a slot is in use
	dynamic bool     // a slot holds a descriptor in the heap
	mask    []uint64 // scratch
}

// typeSlots returns the entries of the cache.
func (vm *VM) typeSlots() *[memory.TypeSlots]heapType {
	return (*[memory.TypeSlots]heapType)(unsafe.Add(vm.Space.Base, memory.TypeCache))
}

// The size of an entry.
var _ = [1]struct{}{}[unsafe.Sizeof(heapType{})-memory.TypeSlot]

// forgetTypes empties the cache.
func (vm *VM) forgetTypes() {
	if vm.types.used {
		clear(vm.typeSlots()[:])
	}
	vm.types.used, vm.types.dynamic = false, false
}

// heapType returns the size and layout of the type at a guest address.
func (vm *VM) heapType(addr uint32) (heapType, Status) {
	slot := &vm.typeSlots()[(addr^addr>>memory.TypeFold)>>memory.TypeShift%memory.TypeSlots]
	if slot.addr == addr {
		return *slot, OK
	}
	head, ok := vm.Space.Bytes(uint64(addr), guesttype.TypeHead)
	if !ok {
		return heapType{}, vm.badAddress("malloc", uint64(addr), guesttype.TypeHead)
	}
	t := heapType{addr: addr, size: binary.LittleEndian.Uint64(head[guesttype.TypeSize:])}
	lasts := true
	if l, ok := vm.Mod.TypeLayout(addr); ok {
		t.layout = uint32(l)
	} else {
		if vm.build != nil {
			return heapType{}, vm.build.stop() // the layout would become part of the heap's state
		}
		r := typeReader{vm: vm, steps: maxTypeSteps}
		var st Status
		if t.layout, st = r.layout(addr, head); st != OK {
			return heapType{}, st
		}
		if lasts = !r.costs; lasts {
			vm.types.dynamic = true
		}
	}
	if lasts {
		*slot = t
		vm.types.used = true
	}
	return t, OK
}

const (
	maxTypeSteps = 1 << 22 // fields and elements visited for one layout
	maxTypeDepth = 64
	maxTypeSize  = memory.SpaceSize
)

// A typeReader reads one descriptor.
type typeReader struct {
	vm    *VM
	mask  []uint64
	seen  map[uint32]uint64 // the first bit of each type that was read on demand
	steps int               // steps left
	types int               // types visited
	costs bool              // memory was charged for the time of reading; the cache must not decide whether that happens
	err   error
}

func (r *typeReader) fail(format string, args ...any) bool {
	if r.err == nil {
		r.err = fmt.Errorf("%w: type descriptor: "+format, append([]any{memory.ErrCorrupt}, args...)...)
	}
	return false
}

// layout interns the layout of one element of the type.
func (r *typeReader) layout(addr uint32, head []byte) (uint32, Status) {
	vm := r.vm
	// The layout of an array is its element's.
	for depth := 0; head[guesttype.TypeKind] == guesttype.KindArray && guesttype.U64(head, guesttype.TypePtrBytes) != 0; depth++ {
		full, ok := vm.Space.Bytes(uint64(addr), guesttype.ArrayHead)
		if !ok || depth > maxTypeDepth {
			return 0, vm.badAddress("malloc", uint64(addr), guesttype.ArrayHead)
		}
		addr = uint32(guesttype.U64(full, guesttype.ArrayElem))
		if l, ok := vm.Mod.TypeLayout(addr); ok {
			return uint32(l), OK
		}
		if head, ok = vm.Space.Bytes(uint64(addr), guesttype.TypeHead); !ok {
			return 0, vm.badAddress("malloc", uint64(addr), guesttype.TypeHead)
		}
	}
	size, ptrBytes := guesttype.U64(head, guesttype.TypeSize), guesttype.U64(head, guesttype.TypePtrBytes)
	if ptrBytes == 0 {
		return ir.NoPointers, OK
	}
	if size > maxTypeSize || size%8 != 0 || ptrBytes > size || ptrBytes%8 != 0 {
		return 0, vm.Fail("malloc", fmt.Errorf("%w: type descriptor: %d bytes of pointers in a size of %d", memory.ErrCorrupt,
			ptrBytes, size))
	}
	// During the reading, the bitmap is memory of the host: at most as much as the guest may have.
	words := int((ptrBytes/8 + 63) / 64)
	cost := int64(0)
	if words > len(vm.types.mask) {
		cost = int64(words) * 8
		if st := vm.Charge(cost); st != OK {
			return 0, st
		}
		r.mask = make([]uint64, words)
		if words <= maxKeptMask {
			vm.types.mask = r.mask // kept
			cost = 0
		}
	} else {
		r.mask = vm.types.mask[:words]
		clear(r.mask)
	}
	ok := r.fill(addr, 0, ptrBytes, 0)
	if r.costs = cost != 0; r.costs {
		vm.Heap.ChargeHost(-cost)
	}
	if !ok && r.err == nil {
		return 0, vm.interrupt()
	}
	if !ok {
		return 0, vm.Fail("malloc", r.err)
	}
	for range 3 {
		l, st := vm.Heap.Layout(int64(size), r.mask)
		if st != memory.StatusCollect {
			return l, vm.HeapStatus("malloc", st)
		}
		if st := vm.Collect(); st != OK {
			return 0, st
		}
	}
	return 0, OutOfMemory
}

// fill sets the bits of the type at addr for a value at byte offset at, up to byte end. It returns
// false without an error if the run must stop.
func (r *typeReader) fill(addr uint32, at, end uint64, depth int) bool {
	if r.steps--; r.steps < 0 || depth > maxTypeDepth {
		return r.fail("too large")
	}
	if r.types++; r.types%pollParts == 0 && r.vm.mustStop() {
		return false
	}
	head, ok := r.vm.Space.Bytes(uint64(addr), guesttype.TypeHead)
	if !ok {
		return r.fail("address %#x", addr)
	}
	ptrBytes := guesttype.U64(head, guesttype.TypePtrBytes)
	if ptrBytes == 0 {
		return true
	}
	if at%8 != 0 || at > end || ptrBytes > end-at || ptrBytes%8 != 0 {
		return r.fail("pointers beyond the type")
	}
	if head[guesttype.TypeTFlag]&guesttype.FlagGCMaskOnDemand == 0 {
		if ptrBytes == 8 && depth > 0 {
			r.set(at/8, 1, 1) // the usual case: one word, which is a pointer
			return true
		}
		return r.copyMask(uint32(guesttype.U64(head, guesttype.TypeGCData)), at/8, ptrBytes/8)
	}
	if from, ok := r.seen[addr]; ok {
		return r.repeat(at/8, from, ptrBytes/8)
	}
	if !r.parts(addr, head, at, end, depth) {
		return false
	}
	if depth > 0 {
		if r.seen == nil {
			r.seen = map[uint32]uint64{}
		}
		r.seen[addr] = at / 8
	}
	return true
}

// parts sets the bits of a type whose bitmap is made on demand: those of its elements or fields.
func (r *typeReader) parts(addr uint32, head []byte, at, end uint64, depth int) bool {
	size := guesttype.U64(head, guesttype.TypeSize)
	switch head[guesttype.TypeKind] {
	case guesttype.KindArray:
		full, ok := r.vm.Space.Bytes(uint64(addr), guesttype.ArrayHead)
		if !ok {
			return r.fail("address %#x", addr)
		}
		elem, n := uint32(guesttype.U64(full, guesttype.ArrayElem)), guesttype.U64(full, guesttype.ArrayLen)
		ehead, ok := r.vm.Space.Bytes(uint64(elem), guesttype.TypeHead)
		if !ok {
			return r.fail("address %#x", elem)
		}
		esize, eptrs := guesttype.U64(ehead, guesttype.TypeSize), guesttype.U64(ehead, guesttype.TypePtrBytes)
		if esize == 0 || n > size/esize {
			return r.fail("array of %d elements of %d bytes in %d", n, esize, size)
		}
		if n == 0 || eptrs == 0 {
			return true
		}
		if rest := (n - 1) * esize; esize%8 != 0 || rest > end-at || eptrs > end-at-rest {
			return r.fail("pointers beyond the type")
		}
		if !r.fill(elem, at, end, depth+1) {
			return false
		}
		// Each step doubles the elements; the last element ends at its last pointer.
		bit, words := at/8, esize/8
		for have := uint64(1); have < n; have *= 2 {
			if !r.repeat(bit+have*words, bit, (min(have, n-have)-1)*words+eptrs/8) {
				return false
			}
		}
		return true
	case guesttype.KindStruct:
		full, ok := r.vm.Space.Bytes(uint64(addr), guesttype.StructHead)
		if !ok {
			return r.fail("address %#x", addr)
		}
		fields, n := uint64(uint32(guesttype.U64(full, guesttype.StructFields))), guesttype.U64(full, guesttype.StructFields+8)
		if n > maxTypeSteps {
			return r.fail("%d fields", n)
		}
		list, ok := r.vm.Space.Bytes(fields, n*guesttype.FieldSize)
		if !ok {
			return r.fail("address %#x", fields)
		}
		for i := range int(n) {
			f := list[i*guesttype.FieldSize:]
			off := guesttype.U64(f, guesttype.FieldOffset)
			if off > size {
				return r.fail("field at %d of %d bytes", off, size)
			}
			if !r.fill(uint32(guesttype.U64(f, guesttype.FieldType)), at+off, end, depth+1) {
				return false
			}
		}
		return true
	}
	return r.fail("kind %d has its bitmap on demand", head[guesttype.TypeKind])
}

// copyMask copies n bits of a descriptor's bitmap to the mask, from bit at on.
func (r *typeReader) copyMask(addr uint32, at, n uint64) bool {
	src, ok := r.vm.Space.Bytes(uint64(addr), (n+7)/8)
	if !ok {
		return r.fail("bitmap at %#x", addr)
	}
	if !r.room(at, n) {
		return false
	}
	for i := uint64(0); i < n; i += 64 {
		if r.polls(i) {
			return false
		}
		var w [8]byte
		copy(w[:], src[i/8:])
		r.set(at+i, binary.LittleEndian.Uint64(w[:]), n-i)
	}
	return true
}

// repeat copies n bits of the mask, from bit from to bit at. The two ranges do not overlap.
func (r *typeReader) repeat(at, from, n uint64) bool {
	if !r.room(at, n) {
		return false
	}
	for i := uint64(0); i < n; i += 64 {
		if r.polls(i) {
			return false
		}
		k, s := (from+i)/64, (from+i)%64
		w := r.mask[k] >> s
		if s != 0 && k+1 < uint64(len(r.mask)) {
			w |= r.mask[k+1] << (64 - s)
		}
		r.set(at+i, w, n-i)
	}
	return true
}

// room counts the steps of n bits at bit at, and checks that they are in the mask.
func (r *typeReader) room(at, n uint64) bool {
	if r.steps -= int(n / 64); r.steps < 0 {
		return r.fail("too large")
	}
	if at+n > uint64(len(r.mask))*64 {
		return r.fail("bitmap beyond the type")
	}
	return true
}

// polls reports at regular numbers of bits whether the run must stop.
func (r *typeReader) polls(bits uint64) bool {
	return bits%(64*64*pollParts) == 0 && bits > 0 && r.vm.mustStop()
}

// set copies the set bits among the first n bits of w, up to 64, to the mask at bit at.
func (r *typeReader) set(at, w, n uint64) {
	w &= 1<<min(64, n) - 1
	k, s := at/64, at%64
	r.mask[k] |= w << s
	if hi := w >> (64 - s); hi != 0 {
		r.mask[k+1] |= hi
	}
}
