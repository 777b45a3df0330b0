//go:build !((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"errors"
	"runtime"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// CheckNative reports why this process cannot run machine code.
func CheckNative() error { return noNative(errNative) }

var errNative = errors.New("not for " + runtime.GOOS + "/" + runtime.GOARCH)

// nativeProgram is a program as machine code, which does not exist for this system.
type nativeProgram struct{}

func newNativeProgram(*Program) (*nativeProgram, error) {
	return nil, errNative
}

func newCountedProgram(*Program) (*nativeProgram, error) { return nil, errNative }

func (p *nativeProgram) pieces() []CodePiece { return nil }

func (p *nativeProgram) noted(int32) (*abi.Func, error) { return nil, nil }

func funcCounts(machine) []FuncCounts { return nil }

func newNativeLayer(*layer, bool) (*nativeProgram, error) { return nil, errNative }

func (*nativeProgram) machine(*rt.VM, exec.Options, machine) (machine, error) { panic("unreachable") }

func (*nativeProgram) compiled() int { return 0 }

func (*nativeProgram) work() (lazy.Work, int64) { return lazy.Work{}, 0 }

func (*nativeProgram) save() (head, code []byte) { return nil, nil }

func (*nativeProgram) restore([]byte, int, func(from, to int) ([]byte, error)) error { return nil }
