package cache

import (
	"io/fs"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A Result is an entry that holds the result of running a program.
type Result struct {
	Inputs []filetree.Input // what was read for the program
	Data   []byte           // everything else, in the form that its maker chose
}

// Encode returns the contents of the entry.
func (r *Result) Encode() []byte { return appendBytes(appendInputs(nil, r.Inputs), r.Data) }

// DecodeResult reads the contents of an entry. Data is a part of b.
func DecodeResult(b []byte) (*Result, error) {
	d := decoder{decode.Reader{B: b}}
	r := &Result{Inputs: d.inputs(), Data: d.bytes()}
	if !d.End() {
		return nil, errContents
	}
	return r, nil
}

// Current is like [ProgramEntry.Current].
func (r *Result) Current(fsys fs.FS) (current, renewed bool) { return filetree.Check(r.Inputs, fsys) }
