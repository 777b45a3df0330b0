package native

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// A host is the environment of machine code: a processor, and the way into code and out of it.
type host struct {
	cpu plan.CPU // nil: code is not supported
	// enter runs code like [Enter]. exit returns the address of its exit point.
	enter func(base unsafe.Pointer, h *Handler)
	exit  func() uintptr

	link int32 // Desc.Link of the processor
	// slack is what code needs below the lowest frame: registers that it saves when it leaves,
	// and the calls for that, below a leaf's frame.
	slack uintptr
}

func newHost(cpu plan.CPU, enter func(unsafe.Pointer, *Handler), exit func() uintptr) *host {
	const calls = 104
	d := cpu.Desc()
	return &host{cpu, enter, exit, d.Link, uintptr(8*(d.Ints|d.Floats).Len() + calls + abi.LeafSlack)}
}
