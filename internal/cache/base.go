package cache

import (
	"io/fs"

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
}

// BaseFrom returns an entry that is in no cache: part returns its parts when they are needed.
func BaseFrom(id, sum []byte, part func(Part) ([]byte, error)) *BaseEntry {
	return &BaseEntry{ID: id, Sum: sum, from: part}
}

// A Part is a part of a BaseEntry.
type Part int

// The parts of a layer. Programs that come from the cache need the image at the start, and the others hardly ever.
const (
	PartImage  Part = iota // the module behind phase A, but for bodies of functions: image.Split
	PartBodies             // and these
	PartFacts              // what phase A found out: opt.PhaseABase
	PartIndex              // what lowering has to know: lower.BaseIndex
	PartTypes              // of the packages: load.OpenBase
	NumParts
)

// Part returns a part. An error says that the file is damaged.
func (p *BaseEntry) Part(n Part) ([]byte, error) {
	switch {
	case p.file != nil:
		return p.file.Section(1 + int(n))
	case p.from != nil:
		return p.from(n)
	}
	return p.parts[n], nil
}

// SetPart sets a part of an entry that is being made.
func (p *BaseEntry) SetPart(n Part, b []byte) { p.parts[n] = b }

// PutBase writes an entry that was made just now.
func (d *Dir) PutBase(n Name, p *BaseEntry) error {
	head := appendBytes(appendBytes(appendInputs(nil, p.Inputs), p.ID), p.Sum)
	return d.Put(n, append([][]byte{head}, p.parts[:]...)...)
}

// OpenBase opens an entry, or returns nil if there is none. The error is for information only, as that of Open.
func (d *Dir) OpenBase(n Name) (*BaseEntry, error) {
	e, err := d.Open(n)
	if e == nil || err != nil {
		return nil, err
	}
	b, err := e.Section(0)
	if err == nil && e.Len() != 1+int(NumParts) {
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
