package cache

import (
	"io/fs"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A BaseEntry is the entry of a part of the standard library that programs share.
type BaseEntry struct {
	Inputs []load.Input // what was read
	Sum    []byte       // tells the module from others: a hash of Image
	Image  []byte       // the module behind phase A: package image
	Facts  []byte       // what phase A found out: opt.PhaseABase
	Index  []byte       // what lowering has to know: lower.BaseIndex
	Types  []byte       // of the packages: load.OpenBase
	Code   []byte       // register code of functions that have been called: bytecode.Module.Save
	Native [2][]byte    // machine code, without checks of what memory holds and with them
}

func (p *BaseEntry) parts() []*[]byte {
	return []*[]byte{&p.Sum, &p.Image, &p.Facts, &p.Index, &p.Types, &p.Code, &p.Native[0], &p.Native[1]}
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

// Current reports whether all that was read still says the same; see [ProgramEntry.Current].
func (p *BaseEntry) Current(fsys fs.FS) (current, renewed bool) { return isCurrent(p.Inputs, fsys) }
