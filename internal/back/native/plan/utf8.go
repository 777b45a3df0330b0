package plan

// UTF-8 is validated by the tables of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction
// Per Byte", Software: Practice and Experience 51 (2021). A pair of adjacent bytes is looked up three
// times: by the upper half of the first byte, by its lower half, and by the upper half of the second. A
// bit of the tables is a mistake; the pair has it if all three tables do. What tables of pairs cannot
// tell is whether the third and fourth byte of a rune are continuations. For that the highest bit says
// that both bytes of the pair are continuations, which is right exactly where a rune wants it.

// utf8Pairs are the pairs of adjacent bytes that each of the eight bits stands for: sets of the halves.
var utf8Pairs = [8]struct{ firstUpper, firstLower, secondUpper uint16 }{
	{0xf000, 0xffff, 0xf0ff},            // a rune begins, and does not go on
	{0x00ff, 0xffff, 0x0f00},            // a continuation after ASCII
	{1 << 0xe, 1 << 0, 1<<8 | 1<<9},     // three bytes where two are enough
	{1 << 0xf, 0xfff0, 0x0e00},          // above U+10FFFF: f4 90, f5 90 and up
	{1 << 0xe, 1 << 0xd, 1<<10 | 1<<11}, // a surrogate
	{1 << 0xc, 1<<0 | 1<<1, 0x0f00},     // two bytes where one is enough
	{1 << 0xf, 0xffe0 | 1<<0, 1 << 8},   // four bytes where three are enough, or above U+10FFFF: f5 80 and up
	{0x0f00, 0xffff, 0x0f00},            // two continuations
}

// UTF8Tables returns the three tables, of 16 bytes each: by the upper half of the first byte of a pair,
// by its lower half, by the upper half of the second byte.
func UTF8Tables() [3][2]uint64 {
	var t [3][2]uint64
	for bit, p := range utf8Pairs {
		for k, set := range []uint16{p.firstUpper, p.firstLower, p.secondUpper} {
			for half := range 16 {
				t[k][half/8] |= uint64(set>>half&1) << (8*(half%8) + bit)
			}
		}
	}
	return t
}
