//go:build !amd64 && !(arm64 && (linux || darwin))

package native

// thisHost is the host of this process: no code exists for it.
var thisHost = &host{}
