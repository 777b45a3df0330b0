//go:build gc && (amd64 || arm64)

package gofunc

// Goroutine returns what tells the caller's goroutine from all others that live.
func Goroutine() uintptr
