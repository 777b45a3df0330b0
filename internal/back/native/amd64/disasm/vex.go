package disasm

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// x86asm does not know VEX prefixes. split returns the length of such an instruction, with no
// operation, and vex its text: for the few that this compiler makes.

func split(code []byte) (x86asm.Inst, int) {
	if n := vexLen(code); n > 0 {
		return x86asm.Inst{}, n
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil || inst.Len == 0 {
		return x86asm.Inst{}, 1
	}
	return inst, inst.Len
}

// vexLen returns the length of an instruction with a VEX prefix, 0 if it has none.
func vexLen(c []byte) int {
	if len(c) < 4 || c[0] != 0xc4 && c[0] != 0xc5 {
		return 0
	}
	n, space := 2, byte(1)
	if c[0] == 0xc4 {
		n, space = 3, c[1]&31
	}
	n++ // opcode
	if n >= len(c) {
		return 0
	}
	mod, rm := c[n]>>6, c[n]&7
	n++
	if mod != 3 && rm == 4 {
		if n >= len(c) {
			return 0
		}
		if mod == 0 && c[n]&7 == 5 {
			n += 4
		}
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2 || mod == 0 && rm == 5:
		n += 4
	}
	if space == 3 {
		n++
	}
	if n > len(c) {
		return 0
	}
	return n
}

// vex returns the text of an instruction between registers with a VEX prefix: result first, in the
// order of Intel's manual.
func vex(c []byte) string {
	if len(c) < 5 || c[0] != 0xc4 || c[4]>>6 != 3 {
		return fmt.Sprintf(".byte % x", c)
	}
	wide := c[2]&0x80 != 0
	reg := x86asm.Reg(c[4]>>3&7 | ^c[1]>>4&8)
	rm := x86asm.Reg(c[4]&7 | ^c[1]>>2&8)
	v := x86asm.Reg(^c[2] >> 3 & 15)
	name := func(r x86asm.Reg) string {
		if wide {
			return fmt.Sprint(x86asm.RAX + r)
		}
		return fmt.Sprint(x86asm.EAX + r)
	}
	type key struct{ space, prefix, op byte }
	switch k := (key{c[1] & 31, c[2] & 3, c[3]}); k {
	case key{2, 1, 0xf7}, key{2, 2, 0xf7}, key{2, 3, 0xf7}:
		op := [...]string{1: "SHLX", 2: "SARX", 3: "SHRX"}[k.prefix]
		return fmt.Sprintf("%s %s, %s, %s", op, name(reg), name(rm), name(v))
	case key{2, 0, 0xf2}:
		return fmt.Sprintf("ANDN %s, %s, %s", name(reg), name(v), name(rm))
	case key{2, 3, 0xf6}:
		return fmt.Sprintf("MULX %s, %s, %s", name(reg), name(v), name(rm))
	case key{3, 3, 0xf0}:
		return fmt.Sprintf("RORX %s, %s, %d", name(reg), name(rm), c[len(c)-1])
	case key{2, 1, 0xb9}:
		op := "VFMADD231SS"
		if wide {
			op = "VFMADD231SD"
		}
		return fmt.Sprintf("%s %s, %s, %s", op, x86asm.X0+reg, x86asm.X0+v, x86asm.X0+rm)
	}
	return fmt.Sprintf(".byte % x", c)
}
