package sample

import (
	"debug/dwarf"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Binary names the addresses of an executable file that Go's linker made. It uses the table of
// functions and lines, which even stripped files have. Where the file has DWARF, it uses that too,
// which knows inlined calls.
type Binary struct {
	Machine elf.Machine
	Bias    uint64 // address in the process less that in the file: 0 unless position independent

	file  *elf.File
	text  *elf.Section
	code  []byte
	table *gosym.Table
	dwarf *dwarf.Data
	trees map[uint64]*inlineTree // by entry of the function
	data  []elf.Symbol           // names of data, by address
}

// OpenBinary reads an ELF file.
func OpenBinary(name string) (*Binary, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	b := &Binary{Machine: f.Machine, file: f, text: f.Section(".text"), trees: map[uint64]*inlineTree{}}
	if err := b.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

func (b *Binary) read() error {
	lines := b.file.Section(".gopclntab")
	if lines == nil {
		lines = b.file.Section(".data.rel.ro.gopclntab")
	}
	if b.text == nil || lines == nil {
		return errors.New("it is no program that Go's linker made")
	}
	data, err := lines.Data()
	if err != nil {
		return err
	}
	if b.code, err = b.text.Data(); err != nil {
		return err
	}
	if b.table, err = gosym.NewTable(nil, gosym.NewLineTable(data, b.text.Addr)); err != nil {
		return err
	}
	b.dwarf, _ = b.file.DWARF() // without it inlined calls are unknown
	symbols, _ := b.file.Symbols()
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			b.data = append(b.data, s)
		}
	}
	slices.SortFunc(b.data, func(x, y elf.Symbol) int { return int(int64(x.Value) - int64(y.Value)) })
	return nil
}

// Close closes the file.
func (b *Binary) Close() error { return b.file.Close() }

// Resolve returns the meaning of an address in a process of the binary.
func (b *Binary) Resolve(s Sample) Place {
	if s.Kernel {
		return Place{Kind: Kernel, Func: "[kernel]"}
	}
	at := s.IP - b.Bias
	fn := b.table.PCToFunc(at)
	if fn == nil {
		return Place{Kind: Host, Func: "[unknown]"} // a library, or the kernel's page
	}
	p := Place{Func: fn.Name, Offset: int(at - fn.Entry), Frames: b.Frames(at)}
	p.File, p.Line = p.Frames[0].File, p.Frames[0].Line
	p.Kind = kindOf(goRules, fn.Name, p.Frames[len(p.Frames)-1].File)
	return p
}

// Frames are the functions at an address of the file, the innermost inlined one first.
func (b *Binary) Frames(at uint64) (list []record.Frame) {
	file, line, fn := b.table.PCToLine(at)
	if fn == nil {
		return nil
	}
	line = max(line, 0) // padding between functions has none
	for _, x := range b.tree(fn).at(at) {
		list = append(list, record.Frame{Func: x.name, File: file, Line: line})
		file, line = x.callFile, x.callLine
	}
	return append(list, record.Frame{Func: fn.Name, File: file, Line: line})
}

// Code returns the machine code of a function, and the address of its beginning in the file.
func (b *Binary) Code(name string) (code []byte, at uint64) {
	fn := b.table.LookupFunc(name)
	if fn == nil || fn.Entry < b.text.Addr || fn.End-b.text.Addr > uint64(len(b.code)) || fn.End < fn.Entry {
		return nil, 0
	}
	return b.code[fn.Entry-b.text.Addr : fn.End-b.text.Addr], fn.Entry
}

// Functions are the names of the functions that begin in a source file.
func (b *Binary) Functions(file string) (list []string) {
	for i := range b.table.Funcs {
		f := &b.table.Funcs[i]
		if name, _, _ := b.table.PCToLine(f.Entry); name == file {
			list = append(list, f.Name)
		}
	}
	return list
}

// Constant reports whether nothing writes at an address of the file.
func (b *Binary) Constant(at uint64) bool {
	for _, s := range b.file.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && at >= s.Addr && at < s.Addr+s.Size {
			return s.Flags&elf.SHF_WRITE == 0
		}
	}
	return false
}

// Symbol names an address of the file: a function or data.
func (b *Binary) Symbol(at uint64) (name string, base uint64) {
	if fn := b.table.PCToFunc(at); fn != nil {
		return fn.Name, fn.Entry
	}
	i, found := slices.BinarySearchFunc(b.data, at, func(s elf.Symbol, at uint64) int { return int(int64(s.Value) - int64(at)) })
	if !found {
		i--
	}
	if i >= 0 && at < b.data[i].Value+max(b.data[i].Size, 1) {
		return b.data[i].Name, b.data[i].Value
	}
	return "", 0
}

// An inlineTree has the calls that were inlined into a function.
type inlineTree struct{ calls []inlinedCall }

// An inlinedCall is the code of an inlined call, including calls inlined into it.
type inlinedCall struct {
	name     string // of the called function
	callFile string
	callLine int
	ranges   [][2]uint64
	depth    int // 0: into the function itself
}

// at returns the calls whose code contains an address, the innermost first. A nil tree has none.
func (t *inlineTree) at(pc uint64) (list []inlinedCall) {
	if t == nil {
		return nil
	}
	for _, c := range t.calls {
		for _, r := range c.ranges {
			if pc >= r[0] && pc < r[1] {
				list = append(list, c)
				break
			}
		}
	}
	slices.SortStableFunc(list, func(x, y inlinedCall) int { return y.depth - x.depth })
	return list
}

// tree reads the calls that were inlined into a function; nil if they are unknown.
func (b *Binary) tree(fn *gosym.Func) *inlineTree {
	if t, ok := b.trees[fn.Entry]; ok || b.dwarf == nil {
		return t
	}
	t, err := b.readTree(fn.Entry)
	if err != nil {
		t = nil // lines are known without it
	}
	b.trees[fn.Entry] = t
	return t
}

// maxDepth bounds the depth of inlined calls that are read: debugging information may be damaged.
const maxDepth = 100

// readTree finds the function in DWARF: an entry DW_TAG_subprogram of the unit that contains the
// address. The entries below it with the tag DW_TAG_inlined_subroutine are the calls.
func (b *Binary) readTree(at uint64) (*inlineTree, error) {
	r := b.dwarf.Reader()
	unit, err := r.SeekPC(at)
	if err != nil {
		return nil, err
	}
	lines, err := b.dwarf.LineReader(unit)
	if err != nil || lines == nil {
		return nil, errors.Join(err, errors.New("no lines"))
	}
	files := lines.Files()
	t := &inlineTree{}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return nil, errors.Join(err, errors.New("no such function"))
		}
		if low, ok := e.Val(dwarf.AttrLowpc).(uint64); e.Tag == dwarf.TagSubprogram && ok && low == at {
			if e.Children {
				err = b.readCalls(r, files, 0, t)
			}
			return t, err
		}
		r.SkipChildren()
	}
}

// readCalls reads the entries up to the end of the current list.
func (b *Binary) readCalls(r *dwarf.Reader, files []*dwarf.LineFile, depth int, t *inlineTree) error {
	for depth < maxDepth {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil || e.Tag == 0 {
			return nil
		}
		below := depth
		if e.Tag == dwarf.TagInlinedSubroutine {
			if err := b.readCall(e, files, depth, t); err != nil {
				return err
			}
			below++
		}
		if e.Children {
			if err := b.readCalls(r, files, below, t); err != nil {
				return err
			}
		}
	}
	return errors.New("calls are inlined too deep")
}

func (b *Binary) readCall(e *dwarf.Entry, files []*dwarf.LineFile, depth int, t *inlineTree) (err error) {
	c := inlinedCall{depth: depth}
	if c.ranges, err = b.dwarf.Ranges(e); err != nil {
		return err
	}
	if line, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
		c.callLine = int(line)
	}
	if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && int(n) < len(files) && files[n] != nil {
		c.callFile = files[n].Name
	}
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := b.dwarf.Reader()
		r.Seek(off)
		of, err := r.Next()
		if err != nil {
			return err
		}
		if of != nil {
			c.name, _ = of.Val(dwarf.AttrName).(string)
		}
	}
	t.calls = append(t.calls, c)
	return nil
}

// Bias returns the address of the binary's code in a process less its address in the file, as
// Binary.Bias needs for a position independent file. It is 0 if unknown.
func Bias(pid int, b *Binary) uint64 {
	if b.file.Type != elf.ET_DYN {
		return 0
	}
	return biasOf(pid, b.text)
}
