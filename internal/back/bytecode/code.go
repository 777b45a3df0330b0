package bytecode

import (
	"encoding/binary"
	"sort"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// A FuncCode is a compiled function. It is immutable.
type FuncCode struct {
	Fn   *ir.Func
	Code []uint64 // header, then instructions

	// Sites are the places where a frame can be suspended while others run, and those that can
	// raise a panic, by the offset (in words) of the return address.
	Sites []Site
	// Charges are the positions of the gas charges, by the offset where execution continues
	// after the charge.
	Charges []Charge

	// Lines are the positions of all instructions, see PosAt.
	Lines []byte

	Maps      []uint32 // slots with pointers, see Site
	FrameSize int64    // guest units
	Slots     int      // slots of the frame proper; synthetic calls put their frames above
	Recover   int      // offset of the recovery block, 0 if none

	LocalsSlot int           // slot that holds the address of the locals, 0 if there are none
	LocalsSize int64         // bytes
	Locals     ir.LocalTable // pointers in them

	start, end uintptr
}

// A Site describes a return address.
type Site struct {
	PC     uint32 // offset in words
	Map, N uint32 // Maps[Map:Map+N] are the slots with live pointers
	Pos    ir.Pos
	Shape  int32 // of a call through a function value: index+1 into Module.Shapes

	Run, Runs uint32 // Locals.Runs[Run:Run+Runs] are the live pointers in locals
}

// A Charge is the position of a gas charge. A charge that stands for several in a row has Steps,
// the offset of code that makes them one by one: if Units, their sum, cannot be charged at once, it
// is given back and execution continues at Steps. After a late charge execution continues whatever
// gas is left.
type Charge struct {
	PC    uint32
	Pos   ir.Pos
	Steps uint32
	Units uint32
	Late  uint32 // 1 or 0
}

// Entry returns the address of the first instruction.
func (fc *FuncCode) Entry() unsafe.Pointer { return unsafe.Pointer(&fc.Code[HeaderWords]) }

// Need returns how many bytes of a stack the function needs, from its frame on.
func (fc *FuncCode) Need() uintptr { return uintptr(uint32(fc.Code[HeaderWords-1])) }

// At returns the address of the word at an offset.
func (fc *FuncCode) At(off int) unsafe.Pointer { return unsafe.Pointer(&fc.Code[off]) }

// Site returns the site with the given return address, nil if there is none.
func (fc *FuncCode) Site(pc uint32) *Site {
	i := sort.Search(len(fc.Sites), func(i int) bool { return fc.Sites[i].PC >= pc })
	if i < len(fc.Sites) && fc.Sites[i].PC == pc {
		return &fc.Sites[i]
	}
	return nil
}

// Charge returns the charge after which execution continues at pc, nil if none does.
func (fc *FuncCode) Charge(pc uint32) *Charge {
	i := sort.Search(len(fc.Charges), func(i int) bool { return fc.Charges[i].PC >= pc })
	if i < len(fc.Charges) && fc.Charges[i].PC == pc {
		return &fc.Charges[i]
	}
	return nil
}

// PosAt returns the position of the instruction whose words include the one at
// offset off, 0 if it has none.
func (fc *FuncCode) PosAt(off uint32) ir.Pos {
	at, pos, found := uint64(0), int64(0), ir.Pos(0)
	for b := fc.Lines; len(b) > 0; {
		d, n := binary.Uvarint(b)
		p, k := int64(0), 0
		if n > 0 {
			p, k = binary.Varint(b[n:])
		}
		if at += d; at > uint64(off) || k <= 0 {
			break
		}
		pos += p
		found = ir.Pos(pos)
		b = b[n+k:]
	}
	return found
}

func word(op Op, a, b, c uint16) uint64 {
	return uint64(op) | uint64(a)<<16 | uint64(b)<<32 | uint64(c)<<48
}

// Fields of an instruction's first word.

func OpOf(w uint64) Op     { return Op(uint16(w)) }
func A(w uint64) uint16    { return uint16(w >> 16) }
func B(w uint64) uint16    { return uint16(w >> 32) }
func Imm32(w uint64) int64 { return int64(w) >> 32 }
func ImmC(w uint64) int64  { return int64(w) >> 48 }
func ImmB(w uint64) int64  { return int64(int16(w >> 32)) }
