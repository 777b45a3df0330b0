package native

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/internal/memory"
)

// The context, below the base that register R15 (amd64) holds: offsets from
// there, all negative. The assembly has the same numbers.
const (
	CtxGoSP   = -8  // Go's stack pointer when Enter began
	CtxGoBP   = -16 // Go's frame pointer then
	CtxExit   = -24 // the exit point
	CtxSP     = -32 // native stack pointer
	CtxBP     = -40 // native frame pointer
	CtxPC     = -48 // where native code goes on
	CtxGas    = -56 // the gas register
	CtxReason = -64 // why code left: the caller's
	CtxLimit  = -72 // lowest address of the native stack that frames may use

	// CtxArgs is where the arguments of what the exit asks for begin, going up.
	CtxArgs  = -1024
	ctxBytes = 1024
)

// A Context is the context page of an instance.
type Context struct{ b []byte }

// NewContext returns the context of a space, with the exit point noted.
func NewContext(s *memory.Space) Context {
	c := Context{s.Context()[memory.ContextSize-ctxBytes:]}
	c.Set(CtxExit, uint64(exitAddress()))
	return c
}

// Get and Set read and write a word of the context.
func (c Context) Get(off int) uint64    { return binary.LittleEndian.Uint64(c.b[ctxBytes+off:]) }
func (c Context) Set(off int, x uint64) { binary.LittleEndian.PutUint64(c.b[ctxBytes+off:], x) }

// A Handler decides what happens when code has left: true goes on. It runs as
// ordinary Go code on the goroutine that called Enter.
type Handler interface{ Handle() bool }
