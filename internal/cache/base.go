package cache

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A BaseEntry is the entry of a layer of the standard library, which all programs share. Its parts are read from the
// file when they are needed.
type BaseEntry struct {
	Inputs []load.Input // what was read
	ID     []byte       // a hash of what the layer, and those below it, are made from
	Sum    []byte       // tells the module from others: a hash of its image and of the layer below

	parts [NumParts][]byte // of an entry that was made just now
	file  *Entry           // nil: it was made just now, or comes from elsewhere
	from  func(Part) ([]byte, error)

	bodiesMu sync.Mutex
	bodies   [][]byte // the pieces of PartBodies, as far as they were read: of an entry from elsewhere one
}

// BaseFrom returns an entry that is in no cache: part returns its parts when they are needed.
func BaseFrom(id, sum []byte, part func(Part) ([]byte, error)) *BaseEntry {
	return &BaseEntry{ID: id, Sum: sum, from: part}
}

// A Part is a part of a BaseEntry.
type Part int

// The parts of a layer. Programs that come from the cache need the image at the start, and the others hardly ever.
const (
	PartImage  Part = iota // the module behind phase A, but for what is decoded late: image.Split
	PartBodies             // and that: bodies of functions, above all
	PartFacts              // what phase A found out: opt.PhaseABase
	PartIndex              // what lowering has to know: lower.BaseIndex
	PartTypes              // of the packages: load.OpenBase
	NumParts
)

// The sections of an entry are its head, the parts, of which PartBodies is empty, and pieces of the bodies: few programs
// need many of them.
const (
	firstPiece = 1 + int(NumParts)
	bodyPiece  = 64 << 10
)

// Part returns a part. An error says that the file is damaged.
func (p *BaseEntry) Part(n Part) ([]byte, error) {
	switch {
	case p.from != nil:
		return p.from(n)
	case p.file == nil:
		return p.parts[n], nil
	case n == PartBodies:
		return p.Bodies(0, p.file.size(firstPiece))
	}
	return p.file.Section(1 + int(n))
}

// Bodies returns the bytes of PartBodies from one place to another. They must not be changed.
func (p *BaseEntry) Bodies(from, to int) ([]byte, error) {
	p.bodiesMu.Lock()
	defer p.bodiesMu.Unlock()
	var out []byte
	for at := from; at < to; {
		start, b, err := p.bodiesAt(at)
		if err != nil {
			return nil, err
		}
		lo, hi := at-start, min(to-start, len(b))
		if lo >= hi {
			return nil, errContents
		}
		if at == from && start+hi == to {
			return b[lo:hi], nil
		}
		out = append(out, b[lo:hi]...)
		at = start + hi
	}
	return out, nil
}

// bodiesAt returns the piece of the bodies that has the byte at a place, and where it starts; p.bodiesMu is held.
func (p *BaseEntry) bodiesAt(at int) (start int, b []byte, err error) {
	k, pieces := 0, 1
	if p.file != nil {
		k, pieces = at/bodyPiece, p.file.Len()-firstPiece
	}
	if p.bodies == nil {
		p.bodies = make([][]byte, pieces)
	}
	switch {
	case k >= pieces:
		return 0, nil, errContents
	case p.bodies[k] != nil:
	case p.file != nil:
		p.bodies[k], err = p.file.Section(firstPiece + k)
	case p.from != nil:
		p.bodies[k], err = p.from(PartBodies)
	default:
		p.bodies[k] = p.parts[PartBodies]
	}
	return k * bodyPiece, p.bodies[k], err
}

// SetPart sets a part of an entry that is being made.
func (p *BaseEntry) SetPart(n Part, b []byte) { p.parts[n] = b }

// PutBase writes an entry that was made just now.
func (d *Dir) PutBase(n Name, p *BaseEntry) error {
	head := appendBytes(appendBytes(appendInputs(nil, p.Inputs), p.ID), p.Sum)
	list := append([][]byte{head}, p.parts[:]...)
	list[1+PartBodies] = nil
	return d.Put(n, slices.AppendSeq(list, slices.Chunk(p.parts[PartBodies], bodyPiece))...)
}

// OpenBase opens an entry, or returns nil if there is none. The error is for information only, as that of Open.
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
	p := &BaseEntry{Inputs: r.inputs(), ID: r.bytes(), Sum: r.bytes(), file: e}
	if !r.End() {
		e.Close()
		return nil, errContents
	}
	return p, nil
}

// Current reports whether everything that was read is unchanged; see [ProgramEntry.Current].
func (p *BaseEntry) Current(fsys fs.FS) (current, renewed bool) { return isCurrent(p.Inputs, fsys) }

// A CodeEntry is the entry with the code of those functions of a layer that have been called. The parts are read when
// they are needed.
type CodeEntry struct{ file *Entry }

// CodeParts is the number of parts of a CodeEntry: register code (bytecode.Module.Save), machine code without and with
// checks of what memory holds (native.Module.Save).
const CodeParts = 3

// OpenCode opens an entry, or returns nil if there is none that can be used.
func (d *Dir) OpenCode(n Name) *CodeEntry {
	e, err := d.Open(n)
	if e == nil || err != nil {
		return nil
	}
	if e.Len() != CodeParts {
		e.Close()
		return nil
	}
	return &CodeEntry{e}
}

// Part returns a part, or nil if there is none or the file is damaged. A nil entry has none.
func (p *CodeEntry) Part(n int) []byte {
	if p == nil {
		return nil
	}
	b, err := p.file.Section(n)
	if err != nil {
		return nil
	}
	return b
}
