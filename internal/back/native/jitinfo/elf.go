//go:build linux && (amd64 || arm64)

package jitinfo

import (
	"debug/elf"
	"path/filepath"
)

// image makes the ELF file of one function that gdb reads from memory: the address of the code, its
// name, how to unwind its frame, and its lines.
func image(c *Code, rows []row) []byte {
	type section struct {
		name  string
		typ   elf.SectionType
		flags elf.SectionFlag
		addr  uint64
		data  []byte
		size  uint64 // of one without data
		link  uint32
		info  uint32
		entry uint64
	}
	start, size := uint64(c.Start), uint64(len(c.Bytes))
	const text, strtab = 1, 3
	strs := append([]byte{0}, c.Name()...)
	strs = append(strs, 0)
	syms := make([]byte, 24) // the first symbol is none
	syms = le.AppendUint32(syms, 1)
	syms = append(syms, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 0)
	syms = le.AppendUint16(syms, text)
	syms = le.AppendUint64(syms, start)
	syms = le.AppendUint64(syms, size)
	sections := []section{
		{},
		{name: ".text", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, addr: start, size: size},
		{name: ".symtab", typ: elf.SHT_SYMTAB, data: syms, link: strtab, info: 1, entry: 24},
		{name: ".strtab", typ: elf.SHT_STRTAB, data: strs},
		{name: ".eh_frame", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC, data: ehFrame(c)},
	}
	if len(rows) > 0 {
		sections = append(sections,
			section{name: ".debug_abbrev", typ: elf.SHT_PROGBITS, data: debugAbbrev},
			section{name: ".debug_info", typ: elf.SHT_PROGBITS, data: debugInfo(c, rows)},
			section{name: ".debug_line", typ: elf.SHT_PROGBITS, data: debugLine(c, rows)})
	}
	names := []byte{0}
	offs := make([]uint32, len(sections)+1)
	for i := range sections {
		if s := &sections[i]; s.name != "" {
			offs[i] = uint32(len(names))
			names = append(append(names, s.name...), 0)
		}
	}
	offs[len(sections)] = uint32(len(names))
	names = append(append(names, ".shstrtab"...), 0)
	sections = append(sections, section{name: ".shstrtab", typ: elf.SHT_STRTAB, data: names})

	const header, sectionHeader = 64, 64
	var body, heads []byte
	for i, s := range sections {
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
		if s.data != nil {
			s.size = uint64(len(s.data))
		}
		heads = le.AppendUint32(heads, offs[i])
		heads = le.AppendUint32(heads, uint32(s.typ))
		heads = le.AppendUint64(heads, uint64(s.flags))
		heads = le.AppendUint64(heads, s.addr)
		heads = le.AppendUint64(heads, uint64(header+len(body)))
		heads = le.AppendUint64(heads, s.size)
		heads = le.AppendUint32(heads, s.link)
		heads = le.AppendUint32(heads, s.info)
		heads = le.AppendUint64(heads, 8)
		heads = le.AppendUint64(heads, s.entry)
		body = append(body, s.data...)
	}
	for len(body)%8 != 0 {
		body = append(body, 0)
	}
	out := []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT), 0, 0, 0, 0, 0,
		0, 0, 0, 0}
	out = le.AppendUint16(out, uint16(elf.ET_EXEC))
	out = le.AppendUint16(out, uint16(machine))
	out = le.AppendUint32(out, uint32(elf.EV_CURRENT))
	out = le.AppendUint64(out, 0)
	out = le.AppendUint64(out, 0)
	out = le.AppendUint64(out, uint64(header+len(body)))
	out = le.AppendUint32(out, 0)
	for _, x := range []int{header, 0, 0, sectionHeader, len(sections), len(sections) - 1} {
		out = le.AppendUint16(out, uint16(x))
	}
	return append(append(out, body...), heads...)
}

func uleb(b []byte, x uint64) []byte {
	for ; x >= 0x80; x >>= 7 {
		b = append(b, byte(x)|0x80)
	}
	return append(b, byte(x))
}

func sleb(b []byte, x int64) []byte {
	for {
		c := byte(x & 0x7f)
		x >>= 7
		if x == 0 && c&0x40 == 0 || x == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// withLength puts the length before a piece and pads the piece to 8 bytes.
func withLength(out, b []byte, fill byte) []byte {
	for (len(b)+4)%8 != 0 {
		b = append(b, fill)
	}
	return append(le.AppendUint32(out, uint32(len(b))), b...)
}

const (
	cfaDefCFA       = 0x0c
	cfaDefCFAOffset = 0x0e
	cfaAdvance4     = 0x04
	cfaUndefined    = 0x07
	cfaOffset       = 0x80
	cfaRestore      = 0xc0
)

// ehFrame returns the unwind data: the frame ends at a known distance from the stack pointer, the
// return address is its last word, and no caller's register is preserved.
func ehFrame(c *Code) []byte {
	cie := le.AppendUint32(nil, 0)
	cie = append(cie, 1, 'z', 'R', 0, 1)
	cie = sleb(cie, -8)
	cie = append(cie, returnAddress, 1, 0) // addresses are absolute
	cie = uleb(uleb(append(cie, cfaDefCFA), stackRegister), linkBytes)
	if linkBytes > 0 {
		cie = uleb(append(cie, cfaOffset|returnAddress), 1)
	}
	out := withLength(nil, cie, 0)
	fde := le.AppendUint32(nil, uint32(len(out)+4))
	fde = le.AppendUint64(fde, uint64(c.Start))
	fde = le.AppendUint64(fde, uint64(len(c.Bytes)))
	fde = append(fde, 0)
	if c.Fn == nil {
		fde = uleb(append(fde, cfaUndefined), returnAddress) // a stack begins here
	}
	at, pushed := 0, false
	for _, f := range unwind(c) {
		if f.pc > at {
			fde = le.AppendUint32(append(fde, cfaAdvance4), uint32(f.pc-at))
			at = f.pc
		}
		fde = uleb(append(fde, cfaDefCFAOffset), uint64(f.cfa))
		switch {
		case linkBytes > 0:
		case f.cfa > 0 && !pushed:
			fde = uleb(append(fde, cfaOffset|returnAddress), 1)
		case f.cfa == 0 && pushed:
			fde = append(fde, cfaRestore|returnAddress)
		}
		pushed = f.cfa > 0
	}
	out = withLength(out, fde, 0)
	return le.AppendUint32(out, 0)
}

// DWARF 4. The tree is a unit with one function.
var debugAbbrev = []byte{
	1, 0x11, 1, // DW_TAG_compile_unit, with children
	0x10, 0x17, // stmt_list: offset
	0x13, 0x05, // language
	0x03, 0x08, // name
	0x1b, 0x08, // comp_dir
	0x11, 0x01, // low_pc
	0x12, 0x07, // high_pc: length
	0, 0,
	2, 0x2e, 0, // DW_TAG_subprogram
	0x03, 0x08,
	0x11, 0x01,
	0x12, 0x07,
	0x3f, 0x19, // external
	0, 0,
	0,
}

const langGo = 0x16

func debugInfo(c *Code, rows []row) []byte {
	var b []byte
	str := func(s string) { b = append(append(b, s...), 0) }
	extent := func() {
		b = le.AppendUint64(b, uint64(c.Start))
		b = le.AppendUint64(b, uint64(len(c.Bytes)))
	}
	b = le.AppendUint16(b, 4)
	b = le.AppendUint32(b, 0)
	b = append(b, 8)
	b = append(b, 1)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint16(b, langGo)
	str(rows[0].file)
	str(filepath.Dir(rows[0].file))
	extent()
	b = append(b, 2)
	str(c.Name())
	extent()
	b = append(b, 0)
	return append(le.AppendUint32(nil, uint32(len(b))), b...)
}

func debugLine(c *Code, rows []row) []byte {
	const opcodeBase = 10
	head := []byte{1, 1, 1, 0xfb, 14, opcodeBase, 0, 1, 1, 1, 1, 0, 0, 0, 1}
	head = append(head, 0) // directories: names of files are absolute
	files := map[string]uint64{}
	for _, r := range rows {
		if files[r.file] == 0 {
			files[r.file] = uint64(len(files) + 1)
			head = append(append(head, r.file...), 0, 0, 0, 0)
		}
	}
	head = append(head, 0)
	prog := append([]byte{0}, uleb(nil, 9)...)
	prog = le.AppendUint64(append(prog, 2), uint64(c.Start))
	pc, line, file := 0, int64(1), uint64(1)
	for _, r := range rows {
		if n := files[r.file]; n != file {
			prog = uleb(append(prog, 4), n)
			file = n
		}
		if r.pc > pc {
			prog = uleb(append(prog, 2), uint64(r.pc-pc))
			pc = r.pc
		}
		prog = sleb(append(prog, 3), int64(r.line)-line)
		line = int64(r.line)
		prog = append(prog, 1) // a row
	}
	prog = uleb(append(prog, 2), uint64(len(c.Bytes)-pc))
	prog = append(prog, 0, 1, 1) // the end
	b := le.AppendUint16(nil, 4)
	b = le.AppendUint32(b, uint32(len(head)))
	b = append(append(b, head...), prog...)
	return append(le.AppendUint32(nil, uint32(len(b))), b...)
}
