//go:build !(linux && amd64)

package gyr

import (
	"errors"
	"runtime"

	"github.com/gyrvm/gyr/internal/interp"
	"github.com/gyrvm/gyr/internal/rt"
)

// nativeProgram is a program as machine code: there is none for this system.
type nativeProgram struct{}

func newNativeProgram(*Program) (*nativeProgram, error) {
	return nil, errors.New("not for " + runtime.GOOS + "/" + runtime.GOARCH)
}

func (*nativeProgram) machine(*rt.VM, interp.Config) (machine, error) { panic("unreachable") }

func (p *nativeProgram) tell([]string, bool) error { return nil }
