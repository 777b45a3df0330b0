//go:build unix && !(arm64 && (linux || darwin))

package native

// makeExecutable ends the writing of code: processors see code that was written before its address was.
func makeExecutable(code []byte) error { return protectCode(code) }
