//go:build !gc || !(amd64 || arm64)

package gofunc

import (
	"bytes"
	"runtime"
	"strconv"
)

// Goroutine returns an identity of the caller's goroutine, unique among the living ones: the number
// that a trace prints.
func Goroutine() uintptr {
	var trace [64]byte
	word, _, _ := bytes.Cut(bytes.TrimPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine ")), []byte(" "))
	n, err := strconv.ParseUint(string(word), 10, 64)
	if err != nil {
		panic("gofunc: a trace without the goroutine's number: " + string(word))
	}
	return uintptr(n)
}
