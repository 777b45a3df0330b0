package jitinfo

import (
	"debug/elf"
	"encoding/binary"
)

// What depends on the processor: the numbers of DWARF of the stack pointer and the return address, how
// many bytes a call puts on the stack, and the least distance of instructions.
const (
	machine       = elf.EM_AARCH64
	stackRegister = 27
	returnAddress = 30
	linkBytes     = 0
	step          = 4
)

// moves returns the length of the instruction at the start of the code and by how much it moves the stack
// pointer, 0 if it does not. The bits of the instructions are those of sums with an immediate, and of an
// access that moves its base.
func moves(code []byte) (n, by int) {
	if len(code) < 4 {
		return 0, 0
	}
	const r = stackRegister
	x := binary.LittleEndian.Uint32(code)
	imm := int(x >> 10 & 0xfff)
	if x>>22&1 != 0 {
		imm <<= 12
	}
	switch {
	case x&^(0x1fff<<10) == 0x91000000|r<<5|r: // add
		return 4, imm
	case x&^(0x1fff<<10) == 0xd1000000|r<<5|r: // sub
		return 4, -imm
	case x == 0xf81f8c00|r<<5|30, x == 0xf8408400|r<<5|30: // str x30, [x27, #-8]! and ldr x30, [x27], #8
		return 4, int(int32(x<<11) >> 23)
	}
	return 0, 0
}

// returns reports whether the code begins with a return.
func returns(code []byte) bool { return binary.LittleEndian.Uint32(code) == 0xd65f03c0 }
