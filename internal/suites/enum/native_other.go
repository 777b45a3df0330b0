//go:build !(unix && (amd64 || arm64))

package enum

var nativeEngines []engine
