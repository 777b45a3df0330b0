//go:build !(linux && (amd64 || arm64))

package engine

import (
	"fmt"
	"runtime"
)

// tell fails: perf and gdb find code that is in no file on Linux only.
func (p *nativeProgram) tell(kinds []string, irLines bool) error {
	return fmt.Errorf("nothing reads %s on %s", kinds[0], runtime.GOOS)
}
