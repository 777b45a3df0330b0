package hot

import (
	"encoding/binary"
	"runtime"
	"sort"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/engine"
)

// Machine code of guests has no frame pointers and needs none: the size of a function's frame is
// known, and so is every return address. The walk of a copied stack follows the sizes and believes
// a word only if it is a return address. So it ends early rather than going wrong.

// An unwinder walks the stacks of a guest.
type unwinder struct {
	prog   *engine.Program
	pieces []engine.CodePiece
}

// stackBytes is how much of a stack is copied, enough for some dozens of frames.
const stackBytes = 4096

// maxCalls bounds the calls that are kept of a stack.
const maxCalls = 100

// linkBytes is the size of the return address that a call pushes.
const linkBytes = 8

// maxSaved bounds the words of registers that code saves below its frame at an exit.
const maxSaved = 32

// unwind returns the return addresses on a stack, the innermost first; nil if ip is not in the
// guest's code.
func (u *unwinder) unwind(ip, sp uint64, stack []byte) []uint64 {
	c := u.at(ip)
	if c == nil && runtime.FuncForPC(uintptr(ip)) == nil {
		u.pieces = u.prog.CodeMap() // compiled since
		c = u.at(ip)
	}
	if c == nil {
		return nil
	}
	chain := []uint64{}
	at, ok := u.first(c, stack)
	for ok && len(chain) < maxCalls {
		ret := word(stack, at)
		chain = append(chain, ret)
		if c = u.at(ret); c == nil || c.Func == nil {
			break // a stack begins in a stub
		}
		at += linkBytes + int(c.Code.Frame)
		ok = u.returns(word(stack, at))
	}
	return chain
}

// first finds the innermost return address. It is above the frame. If the frame does not exist yet,
// or no longer, it is on top, or above registers saved below the frame. In a stub it is on top.
func (u *unwinder) first(c *engine.CodePiece, stack []byte) (at int, ok bool) {
	if c.Func == nil {
		w := word(stack, 0)
		x := u.at(w)
		return 0, x != nil && x.Func != nil
	}
	frame := int(c.Code.Frame)
	for saved := range maxSaved {
		if at := frame + 8*saved; u.returns(word(stack, at)) {
			return at, true
		}
		if saved == 0 && u.returns(word(stack, 0)) {
			return 0, true
		}
	}
	return 0, false
}

// word is a word of a stack, 0 past its end.
func word(stack []byte, at int) uint64 {
	if at < 0 || at+8 > len(stack) {
		return 0
	}
	return binary.LittleEndian.Uint64(stack[at:])
}

// at returns the piece of code that contains an address, nil if none does.
func (u *unwinder) at(ip uint64) *engine.CodePiece {
	i := sort.Search(len(u.pieces), func(i int) bool { return uint64(u.pieces[i].End) > ip })
	if i == len(u.pieces) || uint64(u.pieces[i].Start) > ip {
		return nil
	}
	return &u.pieces[i]
}

// returns reports whether a call returns to an address.
func (u *unwinder) returns(ip uint64) bool {
	if ip == 0 {
		return false
	}
	// The call may be the last instruction of the code.
	c := u.at(ip - 1)
	if c == nil {
		return false
	}
	off := int32(ip - uint64(c.Start))
	if c.Func == nil { // a stub's offsets cover all stubs
		return true
	}
	sites := c.Code.Sites
	i := sort.Search(len(sites), func(i int) bool { return sites[i].PC >= off })
	return i < len(sites) && sites[i].PC == off && sites[i].Reason == abi.NoExit
}
