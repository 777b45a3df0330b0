//go:build linux && amd64

package engine

import (
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/back/native/jitinfo"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// DefaultTier is what executes the code of instances whose Config has no Tier, unless
// the system denies memory for code (see CheckNative and Program.NativeError) or
// something is asked for that the interpreter alone does: profiles, and counting
// operations.
const DefaultTier = TierNative

// CheckNative reports why this process cannot run machine code, nil if it can.
func CheckNative() error {
	if err := native.Check(); err != nil {
		return noNative(err)
	}
	return nil
}

// nativeProgram is a program as machine code.
type nativeProgram struct{ code *native.Module }

func newNativeProgram(p *Program) (*nativeProgram, error) {
	var base *native.Module
	if p.base != nil {
		of, err := p.base.machineCode(p.unsafe)
		if err != nil {
			return nil, err
		}
		base = of.code.code
	}
	code, err := native.NewModule(base, p.mod,
		native.Options{Bodies: p.ready.bodies(), Checked: p.unsafe, Verify: p.opt.Verify})
	return &nativeProgram{code}, err
}

// newNativeBase is the machine code of a base.
func newNativeBase(b *Base, checked bool) (*nativeProgram, error) {
	code, err := native.NewModule(nil, b.lower.Module, native.Options{Bodies: b.ready.bodies(), Checked: checked})
	return &nativeProgram{code}, err
}

func (p *nativeProgram) machine(vm *rt.VM, c interp.Options) (machine, error) {
	return native.New(vm, p.code, exec.Options{Quantum: c.Quantum, PoolInterval: c.PoolInterval, OthersAddr: c.OthersAddr})
}

// compiled is how many functions were compiled, without those that were restored.
func (p *nativeProgram) compiled() int {
	n, _ := p.code.Compiled()
	return n
}

// save returns the code of all functions, and restore takes it over.
func (p *nativeProgram) save() []byte {
	b, _ := p.code.Save(nil)
	return b
}

func (p *nativeProgram) restore(b []byte) error {
	_, err := p.code.Restore(b)
	return err
}

// tell tells other programs about the code, from now on.
func (p *nativeProgram) tell(kinds []string, irLines bool) error {
	t, err := jitinfo.New(kinds, irLines)
	if err != nil {
		return err
	}
	return p.code.Observe(func(c native.Published) error {
		return t.Tell(&jitinfo.Code{Func: c.Func, Start: c.Start, Bytes: c.Bytes, Mod: c.Mod})
	})
}
