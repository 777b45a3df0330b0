package bytecode

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Words returns the number of words of the instruction at code[0].
func Words(code []uint64) int {
	w := code[0]
	switch op := OpOf(w); op {
	case Switch:
		return 3 + int(w>>32)
	case SwitchB:
		return 2 + 2*int(w>>32)
	default:
		if op < NumOps && strings.IndexByte(Ops[op].Form, '/') >= 0 {
			return 2
		}
	}
	return 1
}

// An Operand is a field of an instruction as the op's form spells it.
type Operand struct {
	Kind  byte  // = r i u I L H J K, or T for a target of a switch
	Value int64 // slot, immediate; offset in words from the function's first word for targets
	Gas   [2]int64
}

// Decode splits the instruction at offset at of a function's code into operands.
func Decode(code []uint64, at int) (op Op, operands []Operand, words int) {
	w := code[at]
	op = OpOf(w)
	words = Words(code[at:])
	if op >= NumOps {
		return op, nil, 1
	}
	head, ext, _ := strings.Cut(Ops[op].Form, "/")
	for i, ch := range []byte(head) {
		f := uint16(w >> (16 * uint(i+1)))
		switch ch {
		case '=', 'r', 'u':
			operands = append(operands, Operand{Kind: ch, Value: int64(f)})
		case 'i':
			operands = append(operands, Operand{Kind: ch, Value: int64(int16(f))})
		case 'I':
			v := Imm32(w)
			if op == Jmp || op == JmpL || op == JmpBack {
				operands = append(operands, Operand{Kind: 'T', Value: int64(at+1) + v})
			} else {
				operands = append(operands, Operand{Kind: ch, Value: v})
			}
		}
	}
	target := func(at int) Operand {
		e := code[at]
		return Operand{Kind: 'T', Value: int64(at+1) + int64(int32(e)), Gas: [2]int64{int64(uint16(e >> 32))}}
	}
	switch op {
	case Switch:
		operands = append(operands, Operand{Kind: 'L', Value: int64(code[at+1])})
		for i := at + 2; i < at+words; i++ {
			operands = append(operands, target(i))
		}
		return op, operands, words
	case SwitchB:
		for i := at + 1; i+1 < at+words; i += 2 {
			operands = append(operands, Operand{Kind: 'L', Value: int64(code[i])}, target(i+1))
		}
		return op, append(operands, target(at+words-1)), words
	}
	if ext == "" {
		return op, operands, words
	}
	e := code[at+1]
	switch ext[0] {
	case 'L':
		operands = append(operands, Operand{Kind: 'L', Value: int64(e)})
	case 'H':
		operands = append(operands, Operand{Kind: 'H', Value: int64(uint32(e))}, Operand{Kind: 'H', Value: int64(e >> 32)})
	case 'J':
		operands = append(operands, Operand{Kind: 'T', Value: int64(at+2) + int64(int32(e)),
			Gas: [2]int64{int64(uint16(e >> 32)), int64(e >> 48)}})
	case 'K':
		operands = append(operands,
			Operand{Kind: 'i', Value: int64(int16(e >> 16))},
			Operand{Kind: 'T', Value: int64(at+2) + int64(int16(e)), Gas: [2]int64{int64(uint16(e >> 32)), int64(e >> 48)}})
	default:
		for i, ch := range []byte(ext) {
			switch ch {
			case '=', 'r', 'u':
				operands = append(operands, Operand{Kind: ch, Value: int64(uint16(e >> (16 * uint(i))))})
			case 'i':
				operands = append(operands, Operand{Kind: ch, Value: int64(int16(e >> (16 * uint(i))))})
			}
		}
	}
	return op, operands, words
}

// Text returns an instruction as text, the targets of its jumps, and its number of words. label
// names the targets in the text.
func (fc *FuncCode) Text(at int, label func(int) string) (text string, targets []int, words int) {
	var b strings.Builder
	op, operands, words := Decode(fc.Code, at)
	fmt.Fprintf(&b, "%-10s", op)
	for _, o := range operands {
		switch o.Kind {
		case '=', 'r':
			fmt.Fprintf(&b, " s%d", o.Value)
		case 'T':
			targets = append(targets, int(o.Value))
			fmt.Fprintf(&b, " ->%s", label(int(o.Value)))
			if o.Gas != [2]int64{} {
				fmt.Fprintf(&b, "(%d,%d)", o.Gas[0], o.Gas[1])
			}
		default:
			fmt.Fprintf(&b, " %d", o.Value)
		}
	}
	return b.String(), targets, words
}

// Print writes the code of a function, one instruction a line: the offset, the operation and its
// operands (slots as s1, targets as offsets with the gas of the edges). The stack maps follow.
func (fc *FuncCode) Print(w io.Writer) error {
	bw := bufio.NewWriter(w)
	name := "boot"
	if fc.Fn != nil {
		name = fc.Fn.Name
	}
	fmt.Fprintf(bw, "code %s: %d slots, frame %d, entry gas %d\n", name, fc.Slots, fc.FrameSize, fc.Code[0]>>32)
	for at := HeaderWords; at < len(fc.Code); {
		text, _, n := fc.Text(at, strconv.Itoa)
		fmt.Fprintf(bw, "%5d  %s", at, text)
		at += n
		if s := fc.Site(uint32(at)); s != nil && s.N > 0 {
			fmt.Fprintf(bw, "  ptrs%v", fc.Maps[s.Map:s.Map+s.N])
		}
		fmt.Fprintln(bw)
	}
	return bw.Flush()
}
