package jitinfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// What depends on the processor: the numbers of DWARF of the stack pointer and the return address, how
// many bytes a call puts on the stack, and the least distance of instructions.
const (
	machine       = elf.EM_X86_64
	stackRegister = 7
	returnAddress = 16
	linkBytes     = 8
	step          = 1
)

// movesStack are the instructions that move the stack pointer by a constant: what they begin with, the
// bytes of the constant, and its sign.
var movesStack = []struct {
	begin []byte
	bytes int
	sign  int
}{
	{[]byte{0x48, 0x83, 0xec}, 1, -1}, // sub
	{[]byte{0x48, 0x81, 0xec}, 4, -1},
	{[]byte{0x48, 0x83, 0xc4}, 1, 1}, // add
	{[]byte{0x48, 0x81, 0xc4}, 4, 1},
	{[]byte{0x48, 0x8d, 0x64, 0x24}, 1, 1}, // lea
	{[]byte{0x48, 0x8d, 0xa4, 0x24}, 4, 1},
}

// moves returns the length of the instruction at the start of the code and by how much it moves the stack
// pointer, 0 if it does not.
func moves(code []byte) (n, by int) {
	for _, m := range movesStack {
		n := len(m.begin)
		if !bytes.HasPrefix(code, m.begin) || len(code) < n+m.bytes {
			continue
		}
		if m.bytes == 1 {
			return n + 1, m.sign * int(int8(code[n]))
		}
		return n + 4, m.sign * int(int32(binary.LittleEndian.Uint32(code[n:])))
	}
	return 0, 0
}

// returns reports whether the code begins with a return.
func returns(code []byte) bool { return code[0] == 0xc3 }
