package rt

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Program counters, as the guest sees code. They are made of the numbers of functions and call
// sites after lowering (ir.SitePC), so they are the same in every tier.

// maxCallers bounds one traceback; Go's own prints 100 frames.
const maxCallers = 1 << 16

// callersPiece is how many frames are walked between polls.
const callersPiece = 1 << 10

// tracebackHosts are the host functions in this file, by their names in ir.Primitives.
var tracebackHosts = map[string]Func{
	"callers":     hostCallers,
	"parentframe": hostParentframe,
	"pcname":      hostPcname,
	"pcfile":      hostPcfile,
	"pcentry":     hostPcentry,
	"pcparams":    hostPcparams,
	"shapestub":   hostShapestub,
}

func hostCallers(vm *VM, a *ir.Args) Status {
	skip, n := int64(a[1]), int64(a[3])
	if n < 0 || skip < 0 {
		return vm.Fail("callers", ErrValue)
	}
	n = min(n, maxCallers)
	buf, ok := vm.bytes(a[2], uint64(n)*8)
	if !ok {
		return vm.badAddress("callers", a[2], uint64(n)*8)
	}
	if a[0] != uint64(uint32(a[0])) {
		return vm.Fail("callers", memory.ErrCorrupt)
	}
	if len(vm.scratch) < int(min(n, callersPiece)) {
		vm.scratch = make([]uint64, min(max(n, 128), callersPiece))
	}
	got := 0
	for {
		piece := vm.scratch[:min(int(n)-got, len(vm.scratch))]
		k := vm.Exec.Callers(uint32(a[0]), int(min(skip, 1<<31))+got, piece)
		for _, pc := range piece[:k] {
			binary.LittleEndian.PutUint64(buf[8*got:], pc)
			got++
		}
		if k < len(piece) || got == int(n) {
			break
		}
		if st := vm.Poll(); st != OK {
			return st
		}
	}
	a[0] = uint64(got)
	return OK
}

func hostParentframe(vm *VM, a *ir.Args) Status {
	a[0] = vm.Exec.ParentFrame(a[0])
	return OK
}

// funcOf returns the function of a program counter, or nil.
func (vm *VM) funcOf(pc uint64) *ir.Func {
	i := pc
	if site, ok := ir.SiteOf(pc); ok {
		s, ok := vm.Mod.Site(site)
		if !ok {
			return nil
		}
		i = uint64(s.Func)
	}
	if i >= uint64(vm.Mod.NumFuncs()) {
		return nil
	}
	return vm.Mod.Func(int(i))
}

// siteOf returns the source position of a program counter, which is that of a call or of a
// function's declaration.
func (vm *VM) siteOf(pc uint64) (s ir.Site, ok bool) {
	site, ok := ir.SiteOf(pc)
	if !ok {
		f := vm.funcOf(pc)
		if f == nil {
			return ir.Site{}, false
		}
		e, _ := vm.Mod.Position(f.Pos)
		site = e.Site
	}
	return vm.Mod.Site(site)
}

func (vm *VM) fileOf(s ir.Site) string {
	if s.File < 0 || int(s.File) >= len(vm.Mod.Files) {
		return ""
	}
	return vm.Mod.Files[s.File]
}

// PositionOf returns the source position of a program counter.
func (vm *VM) PositionOf(pc uint64) api.Position {
	var p api.Position
	if f := vm.funcOf(pc); f != nil {
		p.Func = f.Name
	}
	if s, ok := vm.siteOf(pc); ok {
		p.File, p.Line = vm.fileOf(s), int(s.Line)
	}
	return p
}

func hostPcname(vm *VM, a *ir.Args) Status {
	f := vm.funcOf(a[0])
	if f == nil {
		a[0] = 0
		return OK
	}
	return copyOut(vm, "pcname", f.Name, a[1], a[2], &a[0])
}

func hostPcfile(vm *VM, a *ir.Args) Status {
	s, ok := vm.siteOf(a[0])
	if !ok {
		a[0], a[1] = 0, 0
		return OK
	}
	st := copyOut(vm, "pcfile", vm.fileOf(s), a[1], a[2], &a[0])
	a[1] = uint64(int64(s.Line))
	return st
}

func hostPcentry(vm *VM, a *ir.Args) Status {
	a[0] = vm.entryOf(a[0])
	return OK
}

// hostPcparams returns the number of scalar parameters of the function of a pc.
func hostPcparams(vm *VM, a *ir.Args) Status {
	n := 0
	if f := vm.funcOf(a[0]); f != nil {
		n = len(f.Sig.Params)
	}
	a[0] = uint64(n)
	return OK
}

func (vm *VM) entryOf(pc uint64) uint64 {
	if f := vm.funcOf(pc); f != nil {
		return uint64(f.Index)
	}
	return 0
}

// hostShapestub returns the index of the function that calls a function with arguments from a frame
// in memory.
func hostShapestub(vm *VM, a *ir.Args) Status {
	i := a[0]
	a[0] = 0
	if i >= uint64(vm.Mod.NumFuncs()) {
		return OK
	}
	f := vm.Mod.Func(int(i))
	if f == nil {
		return OK
	}
	if s := vm.Mod.Shape(f.Shape); s != nil {
		a[0] = uint64(s.Unpack)
	}
	return OK
}
