//go:build amd64 || arm64

package native

import "unsafe"

// enter and exit are written in assembly, see enter_amd64.s and enter_arm64.s.
//
//go:noescape
func enter(base unsafe.Pointer, h *Handler)

// exit is never called from Go.
//
//go:noescape
func exit(base unsafe.Pointer, h *Handler)

// exitAddress returns the address of the exit point itself.
func exitAddress() uintptr

// Enter runs native code: from CtxPC, on the stack at CtxSP, until the handler returns false. Guest
// memory begins at base.
func Enter(base unsafe.Pointer, h *Handler) { enter(base, h) }

// The exit point calls handle.
func handle(h *Handler) bool { return (*h).Handle() }
