//go:build !amd64

package native

import "unsafe"

// Supported reports whether this package can run code on this system.
const Supported = false

func exitAddress() uintptr { return 0 }

// Enter runs native code; not on this system.
func Enter(base unsafe.Pointer, h *Handler) { panic("native: no native code on this system") }
