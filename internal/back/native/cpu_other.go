//go:build !amd64 && !(linux && arm64)

package native

// thisHost is the host of this process: no code exists for it.
var thisHost = &host{}
