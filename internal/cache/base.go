package cache

import (
	"io/fs"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A BaseEntry is the entry of a layer of the standard library, which all programs share.
type BaseEntry struct {
	Inputs []load.Input // what was read
	ID     []byte       // a hash of what the layer, and those below it, are made from
	Sum    []byte       // tells the module from others: a hash of Image and of the layer below
	Image  []byte       // the module behind phase A: package image
	Facts  []byte       // what phase A found out: opt.PhaseABase
	Index  []byte       // what lowering has to know: lower.BaseIndex
	Types  []byte       // of the packages: load.OpenBase
}

func (p *BaseEntry) parts() []*[]byte {
	return []*[]byte{&p.ID, &p.Sum, &p.Image, &p.Facts, &p.Index, &p.Types}
}

// Encode returns the contents of the entry.
func (p *BaseEntry) Encode() []byte {
	b := appendInputs(nil, p.Inputs)
	for _, s := range p.parts() {
		b = appendBytes(b, *s)
	}
	return b
}

// DecodeBase reads the contents of an entry. The parts refer to b.
func DecodeBase(b []byte) (*BaseEntry, error) {
	d := decoder{decode.Reader{B: b}}
	p := &BaseEntry{Inputs: d.inputs()}
	for _, s := range p.parts() {
		*s = d.bytes()
	}
	if !d.End() {
		return nil, errContents
	}
	return p, nil
}

// Current reports whether everything that was read is unchanged; see [ProgramEntry.Current].
func (p *BaseEntry) Current(fsys fs.FS) (current, renewed bool) { return isCurrent(p.Inputs, fsys) }

// A CodeEntry is the entry with the code of those functions of a layer that have been called.
type CodeEntry struct {
	Code   []byte    // register code: bytecode.Module.Save
	Native [2][]byte // machine code without and with checks of what memory holds: native.Module.Save
}

// Encode returns the contents of the entry.
func (p *CodeEntry) Encode() []byte {
	return appendBytes(appendBytes(appendBytes(nil, p.Code), p.Native[0]), p.Native[1])
}

// DecodeCode reads the contents of an entry. The parts refer to b.
func DecodeCode(b []byte) (*CodeEntry, error) {
	d := decoder{decode.Reader{B: b}}
	p := &CodeEntry{Code: d.bytes(), Native: [2][]byte{d.bytes(), d.bytes()}}
	if !d.End() {
		return nil, errContents
	}
	return p, nil
}
