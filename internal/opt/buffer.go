package opt

import (
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// Functions of the runtime make some objects, because their size is only known at run time: the
// results of conversions and concatenations, slices of a variable length. If such an object does
// not escape, the call gets a buffer in the frame, as in gc, and the runtime makes an object only
// if the buffer is too small.
//
// Each function F of the overlay in this list has a second version, Fbuf, which takes the buffer
// before the other operands.

// tempBuffer is the size of most buffers, gc's.
const tempBuffer = 32

// buffers are the functions of the overlay that make an object, with the size of the buffer that
// they can use instead.
var buffers = map[string]int64{
	"slicebytetostring": tempBuffer,
	"stringtoslicebyte": tempBuffer,
	"stringtoslicerune": 4 * tempBuffer,
	"slicerunetostring": tempBuffer,
	"intstring":         8,
	"rawstring":         tempBuffer,
	"concatstring2":     tempBuffer,
	"makeslice":         tempBuffer,
}

// A maker is a function that makes an object and returns its address first.
type maker struct {
	size     int64
	buffered *ir.Func // takes a buffer, nil if the program has none
	typed    bool     // the first operand is the type of the elements
}

// findMakers finds the functions of the table, keeps them from being inlined, and returns which
// function replaces which.
func (in *inliner) findMakers() {
	in.makers = map[*ir.Func]*maker{}
	byName := map[string]*ir.Func{}
	for _, f := range in.runtimeFuncs() { // an image may give any other function such a name
		if name, ok := strings.CutPrefix(f.Name, "runtime."); ok {
			byName[name] = f
		}
	}
	for name, size := range buffers {
		f := byName[name]
		if f == nil || len(f.Sig.Results) == 0 || f.Sig.Results[0] != ir.Ptr {
			continue
		}
		mk := &maker{size: size, typed: name == "makeslice"}
		if b := byName[name+"buf"]; b != nil && b.Sig.Key() == "p"+f.Sig.Key() {
			mk.buffered = b
			in.keep[b] = true
		}
		in.keep[f] = true
		in.makers[f] = mk
	}
}

// bufferFor returns the size and pointer map of the buffer that a call of a
// maker can use.
func (in *inliner) bufferFor(v *ir.Value) (size int64, ptrs []uint64, ok bool) {
	mk := in.makers[v.Fn]
	if mk == nil || mk.buffered == nil {
		return 0, nil, false
	}
	if mk.typed {
		t := v.Args[0]
		if t.Op != ir.OpConst {
			return 0, nil, false
		}
		layout, ok := in.m.TypeLayout(uint32(t.Aux))
		if !ok {
			return 0, nil, false
		}
		if l := &in.m.Layouts[layout]; len(l.Ptrs) > 0 && l.Size > mk.size {
			return 0, nil, false
		}
		ptrs = objectPtrs(in.m, int64(layout), mk.size)
	}
	return mk.size, ptrs, true
}
