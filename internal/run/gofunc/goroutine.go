//go:build gc && (amd64 || arm64)

package gofunc

// Goroutine returns an identity of the caller's goroutine, unique among the living ones.
func Goroutine() uintptr
