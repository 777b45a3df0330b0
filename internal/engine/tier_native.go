//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

package engine

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// CheckNative reports why this process cannot run machine code, or nil if it can.
func CheckNative() error {
	if err := native.Check(); err != nil {
		return noNative(err)
	}
	return nil
}

// catchesFaults says that a fault of a program ends its run. Where a fault would end the process, programs
// that may fault are interpreted. Tests change it.
var catchesFaults = native.FaultsAreCaught

// nativeProgram is a program as machine code.
type nativeProgram struct{ code *native.Module }

func newNativeProgram(p *Program) (*nativeProgram, error) {
	if p.isChecked() && !catchesFaults {
		return nil, fmt.Errorf("the program runs checked (%s), so it may fault, and faults are not caught on %s/%s", p.checked, runtime.GOOS, runtime.GOARCH)
	}
	base, err := p.base.nativeModule(p.isChecked())
	if err != nil {
		return nil, err
	}
	code, err := native.NewModule(base, p.mod,
		native.Options{Bodies: p.ready.bodies(), Checked: p.isChecked(), Verify: p.opt.Verify})
	return &nativeProgram{code}, err
}

// newCountedProgram makes counting machine code of the program, and of the layers of its base.
func newCountedProgram(p *Program) (*nativeProgram, error) {
	tally := &plan.Tally{Limit: int32(memory.MaxCounters - p.mod.Counters)}
	var layers []*layer
	for l := p.base; l != nil; l = l.below {
		layers = append(layers, l)
	}
	o := native.Options{Checked: p.isChecked(), Tally: tally}
	var base *native.Module
	for _, l := range slices.Backward(layers) {
		var err error
		o.Bodies = l.ready.bodies()
		if base, err = native.NewModule(base, l.mod, o); err != nil {
			return nil, err
		}
	}
	o.Bodies, o.Verify = p.ready.bodies(), p.opt.Verify
	code, err := native.NewModule(base, p.mod, o)
	return &nativeProgram{code}, err
}

func funcCounts(m machine) (list []FuncCounts) {
	n, ok := m.(*native.Machine)
	if !ok {
		return nil
	}
	for _, c := range n.Counts() {
		f := FuncCounts{Func: c.Fn, Name: "routines", Layer: c.Layer, Blocks: make([]BlockCount, len(c.Blocks))}
		if c.Fn != nil {
			f.Name = c.Fn.Name
		}
		for i, b := range c.Blocks {
			f.Blocks[i] = BlockCount{int(b.First), int(b.Instrs), c.Entered[i], b.Counter < 0}
		}
		list = append(list, f)
	}
	return list
}

func (p *nativeProgram) pieces() []CodePiece {
	list := p.code.Pieces()
	out := make([]CodePiece, len(list))
	for i, x := range list {
		out[i] = CodePiece(x)
	}
	return out
}

func (p *nativeProgram) noted(f int32) (*abi.Func, error) { return p.code.Noted(f) }

// newNativeLayer makes the machine code of a layer of a base.
func newNativeLayer(l *layer, checked bool) (*nativeProgram, error) {
	below, err := l.below.nativeModule(checked)
	if err != nil {
		return nil, err
	}
	code, err := native.NewModule(below, l.mod, native.Options{Bodies: l.ready.bodies(), Checked: checked})
	return &nativeProgram{code}, err
}

// nativeModule returns the layer's machine code for a module that continues it, or nil for a nil
// layer.
func (l *layer) nativeModule(checked bool) (*native.Module, error) {
	if l == nil {
		return nil, nil
	}
	n, err := l.machineCode(checked)
	if err != nil {
		return nil, err
	}
	return n.code.code, nil
}

// machine makes an instance's machine, from a released one if old is not nil.
func (p *nativeProgram) machine(vm *rt.VM, o exec.Options, old machine) (machine, error) {
	if m, ok := old.(*native.Machine); ok {
		if renewed, err := m.Renew(vm, p.code, o); renewed {
			return m, err
		}
	}
	return native.New(vm, p.code, o)
}

// compiled returns how many functions were compiled, without those that were restored.
func (p *nativeProgram) compiled() int {
	n, _ := p.code.Compiled()
	return n
}

// work returns the cost of compiling to machine code, and the bytes of the program's own code.
func (p *nativeProgram) work() (lazy.Work, int64) {
	_, bytes := p.code.Compiled()
	return p.code.Work(), bytes
}

// save returns the code of all functions, as native.Module.Save does; restore takes such code over.
func (p *nativeProgram) save() (head, code []byte) {
	head, code, _ = p.code.Save()
	return head, code
}

func (p *nativeProgram) restore(head []byte, size int, read func(from, to int) ([]byte, error)) error {
	_, err := p.code.Restore(head, size, read)
	return err
}
