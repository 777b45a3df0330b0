package native

import "unsafe"

// enter and exit are written in assembly, see enter_amd64.s.
//
//go:noescape
func enter(base unsafe.Pointer, h *Handler)

// exit is never called from Go.
//
//go:noescape
func exit(base unsafe.Pointer, h *Handler)

// exitAddress returns the address of the exit point itself.
func exitAddress() uintptr

// Enter runs native code: from CtxPC, on the stack at CtxSP, until the handler
// returns false. base is where guest memory begins.
func Enter(base unsafe.Pointer, h *Handler) { enter(base, h) }

// handle is called by the exit point.
func handle(h *Handler) bool { return (*h).Handle() }
