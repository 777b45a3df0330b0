//go:build !(unix && amd64)

package enum

var nativeEngines []engine
