package log

import "unsafe"

// A host that takes log records gets what is logged by the default Logger, as if the program had begun with
// slog.SetDefault: one record for each message, without flags, at the level Info. Package log/slog, in programs that
// have it, sends it records of its own (gyr_host.go there).

//go:wasmimport gyr logs
//go:noescape
func gyrLogs(level int) int32

//go:wasmimport gyr log_text
//go:noescape
func gyrLogText(p *byte, n int) int32

func init() {
	if gyrLogs(0) != 0 {
		std.SetOutput(gyrHost{})
		std.SetFlags(0)
	}
}

// gyrHost is the host as an output.
type gyrHost struct{}

func (gyrHost) Write(p []byte) (int, error) {
	n := len(p)
	if n > 0 && p[n-1] == '\n' {
		n--
	}
	gyrLogText(unsafe.SliceData(p), n)
	return len(p), nil
}
