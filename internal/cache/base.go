package cache

import (
	"encoding/binary"
	"io/fs"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A BaseEntry is the entry of a layer of the standard library, which all programs share. Its parts
// are read from the file on demand.
type BaseEntry struct {
	Inputs []filetree.Input // what was read
	ID     []byte           // a hash of the inputs of the layer and of those below it
	Sum    []byte           // identifies the module: a hash of its image and of the layer below

	parts [NumParts][]byte // of a new entry
	file  *Entry           // nil: the entry is new, or comes from elsewhere
	from  func(Part) ([]byte, error)

	bodies  pieces // PartBodies
	initial pieces // PartData, unless it is in a file
	data    int    // for a file: number of the first section with data
}

// BaseFrom returns an entry that is in no cache: part returns its parts on demand.
func BaseFrom(id, sum []byte, part func(Part) ([]byte, error)) *BaseEntry {
	p := &BaseEntry{ID: id, Sum: sum, from: part}
	p.bodies.init(1, math.MaxInt, func(int) ([]byte, error) { return part(PartBodies) })
	p.initial.init(1, math.MaxInt, func(int) ([]byte, error) { return part(PartData) })
	return p
}

// A Part is a part of a BaseEntry.
type Part int

// These are the parts of a layer. Programs from the cache need the image at the start, and the
// others hardly ever.
const (
	PartImage  Part = iota // the module after phase A, without the lazily read parts: image.Split
	PartBodies             // the lazily read parts: above all bodies of functions
	PartData               // the rest of them: initial memory
	PartFacts              // the facts of phase A: opt.PhaseABase
	PartIndex              // what lowering needs to know: lower.BaseIndex
	PartTypes              // types of the packages: load.OpenBase
	NumParts
)

// The sections of an entry are its head, the parts (PartBodies and PartData are empty there), pieces
// of the bodies, and pieces of the data. Most programs need few pieces of the bodies. Pieces of the
// data are not kept in memory.
const (
	firstPiece = 1 + int(NumParts)
)

// Part returns a part. An error says that the file is damaged.
func (p *BaseEntry) Part(n Part) ([]byte, error) {
	switch {
	case p.from != nil:
		return p.from(n)
	case p.file == nil:
		return p.parts[n], nil
	case n == PartBodies:
		return p.Bodies(0, p.file.size(firstPiece)-p.file.size(p.data))
	case n == PartData:
		b := make([]byte, p.file.size(p.data))
		return b, p.Data(b, 0)
	}
	return p.file.Section(1 + int(n))
}

// Bodies returns the bytes of PartBodies from one offset to another. They must not be changed.
func (p *BaseEntry) Bodies(from, to int) ([]byte, error) { return p.bodies.bytes(from, to) }

// Data copies bytes of PartData from an offset on, as many as dst takes.
func (p *BaseEntry) Data(dst []byte, at int) error {
	if p.file == nil {
		b, err := p.initial.bytes(at, at+len(dst))
		copy(dst, b)
		return err
	}
	for len(dst) > 0 {
		k, skip := p.data+at/lateSize, at%lateSize
		if k >= p.file.Len() || skip >= int(p.file.sections[k].size) {
			return errContents
		}
		size := int(p.file.sections[k].size)
		piece := dst[:min(size, len(dst))]
		if skip > 0 || size > len(dst) {
			piece = make([]byte, size) // only a part of it is requested
		}
		if err := p.file.read(k, piece); err != nil {
			return err
		}
		n := copy(dst, piece[skip:])
		dst, at = dst[n:], at+n
	}
	return nil
}

// SetPart sets a part of an entry that is being made.
func (p *BaseEntry) SetPart(n Part, b []byte) {
	p.parts[n] = b
	read := func(int) ([]byte, error) { return b, nil }
	switch n {
	case PartBodies:
		p.bodies.init(1, math.MaxInt, read)
	case PartData:
		p.initial.init(1, math.MaxInt, read)
	}
}

// PutBase writes a new entry.
func (d *Dir) PutBase(n Name, p *BaseEntry) error {
	list := append([][]byte{nil}, p.parts[:]...)
	list[1+PartBodies], list[1+PartData] = nil, nil
	list = slices.AppendSeq(list, slices.Chunk(p.parts[PartBodies], lateSize))
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	list[0] = appendBytes(appendBytes(appendInputs(head, p.Inputs), p.ID), p.Sum)
	return d.Put(n, slices.AppendSeq(list, slices.Chunk(p.parts[PartData], lateSize))...)
}

// OpenBase opens an entry, or returns nil if it does not exist. The error is only for information,
// as that of Open.
func (d *Dir) OpenBase(n Name) (*BaseEntry, error) {
	e, err := d.Open(n)
	if e == nil || err != nil {
		return nil, err
	}
	b, err := e.Section(0)
	if err == nil && e.Len() < firstPiece {
		err = errContents
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	r := decoder{decode.Reader{B: b}}
	p := &BaseEntry{data: int(r.U32()), Inputs: r.inputs(), ID: r.bytes(), Sum: r.bytes(), file: e}
	if !r.End() || p.data < firstPiece || p.data > e.Len() {
		e.Close()
		return nil, errContents
	}
	p.bodies.init(p.data-firstPiece, lateSize, func(n int) ([]byte, error) { return e.Section(firstPiece + n) })
	return p, nil
}

// Current reports whether all inputs are unchanged; see [ProgramEntry.Current].
func (p *BaseEntry) Current(fsys fs.FS) (current, renewed bool) {
	return filetree.Check(p.Inputs, fsys)
}

// A CodeEntry is the entry with the code of those functions of a layer that have been called. The
// parts are read on demand.
type CodeEntry struct {
	file   *Entry
	native [2]pieces
	sizes  [2]int
}

// The sections of a CodeEntry are the numbers of pieces of machine code without and with checks of
// memory contents, register code, the heads of machine code, and the pieces.
const firstCode = 4

// PutCode writes an entry: register code (bytecode.Module.Save), and the results of
// native.Module.Save, for code without and with checks of memory contents.
func (d *Dir) PutCode(n Name, register []byte, heads, native [2][]byte) error {
	var counts []byte
	list := [][]byte{nil, register, heads[0], heads[1]}
	for _, b := range native {
		k := len(list)
		list = slices.AppendSeq(list, slices.Chunk(b, lateSize))
		counts = binary.LittleEndian.AppendUint32(counts, uint32(len(list)-k))
	}
	list[0] = counts
	return d.Put(n, list...)
}

// OpenCode opens an entry, or returns nil if no usable one exists.
func (d *Dir) OpenCode(n Name) *CodeEntry {
	e, err := d.Open(n)
	if e == nil || err != nil {
		return nil
	}
	p := &CodeEntry{file: e}
	counts, err := e.Section(0)
	at := firstCode
	for i := range p.native {
		if err != nil || len(counts) != 4*len(p.native) {
			break
		}
		k, first := int(binary.LittleEndian.Uint32(counts[4*i:])), at
		if at += k; k > e.Len()-first {
			break
		}
		p.native[i].init(k, lateSize, func(n int) ([]byte, error) { return e.Section(first + n) })
		p.sizes[i] = e.size(first) - e.size(at)
	}
	if at != e.Len() {
		e.Close()
		return nil
	}
	return p
}

// Register returns the register code, or nil if the entry has none or the file is damaged. A nil
// entry has none.
func (p *CodeEntry) Register() []byte { return p.section(1) }

// Native returns the head of machine code, with or without checks, the size of the code, and a
// function that reads a part of it. The head is nil if the entry has none or the file is damaged. A
// nil entry has none.
func (p *CodeEntry) Native(i int) (head []byte, size int, read func(from, to int) ([]byte, error)) {
	if p == nil {
		return nil, 0, nil
	}
	return p.section(2 + i), p.sizes[i], p.native[i].bytes
}

func (p *CodeEntry) section(n int) []byte {
	if p == nil {
		return nil
	}
	b, err := p.file.Section(n)
	if err != nil {
		return nil
	}
	return b
}
