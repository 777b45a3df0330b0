//go:build !amd64

package native

// thisHost is what this process runs on: nothing that there is code for.
var thisHost = &host{}
