// Code generated from loop/*.ops by loop/gen. DO NOT EDIT.

package interp

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
)

// runPlain is the loop that executes instructions and does nothing besides.
//
//go:nocheckptr
//go:norace
func runPlain(_ uintptr, m *Machine) (why exit) {
	pc := pointer(m.pc)
	fp := pointer(m.fp)
	base := m.Base
	gas := m.Gas

loop:
	for {
		w := *(*uint64)(pc)
		pc = unsafe.Add(pc, 8)

		switch bytecode.Op(uint16(w)) {
		case bytecode.Invalid, bytecode.Unreachable:
			why = exitFail
			break loop
		case bytecode.Jmp:
			pc = unsafe.Add(pc, int64(w)>>32*8)
			gas -= int64(uint16(w >> 16))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.JmpL:
			pc = unsafe.Add(pc, int64(w)>>32*8)
			gas -= int64(uint16(w >> 16))
			if gas < 0 {
				why = exitLoop
				break loop
			}
		case bytecode.JmpBack:
			pc = unsafe.Add(pc, int64(w)>>32*8)
		case bytecode.Gas:
			gas -= int64(w) >> 32
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GasL:
			gas -= int64(w) >> 32
			if gas < 0 {
				why = exitLoop
				break loop
			}
		case bytecode.GasN:
			n := int64(rb(fp, w))
			if n < 0 {
				n = 1 << 62
			}
			gas -= n
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Count:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w)++
		case bytecode.CountIf:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w) += ra(fp, w) & 1
		case bytecode.CountUnless:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w) += ra(fp, w)&1 ^ 1
		case bytecode.Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrZ:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrZL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeSBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) <= int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeSBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) <= int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeUBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) <= rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeUBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) <= rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) == int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) == int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) != int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) != int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeSIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) >= int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeSIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) >= int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeUIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) >= uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeUIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) >= uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) == fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) == fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) != fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) != fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) < fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) < fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) < fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) < fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) <= fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) <= fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) <= fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) <= fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) == f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) == f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) != f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) != f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) < f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) < f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) < f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) < f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) <= f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) <= f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) <= f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) <= f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Switch:
			n := uint64(w >> 32)
			i := ra(fp, w) - *(*uint64)(pc)
			if i > n {
				i = n
			}
			e := *(*uint64)(unsafe.Add(pc, i*8+8))
			pc = unsafe.Add(pc, i*8+16)
			pc = unsafe.Add(pc, int64(int32(e))*8)
			gas -= int64(uint16(e >> 32))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.SwitchB:
			x := int64(ra(fp, w))
			lo, hi := uint64(0), w>>32
			at := hi * 16
			for lo < hi {
				mid := (lo + hi) / 2
				v := *(*int64)(unsafe.Add(pc, mid*16))
				if v == x {
					at = mid*16 + 8
					break
				}
				if v < x {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			e := *(*uint64)(unsafe.Add(pc, at))
			pc = unsafe.Add(pc, at+8)
			pc = unsafe.Add(pc, int64(int32(e))*8)
			gas -= int64(uint16(e >> 32))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Call:
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, w>>32*8)))
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.CallC:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			closure := uint32(rb(fp, w))
			f := *(*uint64)(unsafe.Add(base, closure))
			sig := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f >= m.nfuncs {
				why = exitCall
				break loop
			}
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, f*8)))
			if s := uint64(*(*uint32)(unsafe.Add(entry, -16))); s != sig && s != bytecode.AnySig {
				why = exitCall
				break loop
			}
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			*(*uint64)(unsafe.Add(fp, 8)) = uint64(closure)
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.CallX:
			f := rb(fp, w)
			sig := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f >= m.nfuncs {
				why = exitCall
				break loop
			}
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, f*8)))
			if s := uint64(*(*uint32)(unsafe.Add(entry, -16))); s != sig && s != bytecode.AnySig {
				why = exitCall
				break loop
			}
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.Ret:
			link := *(*uint64)(fp)
			pc = pointer(uintptr(link << 16 >> 16))
			fp = unsafe.Add(fp, -int64(link>>48)*8)
			m.depth += int64(w >> 32)
		case bytecode.Ret1:
			*slot(fp, 2) = ra(fp, w)
			link := *(*uint64)(fp)
			pc = pointer(uintptr(link << 16 >> 16))
			fp = unsafe.Add(fp, -int64(link>>48)*8)
			m.depth += int64(w >> 32)
		case bytecode.EnterLocals:
			sp := m.SSP
			end := uint64(sp) + w>>32
			if end > uint64(m.SLim) {
				why = exitSlow
				break loop
			}
			m.SSP = uint32(end)
			p := pa(fp, w)
			*p = uint64(sp)
			*(*uint64)(unsafe.Add(unsafe.Pointer(p), 8)) = uint64(sp)
		case bytecode.LeaveLocals:
			p := pa(fp, w)
			sp := *(*uint64)(unsafe.Add(unsafe.Pointer(p), 8))
			if sp != *p {
				why = exitSlow
				break loop
			}
			m.SSP = uint32(sp)
		case bytecode.ZeroLocals:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := unsafe.Add(base, uint32(ra(fp, w)))
			for n := w >> 32; n != 0; n -= 8 {
				*(*uint64)(p) = 0
				p = unsafe.Add(p, 8)
			}
		case bytecode.Mov:
			*pa(fp, w) = rb(fp, w)
		case bytecode.Mov2:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)
			*slot(fp, uint16(w>>48)) = *slot(fp, uint16(e))
		case bytecode.Const:
			*pa(fp, w) = uint64(int64(w) >> 32)
		case bytecode.Const64:
			*pa(fp, w) = *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
		case bytecode.Select:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := *slot(fp, uint16(e))
			if rb(fp, w) != 0 {
				x = rc(fp, w)
			}
			*pa(fp, w) = x
		case bytecode.Add:
			*pa(fp, w) = rb(fp, w) + rc(fp, w)
		case bytecode.Sub:
			*pa(fp, w) = rb(fp, w) - rc(fp, w)
		case bytecode.Mul:
			*pa(fp, w) = rb(fp, w) * rc(fp, w)
		case bytecode.And:
			*pa(fp, w) = rb(fp, w) & rc(fp, w)
		case bytecode.Or:
			*pa(fp, w) = rb(fp, w) | rc(fp, w)
		case bytecode.Xor:
			*pa(fp, w) = rb(fp, w) ^ rc(fp, w)
		case bytecode.AndNot:
			*pa(fp, w) = rb(fp, w) &^ rc(fp, w)
		case bytecode.Shl:
			*pa(fp, w) = rb(fp, w) << rc(fp, w)
		case bytecode.ShrS:
			*pa(fp, w) = uint64(int64(rb(fp, w)) >> rc(fp, w))
		case bytecode.ShrU:
			*pa(fp, w) = rb(fp, w) >> rc(fp, w)
		case bytecode.DivS:
			x, y := int64(rb(fp, w)), int64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU:
			x, y := uint64(rb(fp, w)), uint64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = x / y
		case bytecode.RemS:
			x, y := int64(rb(fp, w)), int64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x % y)
		case bytecode.RemU:
			x, y := uint64(rb(fp, w)), uint64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = x % y
		case bytecode.Rotl:
			*pa(fp, w) = bits.RotateLeft64(rb(fp, w), int(rc(fp, w)))
		case bytecode.MulHiU:
			hi, _ := bits.Mul64(rb(fp, w), rc(fp, w))
			*pa(fp, w) = hi
		case bytecode.MulHiS:
			x, y := rb(fp, w), rc(fp, w)
			hi, _ := bits.Mul64(x, y)
			*pa(fp, w) = hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
		case bytecode.Neg:
			*pa(fp, w) = -rb(fp, w)
		case bytecode.Not:
			*pa(fp, w) = ^rb(fp, w)
		case bytecode.Clz:
			*pa(fp, w) = uint64(bits.LeadingZeros64(rb(fp, w)))
		case bytecode.Ctz:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w)))
		case bytecode.Popcnt:
			x := rb(fp, w)
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap:
			*pa(fp, w) = bits.ReverseBytes64(rb(fp, w))
		case bytecode.AddI:
			*pa(fp, w) = rb(fp, w) + uint64(int64(w)>>48)
		case bytecode.MulI:
			*pa(fp, w) = rb(fp, w) * uint64(int64(w)>>48)
		case bytecode.AndI:
			*pa(fp, w) = rb(fp, w) & uint64(int64(w)>>48)
		case bytecode.OrI:
			*pa(fp, w) = rb(fp, w) | uint64(int64(w)>>48)
		case bytecode.XorI:
			*pa(fp, w) = rb(fp, w) ^ uint64(int64(w)>>48)
		case bytecode.ShlI:
			*pa(fp, w) = rb(fp, w) << (w >> 48 & 63)
		case bytecode.ShrSI:
			*pa(fp, w) = uint64(int64(rb(fp, w)) >> (w >> 48 & 63))
		case bytecode.ShrUI:
			*pa(fp, w) = rb(fp, w) >> (w >> 48 & 63)
		case bytecode.RSubI:
			*pa(fp, w) = uint64(int64(w)>>48) - rb(fp, w)
		case bytecode.Add32:
			*pa(fp, w) = uint64(int32(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub32:
			*pa(fp, w) = uint64(int32(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul32:
			*pa(fp, w) = uint64(int32(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl32:
			*pa(fp, w) = uint64(int32(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU32:
			*pa(fp, w) = uint64(int32(uint32(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS32:
			x, y := int32(rb(fp, w)), int32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU32:
			x, y := uint32(rb(fp, w)), uint32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int32(x / y))
		case bytecode.RemU32:
			x, y := uint32(rb(fp, w)), uint32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int32(x % y))
		case bytecode.Rotl32:
			*pa(fp, w) = uint64(int32(bits.RotateLeft32(uint32(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg32:
			*pa(fp, w) = uint64(int32(-rb(fp, w)))
		case bytecode.Clz32:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(rb(fp, w))))
		case bytecode.Ctz32:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<32))
		case bytecode.Popcnt32:
			x := rb(fp, w) & 0xffffffff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap32:
			*pa(fp, w) = uint64(int32(bits.ReverseBytes32(uint32(rb(fp, w)))))
		case bytecode.Add32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU32I:
			*pa(fp, w) = uint64(int32(uint64(uint32(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub32I:
			*pa(fp, w) = uint64(int32(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.Add16:
			*pa(fp, w) = uint64(int16(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub16:
			*pa(fp, w) = uint64(int16(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul16:
			*pa(fp, w) = uint64(int16(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl16:
			*pa(fp, w) = uint64(int16(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU16:
			*pa(fp, w) = uint64(int16(uint16(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS16:
			x, y := int16(rb(fp, w)), int16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU16:
			x, y := uint16(rb(fp, w)), uint16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int16(x / y))
		case bytecode.RemU16:
			x, y := uint16(rb(fp, w)), uint16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int16(x % y))
		case bytecode.Rotl16:
			*pa(fp, w) = uint64(int16(bits.RotateLeft16(uint16(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg16:
			*pa(fp, w) = uint64(int16(-rb(fp, w)))
		case bytecode.Clz16:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(uint16(rb(fp, w))))) - 16
		case bytecode.Ctz16:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<16))
		case bytecode.Popcnt16:
			x := rb(fp, w) & 0xffff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap16:
			*pa(fp, w) = uint64(int16(bits.ReverseBytes16(uint16(rb(fp, w)))))
		case bytecode.Add16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU16I:
			*pa(fp, w) = uint64(int16(uint64(uint16(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub16I:
			*pa(fp, w) = uint64(int16(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.Add8:
			*pa(fp, w) = uint64(int8(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub8:
			*pa(fp, w) = uint64(int8(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul8:
			*pa(fp, w) = uint64(int8(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl8:
			*pa(fp, w) = uint64(int8(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU8:
			*pa(fp, w) = uint64(int8(uint8(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS8:
			x, y := int8(rb(fp, w)), int8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU8:
			x, y := uint8(rb(fp, w)), uint8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int8(x / y))
		case bytecode.RemU8:
			x, y := uint8(rb(fp, w)), uint8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int8(x % y))
		case bytecode.Rotl8:
			*pa(fp, w) = uint64(int8(bits.RotateLeft8(uint8(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg8:
			*pa(fp, w) = uint64(int8(-rb(fp, w)))
		case bytecode.Clz8:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(uint8(rb(fp, w))))) - 24
		case bytecode.Ctz8:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<8))
		case bytecode.Popcnt8:
			x := rb(fp, w) & 0xff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Add8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU8I:
			*pa(fp, w) = uint64(int8(uint64(uint8(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub8I:
			*pa(fp, w) = uint64(int8(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.SExt8:
			*pa(fp, w) = uint64(int8(rb(fp, w)))
		case bytecode.SExt16:
			*pa(fp, w) = uint64(int16(rb(fp, w)))
		case bytecode.SExt32:
			*pa(fp, w) = uint64(int32(rb(fp, w)))
		case bytecode.ZExt8:
			*pa(fp, w) = uint64(uint8(rb(fp, w)))
		case bytecode.ZExt16:
			*pa(fp, w) = uint64(uint16(rb(fp, w)))
		case bytecode.ZExt32:
			*pa(fp, w) = uint64(uint32(rb(fp, w)))
		case bytecode.Eq:
			x := uint64(0)
			if rb(fp, w) == rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.Ne:
			x := uint64(0)
			if rb(fp, w) != rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtS:
			x := uint64(0)
			if int64(rb(fp, w)) < int64(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LeS:
			x := uint64(0)
			if int64(rb(fp, w)) <= int64(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtU:
			x := uint64(0)
			if rb(fp, w) < rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LeU:
			x := uint64(0)
			if rb(fp, w) <= rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.EqI:
			x := uint64(0)
			if int64(rb(fp, w)) == int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.NeI:
			x := uint64(0)
			if int64(rb(fp, w)) != int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtSI:
			x := uint64(0)
			if int64(rb(fp, w)) < int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.GeSI:
			x := uint64(0)
			if int64(rb(fp, w)) >= int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtUI:
			x := uint64(0)
			if rb(fp, w) < uint64(int64(w)>>48) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.GeUI:
			x := uint64(0)
			if rb(fp, w) >= uint64(int64(w)>>48) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FEq64:
			x := uint64(0)
			if fb(fp, w) == fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FNe64:
			x := uint64(0)
			if fb(fp, w) != fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLt64:
			x := uint64(0)
			if fb(fp, w) < fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLe64:
			x := uint64(0)
			if fb(fp, w) <= fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FEq32:
			x := uint64(0)
			if f32(rb(fp, w)) == f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FNe32:
			x := uint64(0)
			if f32(rb(fp, w)) != f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLt32:
			x := uint64(0)
			if f32(rb(fp, w)) < f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLe32:
			x := uint64(0)
			if f32(rb(fp, w)) <= f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FAdd64:
			*qa(fp, w) = fb(fp, w) + fc(fp, w)
		case bytecode.FSub64:
			*qa(fp, w) = fb(fp, w) - fc(fp, w)
		case bytecode.FMul64:
			*qa(fp, w) = fb(fp, w) * fc(fp, w)
		case bytecode.FDiv64:
			*qa(fp, w) = fb(fp, w) / fc(fp, w)
		case bytecode.FNeg64:
			*pa(fp, w) = rb(fp, w) ^ 1<<63
		case bytecode.FSqrt64:
			*qa(fp, w) = math.Sqrt(fb(fp, w))
		case bytecode.FAbs64:
			*pa(fp, w) = rb(fp, w) &^ (1 << 63)
		case bytecode.FCopysign64:
			sign := rc(fp, w) & (1 << 63)
			if y := fc(fp, w); y != y {
				sign = 0
			}
			*pa(fp, w) = rb(fp, w)&^(1<<63) | sign
		case bytecode.IToF64:
			*qa(fp, w) = float64(int64(rb(fp, w)))
		case bytecode.UToF64:
			*qa(fp, w) = float64(rb(fp, w))
		case bytecode.FToI64:
			x := fb(fp, w)
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FToU64:
			x := fb(fp, w)
			flip := uint64(0)
			if !(x < 1<<63) {
				x -= 1 << 63
				flip = 1 << 63
			}
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y) | flip
		case bytecode.FToN64:
			x := fb(fp, w)
			y := int64(math.MinInt32)
			if x > -1<<31-1 && x < 1<<31 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FBits64:
			x := rb(fp, w)
			if x&(1<<63-1) > 0x7FF<<52 {
				x = ir.NaN64
			}
			*pa(fp, w) = x
		case bytecode.FAdd32:
			*pa(fp, w) = u32(f32(rb(fp, w)) + f32(rc(fp, w)))
		case bytecode.FSub32:
			*pa(fp, w) = u32(f32(rb(fp, w)) - f32(rc(fp, w)))
		case bytecode.FMul32:
			*pa(fp, w) = u32(f32(rb(fp, w)) * f32(rc(fp, w)))
		case bytecode.FDiv32:
			*pa(fp, w) = u32(f32(rb(fp, w)) / f32(rc(fp, w)))
		case bytecode.FNeg32:
			*pa(fp, w) = rb(fp, w) ^ 1<<31
		case bytecode.FSqrt32:
			*pa(fp, w) = u32(float32(math.Sqrt(float64(f32(rb(fp, w))))))
		case bytecode.FAbs32:
			*pa(fp, w) = rb(fp, w) & (1<<31 - 1)
		case bytecode.FCopysign32:
			sign := rc(fp, w) & (1 << 31)
			if y := f32(rc(fp, w)); y != y {
				sign = 0
			}
			*pa(fp, w) = rb(fp, w)&(1<<31-1) | sign
		case bytecode.IToF32:
			*pa(fp, w) = u32(float32(int64(rb(fp, w))))
		case bytecode.UToF32:
			*pa(fp, w) = u32(float32(rb(fp, w)))
		case bytecode.FToI32:
			x := float64(f32(rb(fp, w)))
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FToU32:
			x := float64(f32(rb(fp, w)))
			flip := uint64(0)
			if !(x < 1<<63) {
				x -= 1 << 63
				flip = 1 << 63
			}
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y) | flip
		case bytecode.FToN32:
			x := float64(f32(rb(fp, w)))
			y := int64(math.MinInt32)
			if x > -1<<31-1 && x < 1<<31 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FBits32:
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = ir.NaN32
			}
			*pa(fp, w) = uint64(int32(x))
		case bytecode.F32to64:
			*qa(fp, w) = float64(f32(rb(fp, w)))
		case bytecode.F64to32:
			*pa(fp, w) = u32(float32(fb(fp, w)))
		case bytecode.PtrAdd:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)))
		case bytecode.PtrAddI:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.PtrAddX:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + *(*uint64)(pc)))
			pc = unsafe.Add(pc, 8)
		case bytecode.PtrIdx2:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*2))
		case bytecode.PtrIdx4:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*4))
		case bytecode.PtrIdx8:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*8))
		case bytecode.PtrIdx16:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*16))
		case bytecode.PtrIdx:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(uint32(rb(fp, w)) + uint32(rc(fp, w))*uint32(e) + uint32(e>>32))
		case bytecode.FrameID:
			*pa(fp, w) = uint64(uintptr(fp)-m.low)/8 + 1
		case bytecode.GasLeft:
			*pa(fp, w) = uint64(gas)
		case bytecode.Load8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Store8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint8(rb(fp, w))
		case bytecode.Store16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint16(rb(fp, w))
		case bytecode.Store32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint32(rb(fp, w))
		case bytecode.Store64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(rb(fp, w))
		case bytecode.StoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(uint32(rb(fp, w)))
		case bytecode.StoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = x
		case bytecode.StoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := fb(fp, w)
			to := unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.Move8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0 := *(*uint64)(q)
			*(*uint64)(p) = x0
		case bytecode.Move16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
		case bytecode.Move24:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1, x2 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8)), *(*uint64)(unsafe.Add(q, 16))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
			*(*uint64)(unsafe.Add(p, 16)) = x2
		case bytecode.Move32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1, x2, x3 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8)), *(*uint64)(unsafe.Add(q, 16)), *(*uint64)(unsafe.Add(q, 24))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
			*(*uint64)(unsafe.Add(p, 16)) = x2
			*(*uint64)(unsafe.Add(p, 24)) = x3
		case bytecode.ClearW:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := unsafe.Add(base, uint32(ra(fp, w)))
			for n := uint16(w >> 32); n != 0; n-- {
				*(*uint64)(p) = 0
				p = unsafe.Add(p, 8)
			}
		case bytecode.NilCheck:
			if uint32(ra(fp, w)) == 0 {
				why = exitTrap
				break loop
			}
		case bytecode.Bounds:
			if ra(fp, w) >= rb(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.Check0:
			if ra(fp, w) == 0 {
				why = exitTrap
				break loop
			}
		case bytecode.Check2:
			if ra(fp, w) == 0 {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
		case bytecode.New:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			head := *(*uint64)(pc)
			n := uint64(uint32(head))*8 + 8
			heap := m.Heap
			cur := heap.Cur
			if n > uint64(heap.Limit-cur) {
				why = exitSlow
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, cur)) = head
			*pa(fp, w) = uint64(cur + 8)
			heap.Cur = cur + uint32(n)
			heap.Mallocs++
		case bytecode.NewArray:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			count := rb(fp, w)
			words := (count*(e>>32) + 7) / 8
			heap := m.Heap
			cur := heap.Cur
			if count > 1<<32 || words*8+8 > uint64(heap.Limit-cur) {
				why = exitSlow
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, cur)) = words | e<<32
			*pa(fp, w) = uint64(cur + 8)
			heap.Cur = cur + uint32(words*8+8)
			heap.Mallocs++
		case bytecode.LoopLtS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) < int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGtS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) > int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLeS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) <= int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) >= int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtU:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x < rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeU:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x >= rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopEq:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x == rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopNe:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x != rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtSI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) < int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeSI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) >= int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtUI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x < uint64(int64(w)>>48) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeUI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x >= uint64(int64(w)>>48) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopEqI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) == int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopNeI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) != int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoadX8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)))))
		case bytecode.LoadX8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)))))
		case bytecode.LoadX16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*2))))
		case bytecode.LoadX16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*2))))
		case bytecode.LoadX32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*4))))
		case bytecode.LoadX32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*4))))
		case bytecode.LoadX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*8))))
		case bytecode.LoadXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*8))))
		case bytecode.BLoadX8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i))+e>>16&0xffff)))
		case bytecode.BLoadX8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i))+e>>16&0xffff)))
		case bytecode.BLoadX16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*2))+e>>16&0xffff)))
		case bytecode.BLoadX16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*2))+e>>16&0xffff)))
		case bytecode.BLoadX32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*4))+e>>16&0xffff)))
		case bytecode.BLoadX32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*4))+e>>16&0xffff)))
		case bytecode.BLoadX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*8))+e>>16&0xffff)))
		case bytecode.BLoadXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*8))+e>>16&0xffff)))
		case bytecode.StoreX8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)))) = uint8(rc(fp, w))
		case bytecode.StoreX16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*2))) = uint16(rc(fp, w))
		case bytecode.StoreX32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*4))) = uint32(rc(fp, w))
		case bytecode.StoreX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))) = uint64(rc(fp, w))
		case bytecode.StoreXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))) = uint64(uint32(rc(fp, w)))
		case bytecode.StoreXF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*4))) = x
		case bytecode.StoreXF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := fc(fp, w)
			to := unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.BStoreX8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i))+e>>16&0xffff)) = uint8(rc(fp, w))
		case bytecode.BStoreX16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*2))+e>>16&0xffff)) = uint16(rc(fp, w))
		case bytecode.BStoreX32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*4))+e>>16&0xffff)) = uint32(rc(fp, w))
		case bytecode.BStoreX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)) = uint64(rc(fp, w))
		case bytecode.BStoreXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)) = uint64(uint32(rc(fp, w)))
		case bytecode.BStoreXF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*4))+e>>16&0xffff)) = x
		case bytecode.BStoreXF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := fc(fp, w)
			to := unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.BPtrIdx:
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(uint32(rb(fp, w) + i*(e>>16&0xffff) + e>>32&0xffff))
		case bytecode.BoundsI:
			if ra(fp, w) >= uint64(int16(w>>32)) {
				why = exitTrap
				break loop
			}
		case bytecode.BoundsC:
			if uint64(int16(w>>32)) >= ra(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.CheckLeU:
			if ra(fp, w) > rb(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.LoadPL:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			p := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.LoadPLX:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			p := unsafe.Add(base, uint64(uint32(rb(fp, w)+*slot(fp, uint16(e))*(e>>16&0xffff)))+e>>32&0xffff)
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.Add8To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint8(rb(fp, w))
		case bytecode.Add16To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint16(rb(fp, w))
		case bytecode.Add32To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint32(rb(fp, w))
		case bytecode.Add64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint64(rb(fp, w))
		case bytecode.Sub64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p -= rb(fp, w)
		case bytecode.FAdd64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*float64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			x := *p + fb(fp, w)
			if x != x {
				*(*uint64)(unsafe.Pointer(p)) = m.nan64
			} else {
				*p = x
			}
		case bytecode.FSub64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*float64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			x := *p - fb(fp, w)
			if x != x {
				*(*uint64)(unsafe.Pointer(p)) = m.nan64
			} else {
				*p = x
			}
		case bytecode.Add32ITo:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint32(int16(w >> 32))
		case bytecode.Add64ITo:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint64(int16(w >> 32))
		case bytecode.FAdd64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) + *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FSub64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) - *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FRSub64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e)) - fb(fp, w)
		case bytecode.FMul64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) * *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.AddM:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + *(*uint64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FMulAdd64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = float64(fb(fp, w)*fc(fp, w)) + *(*float64)(unsafe.Pointer(slot(fp, uint16(e))))
		case bytecode.FMulSub64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = float64(fb(fp, w)*fc(fp, w)) - *(*float64)(unsafe.Pointer(slot(fp, uint16(e))))
		case bytecode.FNMulAdd64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = *(*float64)(unsafe.Pointer(slot(fp, uint16(e)))) - float64(fb(fp, w)*fc(fp, w))
		case bytecode.MulAdd:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)*rc(fp, w) + *slot(fp, uint16(e))
		case bytecode.AddAddI:
			k := uint64(int16(*(*uint64)(pc)))
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + rc(fp, w) + k
		case bytecode.DivSP2:
			x := int64(rb(fp, w))
			k := w >> 48 & 63
			x += int64(uint64(x>>63) >> ((64 - k) & 63))
			*pa(fp, w) = uint64(x >> k)
		case bytecode.NLoad8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NStore8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint8)(unsafe.Add(base, uint64(p)+w>>48)) = uint8(rb(fp, w))
		case bytecode.NStore16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint16)(unsafe.Add(base, uint64(p)+w>>48)) = uint16(rb(fp, w))
		case bytecode.NStore32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)) = uint32(rb(fp, w))
		case bytecode.NStore64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)) = uint64(rb(fp, w))
		case bytecode.NStoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)) = uint64(uint32(rb(fp, w)))
		case bytecode.NStoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)) = x
		case bytecode.NStoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			x := fb(fp, w)
			to := unsafe.Add(base, uint64(p)+w>>48)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.NLoadPL:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			q := uint32(rb(fp, w))
			if q == 0 {
				why = exitTrap
				break loop
			}
			p := unsafe.Add(base, uint64(q)+uint64(uint16(*(*uint64)(pc))))
			pc = unsafe.Add(pc, 8)
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.SLoad8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))))
		case bytecode.SLoad8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))))
		case bytecode.SLoad16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))))
		case bytecode.SLoad16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))))
		case bytecode.SLoad32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))))
		case bytecode.SLoad32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))))
		case bytecode.SLoad64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))))
		case bytecode.SLoadP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))))
		case bytecode.SStore8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))) = uint8(rc(fp, w))
		case bytecode.SStore16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))) = uint16(rc(fp, w))
		case bytecode.SStore32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))) = uint32(rc(fp, w))
		case bytecode.SStore64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))) = uint64(rc(fp, w))
		case bytecode.SStoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))) = uint64(uint32(rc(fp, w)))
		case bytecode.SStoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))) = x
		case bytecode.SStoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := fc(fp, w)
			to := unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.Store8I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint8(int16(w >> 32))
		case bytecode.Store16I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint16(int16(w >> 32))
		case bytecode.Store32I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint32(int16(w >> 32))
		case bytecode.Store64I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(int16(w >> 32))
		case bytecode.MulW:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			hi, lo := bits.Mul64(rb(fp, w), rc(fp, w))
			*pa(fp, w) = hi
			*slot(fp, uint16(e)) = lo
		case bytecode.Add3:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + rc(fp, w) + *slot(fp, uint16(e))
		case bytecode.Carry:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x, y, z := rb(fp, w), rc(fp, w), *slot(fp, uint16(e))
			*pa(fp, w) = (x&y | (x|y)&^z) >> 63
		case bytecode.Borrow:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x, y, z := rb(fp, w), rc(fp, w), *slot(fp, uint16(e))
			*pa(fp, w) = (y&^x | z&^(x^y)) >> 63
		case bytecode.Mov3:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)
			*slot(fp, uint16(w>>48)) = *slot(fp, uint16(e))
			*slot(fp, uint16(e>>16)) = *slot(fp, uint16(e>>32))

		default:
			why = exitSlow
			break loop
		}
	}
	m.pc = uintptr(pc)
	m.fp = uintptr(fp)
	m.Gas = gas

	return why
}

// runObserved is the loop that takes samples of the time, tells a tracer of every call and charge, and counts instructions, as the machine says.
//
//go:nocheckptr
//go:norace
func runObserved(_ uintptr, m *Machine) (why exit) {
	pc := pointer(m.pc)
	fp := pointer(m.fp)
	base := m.Base
	gas := m.Gas
	ticks := m.ticks
	var last unsafe.Pointer
loop:
	for {
		w := *(*uint64)(pc)
		pc = unsafe.Add(pc, 8)
		if ticks != nil {
			if ticks.Load() != 0 {
				pc = unsafe.Add(pc, -8)
				why = exitSample
				break loop
			}
			last = unsafe.Add(pc, -8)
		}
		if t := m.trace; t != nil {
			if uintptr(fp) != t.fp || gas != t.gas {
				t.step(uintptr(pc)-8, fp, gas)
			}
			if op := bytecode.OpOf(w); op >= bytecode.FirstLoop && op <= bytecode.LastLoop {
				pc = unsafe.Add(pc, 8)
				continue
			}
		}
		if m.ops == nil {
			m.tally++
		} else {
			m.count(w, uintptr(pc)-8)
		}
		switch bytecode.Op(uint16(w)) {
		case bytecode.Invalid, bytecode.Unreachable:
			why = exitFail
			break loop
		case bytecode.Jmp:
			pc = unsafe.Add(pc, int64(w)>>32*8)
			gas -= int64(uint16(w >> 16))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.JmpL:
			pc = unsafe.Add(pc, int64(w)>>32*8)
			gas -= int64(uint16(w >> 16))
			if gas < 0 {
				why = exitLoop
				break loop
			}
		case bytecode.JmpBack:
			pc = unsafe.Add(pc, int64(w)>>32*8)
		case bytecode.Gas:
			gas -= int64(w) >> 32
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GasL:
			gas -= int64(w) >> 32
			if gas < 0 {
				why = exitLoop
				break loop
			}
		case bytecode.GasN:
			n := int64(rb(fp, w))
			if n < 0 {
				n = 1 << 62
			}
			gas -= n
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Count:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w)++
		case bytecode.CountIf:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w) += ra(fp, w) & 1
		case bytecode.CountUnless:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*counter(base, w) += ra(fp, w)&1 ^ 1
		case bytecode.Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrZ:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.BrZL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == 0 {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) == rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) != rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeSBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) <= int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeSBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) <= int64(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeUBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) <= rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LeUBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) <= rb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) == int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.EqIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) == int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) != int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.NeIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) != int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtSIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) < int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeSIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) >= int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeSIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if int64(ra(fp, w)) >= int64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.LtUIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) < uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeUIBr:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) >= uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.GeUIBrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if ra(fp, w) >= uint64(int16(w>>32)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) == fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) == fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) != fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) != fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) < fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) < fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) < fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) < fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) <= fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if fa(fp, w) <= fb(fp, w) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle64Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) <= fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle64BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(fa(fp, w) <= fb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) == f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FEq32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) == f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) != f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNe32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) != f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) < f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLt32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) < f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) < f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNlt32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) < f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) <= f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FLe32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f32(ra(fp, w)) <= f32(rb(fp, w)) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle32Br:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) <= f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				gas -= int64(uint16(e >> 32))
			} else {
				gas -= int64(e >> 48)
			}
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.FNle32BrL:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if !(f32(ra(fp, w)) <= f32(rb(fp, w))) {
				pc = unsafe.Add(pc, int64(int32(e))*8)
				if gas -= int64(uint16(e >> 32)); gas < 0 {
					why = exitLoop
					break loop
				}
				continue
			}
			gas -= int64(e >> 48)
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Switch:
			n := uint64(w >> 32)
			i := ra(fp, w) - *(*uint64)(pc)
			if i > n {
				i = n
			}
			e := *(*uint64)(unsafe.Add(pc, i*8+8))
			pc = unsafe.Add(pc, i*8+16)
			pc = unsafe.Add(pc, int64(int32(e))*8)
			gas -= int64(uint16(e >> 32))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.SwitchB:
			x := int64(ra(fp, w))
			lo, hi := uint64(0), w>>32
			at := hi * 16
			for lo < hi {
				mid := (lo + hi) / 2
				v := *(*int64)(unsafe.Add(pc, mid*16))
				if v == x {
					at = mid*16 + 8
					break
				}
				if v < x {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			e := *(*uint64)(unsafe.Add(pc, at))
			pc = unsafe.Add(pc, at+8)
			pc = unsafe.Add(pc, int64(int32(e))*8)
			gas -= int64(uint16(e >> 32))
			if gas < m.Plim {
				why = exitGas
				break loop
			}
		case bytecode.Call:
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, w>>32*8)))
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.CallC:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			closure := uint32(rb(fp, w))
			f := *(*uint64)(unsafe.Add(base, closure))
			sig := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f >= m.nfuncs {
				why = exitCall
				break loop
			}
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, f*8)))
			if s := uint64(*(*uint32)(unsafe.Add(entry, -16))); s != sig && s != bytecode.AnySig {
				why = exitCall
				break loop
			}
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			*(*uint64)(unsafe.Add(fp, 8)) = uint64(closure)
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.CallX:
			f := rb(fp, w)
			sig := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			if f >= m.nfuncs {
				why = exitCall
				break loop
			}
			entry := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, f*8)))
			if s := uint64(*(*uint32)(unsafe.Add(entry, -16))); s != sig && s != bytecode.AnySig {
				why = exitCall
				break loop
			}
			n := uintptr(uint16(w >> 16))
			fp = unsafe.Add(fp, n*8)
			*(*uint64)(fp) = uint64(uintptr(pc)) | uint64(n)<<48
			head := *(*uint64)(unsafe.Add(entry, -8))
			gas -= int64(*(*uint64)(unsafe.Add(entry, -16)) >> 32)
			m.depth -= int64(head >> 32)
			pc = entry
			if uintptr(fp)+uintptr(uint32(head)) > m.slimit || m.depth < 0 || gas < m.Plim {
				why = exitEnter
				break loop
			}
		case bytecode.Ret:
			link := *(*uint64)(fp)
			pc = pointer(uintptr(link << 16 >> 16))
			fp = unsafe.Add(fp, -int64(link>>48)*8)
			m.depth += int64(w >> 32)
		case bytecode.Ret1:
			*slot(fp, 2) = ra(fp, w)
			link := *(*uint64)(fp)
			pc = pointer(uintptr(link << 16 >> 16))
			fp = unsafe.Add(fp, -int64(link>>48)*8)
			m.depth += int64(w >> 32)
		case bytecode.EnterLocals:
			sp := m.SSP
			end := uint64(sp) + w>>32
			if end > uint64(m.SLim) {
				why = exitSlow
				break loop
			}
			m.SSP = uint32(end)
			p := pa(fp, w)
			*p = uint64(sp)
			*(*uint64)(unsafe.Add(unsafe.Pointer(p), 8)) = uint64(sp)
		case bytecode.LeaveLocals:
			p := pa(fp, w)
			sp := *(*uint64)(unsafe.Add(unsafe.Pointer(p), 8))
			if sp != *p {
				why = exitSlow
				break loop
			}
			m.SSP = uint32(sp)
		case bytecode.ZeroLocals:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := unsafe.Add(base, uint32(ra(fp, w)))
			for n := w >> 32; n != 0; n -= 8 {
				*(*uint64)(p) = 0
				p = unsafe.Add(p, 8)
			}
		case bytecode.Mov:
			*pa(fp, w) = rb(fp, w)
		case bytecode.Mov2:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)
			*slot(fp, uint16(w>>48)) = *slot(fp, uint16(e))
		case bytecode.Const:
			*pa(fp, w) = uint64(int64(w) >> 32)
		case bytecode.Const64:
			*pa(fp, w) = *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
		case bytecode.Select:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := *slot(fp, uint16(e))
			if rb(fp, w) != 0 {
				x = rc(fp, w)
			}
			*pa(fp, w) = x
		case bytecode.Add:
			*pa(fp, w) = rb(fp, w) + rc(fp, w)
		case bytecode.Sub:
			*pa(fp, w) = rb(fp, w) - rc(fp, w)
		case bytecode.Mul:
			*pa(fp, w) = rb(fp, w) * rc(fp, w)
		case bytecode.And:
			*pa(fp, w) = rb(fp, w) & rc(fp, w)
		case bytecode.Or:
			*pa(fp, w) = rb(fp, w) | rc(fp, w)
		case bytecode.Xor:
			*pa(fp, w) = rb(fp, w) ^ rc(fp, w)
		case bytecode.AndNot:
			*pa(fp, w) = rb(fp, w) &^ rc(fp, w)
		case bytecode.Shl:
			*pa(fp, w) = rb(fp, w) << rc(fp, w)
		case bytecode.ShrS:
			*pa(fp, w) = uint64(int64(rb(fp, w)) >> rc(fp, w))
		case bytecode.ShrU:
			*pa(fp, w) = rb(fp, w) >> rc(fp, w)
		case bytecode.DivS:
			x, y := int64(rb(fp, w)), int64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU:
			x, y := uint64(rb(fp, w)), uint64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = x / y
		case bytecode.RemS:
			x, y := int64(rb(fp, w)), int64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x % y)
		case bytecode.RemU:
			x, y := uint64(rb(fp, w)), uint64(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = x % y
		case bytecode.Rotl:
			*pa(fp, w) = bits.RotateLeft64(rb(fp, w), int(rc(fp, w)))
		case bytecode.MulHiU:
			hi, _ := bits.Mul64(rb(fp, w), rc(fp, w))
			*pa(fp, w) = hi
		case bytecode.MulHiS:
			x, y := rb(fp, w), rc(fp, w)
			hi, _ := bits.Mul64(x, y)
			*pa(fp, w) = hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
		case bytecode.Neg:
			*pa(fp, w) = -rb(fp, w)
		case bytecode.Not:
			*pa(fp, w) = ^rb(fp, w)
		case bytecode.Clz:
			*pa(fp, w) = uint64(bits.LeadingZeros64(rb(fp, w)))
		case bytecode.Ctz:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w)))
		case bytecode.Popcnt:
			x := rb(fp, w)
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap:
			*pa(fp, w) = bits.ReverseBytes64(rb(fp, w))
		case bytecode.AddI:
			*pa(fp, w) = rb(fp, w) + uint64(int64(w)>>48)
		case bytecode.MulI:
			*pa(fp, w) = rb(fp, w) * uint64(int64(w)>>48)
		case bytecode.AndI:
			*pa(fp, w) = rb(fp, w) & uint64(int64(w)>>48)
		case bytecode.OrI:
			*pa(fp, w) = rb(fp, w) | uint64(int64(w)>>48)
		case bytecode.XorI:
			*pa(fp, w) = rb(fp, w) ^ uint64(int64(w)>>48)
		case bytecode.ShlI:
			*pa(fp, w) = rb(fp, w) << (w >> 48 & 63)
		case bytecode.ShrSI:
			*pa(fp, w) = uint64(int64(rb(fp, w)) >> (w >> 48 & 63))
		case bytecode.ShrUI:
			*pa(fp, w) = rb(fp, w) >> (w >> 48 & 63)
		case bytecode.RSubI:
			*pa(fp, w) = uint64(int64(w)>>48) - rb(fp, w)
		case bytecode.Add32:
			*pa(fp, w) = uint64(int32(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub32:
			*pa(fp, w) = uint64(int32(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul32:
			*pa(fp, w) = uint64(int32(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl32:
			*pa(fp, w) = uint64(int32(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU32:
			*pa(fp, w) = uint64(int32(uint32(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS32:
			x, y := int32(rb(fp, w)), int32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU32:
			x, y := uint32(rb(fp, w)), uint32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int32(x / y))
		case bytecode.RemU32:
			x, y := uint32(rb(fp, w)), uint32(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int32(x % y))
		case bytecode.Rotl32:
			*pa(fp, w) = uint64(int32(bits.RotateLeft32(uint32(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg32:
			*pa(fp, w) = uint64(int32(-rb(fp, w)))
		case bytecode.Clz32:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(rb(fp, w))))
		case bytecode.Ctz32:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<32))
		case bytecode.Popcnt32:
			x := rb(fp, w) & 0xffffffff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap32:
			*pa(fp, w) = uint64(int32(bits.ReverseBytes32(uint32(rb(fp, w)))))
		case bytecode.Add32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl32I:
			*pa(fp, w) = uint64(int32(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU32I:
			*pa(fp, w) = uint64(int32(uint64(uint32(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub32I:
			*pa(fp, w) = uint64(int32(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.Add16:
			*pa(fp, w) = uint64(int16(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub16:
			*pa(fp, w) = uint64(int16(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul16:
			*pa(fp, w) = uint64(int16(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl16:
			*pa(fp, w) = uint64(int16(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU16:
			*pa(fp, w) = uint64(int16(uint16(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS16:
			x, y := int16(rb(fp, w)), int16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU16:
			x, y := uint16(rb(fp, w)), uint16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int16(x / y))
		case bytecode.RemU16:
			x, y := uint16(rb(fp, w)), uint16(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int16(x % y))
		case bytecode.Rotl16:
			*pa(fp, w) = uint64(int16(bits.RotateLeft16(uint16(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg16:
			*pa(fp, w) = uint64(int16(-rb(fp, w)))
		case bytecode.Clz16:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(uint16(rb(fp, w))))) - 16
		case bytecode.Ctz16:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<16))
		case bytecode.Popcnt16:
			x := rb(fp, w) & 0xffff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Bswap16:
			*pa(fp, w) = uint64(int16(bits.ReverseBytes16(uint16(rb(fp, w)))))
		case bytecode.Add16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl16I:
			*pa(fp, w) = uint64(int16(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU16I:
			*pa(fp, w) = uint64(int16(uint64(uint16(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub16I:
			*pa(fp, w) = uint64(int16(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.Add8:
			*pa(fp, w) = uint64(int8(rb(fp, w) + rc(fp, w)))
		case bytecode.Sub8:
			*pa(fp, w) = uint64(int8(rb(fp, w) - rc(fp, w)))
		case bytecode.Mul8:
			*pa(fp, w) = uint64(int8(rb(fp, w) * rc(fp, w)))
		case bytecode.Shl8:
			*pa(fp, w) = uint64(int8(rb(fp, w) << rc(fp, w)))
		case bytecode.ShrU8:
			*pa(fp, w) = uint64(int8(uint8(rb(fp, w)) >> rc(fp, w)))
		case bytecode.DivS8:
			x, y := int8(rb(fp, w)), int8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(x / y)
		case bytecode.DivU8:
			x, y := uint8(rb(fp, w)), uint8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int8(x / y))
		case bytecode.RemU8:
			x, y := uint8(rb(fp, w)), uint8(rc(fp, w))
			if y == 0 {
				why = exitFail
				break loop
			}
			*pa(fp, w) = uint64(int8(x % y))
		case bytecode.Rotl8:
			*pa(fp, w) = uint64(int8(bits.RotateLeft8(uint8(rb(fp, w)), int(rc(fp, w)))))
		case bytecode.Neg8:
			*pa(fp, w) = uint64(int8(-rb(fp, w)))
		case bytecode.Clz8:
			*pa(fp, w) = uint64(bits.LeadingZeros32(uint32(uint8(rb(fp, w))))) - 24
		case bytecode.Ctz8:
			*pa(fp, w) = uint64(bits.TrailingZeros64(rb(fp, w) | 1<<8))
		case bytecode.Popcnt8:
			x := rb(fp, w) & 0xff
			x -= x >> 1 & 0x5555555555555555
			x = x&0x3333333333333333 + x>>2&0x3333333333333333
			x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
			*pa(fp, w) = x * 0x0101010101010101 >> 56
		case bytecode.Add8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.Mul8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) * uint64(int64(w)>>48)))
		case bytecode.Shl8I:
			*pa(fp, w) = uint64(int8(rb(fp, w) << (w >> 48 & 63)))
		case bytecode.ShrU8I:
			*pa(fp, w) = uint64(int8(uint64(uint8(rb(fp, w))) >> (w >> 48 & 63)))
		case bytecode.RSub8I:
			*pa(fp, w) = uint64(int8(uint64(int64(w)>>48) - rb(fp, w)))
		case bytecode.SExt8:
			*pa(fp, w) = uint64(int8(rb(fp, w)))
		case bytecode.SExt16:
			*pa(fp, w) = uint64(int16(rb(fp, w)))
		case bytecode.SExt32:
			*pa(fp, w) = uint64(int32(rb(fp, w)))
		case bytecode.ZExt8:
			*pa(fp, w) = uint64(uint8(rb(fp, w)))
		case bytecode.ZExt16:
			*pa(fp, w) = uint64(uint16(rb(fp, w)))
		case bytecode.ZExt32:
			*pa(fp, w) = uint64(uint32(rb(fp, w)))
		case bytecode.Eq:
			x := uint64(0)
			if rb(fp, w) == rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.Ne:
			x := uint64(0)
			if rb(fp, w) != rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtS:
			x := uint64(0)
			if int64(rb(fp, w)) < int64(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LeS:
			x := uint64(0)
			if int64(rb(fp, w)) <= int64(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtU:
			x := uint64(0)
			if rb(fp, w) < rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LeU:
			x := uint64(0)
			if rb(fp, w) <= rc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.EqI:
			x := uint64(0)
			if int64(rb(fp, w)) == int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.NeI:
			x := uint64(0)
			if int64(rb(fp, w)) != int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtSI:
			x := uint64(0)
			if int64(rb(fp, w)) < int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.GeSI:
			x := uint64(0)
			if int64(rb(fp, w)) >= int64(w)>>48 {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.LtUI:
			x := uint64(0)
			if rb(fp, w) < uint64(int64(w)>>48) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.GeUI:
			x := uint64(0)
			if rb(fp, w) >= uint64(int64(w)>>48) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FEq64:
			x := uint64(0)
			if fb(fp, w) == fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FNe64:
			x := uint64(0)
			if fb(fp, w) != fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLt64:
			x := uint64(0)
			if fb(fp, w) < fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLe64:
			x := uint64(0)
			if fb(fp, w) <= fc(fp, w) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FEq32:
			x := uint64(0)
			if f32(rb(fp, w)) == f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FNe32:
			x := uint64(0)
			if f32(rb(fp, w)) != f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLt32:
			x := uint64(0)
			if f32(rb(fp, w)) < f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FLe32:
			x := uint64(0)
			if f32(rb(fp, w)) <= f32(rc(fp, w)) {
				x = 1
			}
			*pa(fp, w) = x
		case bytecode.FAdd64:
			*qa(fp, w) = fb(fp, w) + fc(fp, w)
		case bytecode.FSub64:
			*qa(fp, w) = fb(fp, w) - fc(fp, w)
		case bytecode.FMul64:
			*qa(fp, w) = fb(fp, w) * fc(fp, w)
		case bytecode.FDiv64:
			*qa(fp, w) = fb(fp, w) / fc(fp, w)
		case bytecode.FNeg64:
			*pa(fp, w) = rb(fp, w) ^ 1<<63
		case bytecode.FSqrt64:
			*qa(fp, w) = math.Sqrt(fb(fp, w))
		case bytecode.FAbs64:
			*pa(fp, w) = rb(fp, w) &^ (1 << 63)
		case bytecode.FCopysign64:
			sign := rc(fp, w) & (1 << 63)
			if y := fc(fp, w); y != y {
				sign = 0
			}
			*pa(fp, w) = rb(fp, w)&^(1<<63) | sign
		case bytecode.IToF64:
			*qa(fp, w) = float64(int64(rb(fp, w)))
		case bytecode.UToF64:
			*qa(fp, w) = float64(rb(fp, w))
		case bytecode.FToI64:
			x := fb(fp, w)
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FToU64:
			x := fb(fp, w)
			flip := uint64(0)
			if !(x < 1<<63) {
				x -= 1 << 63
				flip = 1 << 63
			}
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y) | flip
		case bytecode.FToN64:
			x := fb(fp, w)
			y := int64(math.MinInt32)
			if x > -1<<31-1 && x < 1<<31 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FBits64:
			x := rb(fp, w)
			if x&(1<<63-1) > 0x7FF<<52 {
				x = ir.NaN64
			}
			*pa(fp, w) = x
		case bytecode.FAdd32:
			*pa(fp, w) = u32(f32(rb(fp, w)) + f32(rc(fp, w)))
		case bytecode.FSub32:
			*pa(fp, w) = u32(f32(rb(fp, w)) - f32(rc(fp, w)))
		case bytecode.FMul32:
			*pa(fp, w) = u32(f32(rb(fp, w)) * f32(rc(fp, w)))
		case bytecode.FDiv32:
			*pa(fp, w) = u32(f32(rb(fp, w)) / f32(rc(fp, w)))
		case bytecode.FNeg32:
			*pa(fp, w) = rb(fp, w) ^ 1<<31
		case bytecode.FSqrt32:
			*pa(fp, w) = u32(float32(math.Sqrt(float64(f32(rb(fp, w))))))
		case bytecode.FAbs32:
			*pa(fp, w) = rb(fp, w) & (1<<31 - 1)
		case bytecode.FCopysign32:
			sign := rc(fp, w) & (1 << 31)
			if y := f32(rc(fp, w)); y != y {
				sign = 0
			}
			*pa(fp, w) = rb(fp, w)&(1<<31-1) | sign
		case bytecode.IToF32:
			*pa(fp, w) = u32(float32(int64(rb(fp, w))))
		case bytecode.UToF32:
			*pa(fp, w) = u32(float32(rb(fp, w)))
		case bytecode.FToI32:
			x := float64(f32(rb(fp, w)))
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FToU32:
			x := float64(f32(rb(fp, w)))
			flip := uint64(0)
			if !(x < 1<<63) {
				x -= 1 << 63
				flip = 1 << 63
			}
			y := int64(math.MinInt64)
			if x >= -1<<63 && x < 1<<63 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y) | flip
		case bytecode.FToN32:
			x := float64(f32(rb(fp, w)))
			y := int64(math.MinInt32)
			if x > -1<<31-1 && x < 1<<31 {
				y = int64(x)
			}
			*pa(fp, w) = uint64(y)
		case bytecode.FBits32:
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = ir.NaN32
			}
			*pa(fp, w) = uint64(int32(x))
		case bytecode.F32to64:
			*qa(fp, w) = float64(f32(rb(fp, w)))
		case bytecode.F64to32:
			*pa(fp, w) = u32(float32(fb(fp, w)))
		case bytecode.PtrAdd:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)))
		case bytecode.PtrAddI:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + uint64(int64(w)>>48)))
		case bytecode.PtrAddX:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + *(*uint64)(pc)))
			pc = unsafe.Add(pc, 8)
		case bytecode.PtrIdx2:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*2))
		case bytecode.PtrIdx4:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*4))
		case bytecode.PtrIdx8:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*8))
		case bytecode.PtrIdx16:
			*pa(fp, w) = uint64(uint32(rb(fp, w) + rc(fp, w)*16))
		case bytecode.PtrIdx:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(uint32(rb(fp, w)) + uint32(rc(fp, w))*uint32(e) + uint32(e>>32))
		case bytecode.FrameID:
			*pa(fp, w) = uint64(uintptr(fp)-m.low)/8 + 1
		case bytecode.GasLeft:
			*pa(fp, w) = uint64(gas)
		case bytecode.Load8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Load64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(uint32(rb(fp, w)))+w>>48)))
		case bytecode.Store8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint8(rb(fp, w))
		case bytecode.Store16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint16(rb(fp, w))
		case bytecode.Store32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint32(rb(fp, w))
		case bytecode.Store64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(rb(fp, w))
		case bytecode.StoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(uint32(rb(fp, w)))
		case bytecode.StoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = x
		case bytecode.StoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := fb(fp, w)
			to := unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.Move8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0 := *(*uint64)(q)
			*(*uint64)(p) = x0
		case bytecode.Move16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
		case bytecode.Move24:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1, x2 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8)), *(*uint64)(unsafe.Add(q, 16))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
			*(*uint64)(unsafe.Add(p, 16)) = x2
		case bytecode.Move32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p, q := unsafe.Add(base, uint32(ra(fp, w))), unsafe.Add(base, uint32(rb(fp, w)))
			x0, x1, x2, x3 := *(*uint64)(q), *(*uint64)(unsafe.Add(q, 8)), *(*uint64)(unsafe.Add(q, 16)), *(*uint64)(unsafe.Add(q, 24))
			*(*uint64)(p) = x0
			*(*uint64)(unsafe.Add(p, 8)) = x1
			*(*uint64)(unsafe.Add(p, 16)) = x2
			*(*uint64)(unsafe.Add(p, 24)) = x3
		case bytecode.ClearW:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := unsafe.Add(base, uint32(ra(fp, w)))
			for n := uint16(w >> 32); n != 0; n-- {
				*(*uint64)(p) = 0
				p = unsafe.Add(p, 8)
			}
		case bytecode.NilCheck:
			if uint32(ra(fp, w)) == 0 {
				why = exitTrap
				break loop
			}
		case bytecode.Bounds:
			if ra(fp, w) >= rb(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.Check0:
			if ra(fp, w) == 0 {
				why = exitTrap
				break loop
			}
		case bytecode.Check2:
			if ra(fp, w) == 0 {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
		case bytecode.New:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			head := *(*uint64)(pc)
			n := uint64(uint32(head))*8 + 8
			heap := m.Heap
			cur := heap.Cur
			if n > uint64(heap.Limit-cur) {
				why = exitSlow
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, cur)) = head
			*pa(fp, w) = uint64(cur + 8)
			heap.Cur = cur + uint32(n)
			heap.Mallocs++
		case bytecode.NewArray:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			count := rb(fp, w)
			words := (count*(e>>32) + 7) / 8
			heap := m.Heap
			cur := heap.Cur
			if count > 1<<32 || words*8+8 > uint64(heap.Limit-cur) {
				why = exitSlow
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, cur)) = words | e<<32
			*pa(fp, w) = uint64(cur + 8)
			heap.Cur = cur + uint32(words*8+8)
			heap.Mallocs++
		case bytecode.LoopLtS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) < int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGtS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) > int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLeS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) <= int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeS:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) >= int64(rc(fp, w)) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtU:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x < rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeU:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x >= rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopEq:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x == rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopNe:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x != rc(fp, w) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtSI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) < int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeSI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) >= int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopLtUI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x < uint64(int64(w)>>48) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopGeUI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if x >= uint64(int64(w)>>48) {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopEqI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) == int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoopNeI:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x := rb(fp, w) + uint64(int16(e>>16))
			if int64(x) != int64(w)>>48 {
				rest := gas - int64(uint16(e>>32))
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, int64(int16(e))*8)
			} else {
				rest := gas - int64(e>>48)
				if rest < 0 {
					continue
				}
				gas = rest
				pc = unsafe.Add(pc, 8)
			}
			*pa(fp, w) = x
		case bytecode.LoadX8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)))))
		case bytecode.LoadX8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)))))
		case bytecode.LoadX16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*2))))
		case bytecode.LoadX16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*2))))
		case bytecode.LoadX32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*4))))
		case bytecode.LoadX32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*4))))
		case bytecode.LoadX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*8))))
		case bytecode.LoadXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(rb(fp, w)+rc(fp, w)*8))))
		case bytecode.BLoadX8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i))+e>>16&0xffff)))
		case bytecode.BLoadX8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i))+e>>16&0xffff)))
		case bytecode.BLoadX16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*2))+e>>16&0xffff)))
		case bytecode.BLoadX16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*2))+e>>16&0xffff)))
		case bytecode.BLoadX32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*4))+e>>16&0xffff)))
		case bytecode.BLoadX32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*4))+e>>16&0xffff)))
		case bytecode.BLoadX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*8))+e>>16&0xffff)))
		case bytecode.BLoadXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(uint32(rb(fp, w)+i*8))+e>>16&0xffff)))
		case bytecode.StoreX8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)))) = uint8(rc(fp, w))
		case bytecode.StoreX16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*2))) = uint16(rc(fp, w))
		case bytecode.StoreX32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*4))) = uint32(rc(fp, w))
		case bytecode.StoreX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))) = uint64(rc(fp, w))
		case bytecode.StoreXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))) = uint64(uint32(rc(fp, w)))
		case bytecode.StoreXF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*4))) = x
		case bytecode.StoreXF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			x := fc(fp, w)
			to := unsafe.Add(base, uint32(ra(fp, w)+rb(fp, w)*8))
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.BStoreX8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i))+e>>16&0xffff)) = uint8(rc(fp, w))
		case bytecode.BStoreX16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*2))+e>>16&0xffff)) = uint16(rc(fp, w))
		case bytecode.BStoreX32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*4))+e>>16&0xffff)) = uint32(rc(fp, w))
		case bytecode.BStoreX64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)) = uint64(rc(fp, w))
		case bytecode.BStoreXP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)) = uint64(uint32(rc(fp, w)))
		case bytecode.BStoreXF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)+i*4))+e>>16&0xffff)) = x
		case bytecode.BStoreXF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			i := rb(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := fc(fp, w)
			to := unsafe.Add(base, uint64(uint32(ra(fp, w)+i*8))+e>>16&0xffff)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.BPtrIdx:
			e := *(*uint64)(pc)
			i := rc(fp, w)
			if i >= *slot(fp, uint16(e)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(uint32(rb(fp, w) + i*(e>>16&0xffff) + e>>32&0xffff))
		case bytecode.BoundsI:
			if ra(fp, w) >= uint64(int16(w>>32)) {
				why = exitTrap
				break loop
			}
		case bytecode.BoundsC:
			if uint64(int16(w>>32)) >= ra(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.CheckLeU:
			if ra(fp, w) > rb(fp, w) {
				why = exitTrap
				break loop
			}
		case bytecode.LoadPL:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			p := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.LoadPLX:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			p := unsafe.Add(base, uint64(uint32(rb(fp, w)+*slot(fp, uint16(e))*(e>>16&0xffff)))+e>>32&0xffff)
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.Add8To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint8(rb(fp, w))
		case bytecode.Add16To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint16(rb(fp, w))
		case bytecode.Add32To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint32(rb(fp, w))
		case bytecode.Add64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint64(rb(fp, w))
		case bytecode.Sub64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p -= rb(fp, w)
		case bytecode.FAdd64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*float64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			x := *p + fb(fp, w)
			if x != x {
				*(*uint64)(unsafe.Pointer(p)) = m.nan64
			} else {
				*p = x
			}
		case bytecode.FSub64To:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*float64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			x := *p - fb(fp, w)
			if x != x {
				*(*uint64)(unsafe.Pointer(p)) = m.nan64
			} else {
				*p = x
			}
		case bytecode.Add32ITo:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint32(int16(w >> 32))
		case bytecode.Add64ITo:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := (*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48))
			*p += uint64(int16(w >> 32))
		case bytecode.FAdd64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) + *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FSub64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) - *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FRSub64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e)) - fb(fp, w)
		case bytecode.FMul64M:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = fb(fp, w) * *(*float64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.AddM:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + *(*uint64)(unsafe.Add(base, uint64(uint32(rc(fp, w)))+e))
		case bytecode.FMulAdd64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = float64(fb(fp, w)*fc(fp, w)) + *(*float64)(unsafe.Pointer(slot(fp, uint16(e))))
		case bytecode.FMulSub64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = float64(fb(fp, w)*fc(fp, w)) - *(*float64)(unsafe.Pointer(slot(fp, uint16(e))))
		case bytecode.FNMulAdd64:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*qa(fp, w) = *(*float64)(unsafe.Pointer(slot(fp, uint16(e)))) - float64(fb(fp, w)*fc(fp, w))
		case bytecode.MulAdd:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)*rc(fp, w) + *slot(fp, uint16(e))
		case bytecode.AddAddI:
			k := uint64(int16(*(*uint64)(pc)))
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + rc(fp, w) + k
		case bytecode.DivSP2:
			x := int64(rb(fp, w))
			k := w >> 48 & 63
			x += int64(uint64(x>>63) >> ((64 - k) & 63))
			*pa(fp, w) = uint64(x >> k)
		case bytecode.NLoad8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NLoad64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(rb(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)))
		case bytecode.NStore8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint8)(unsafe.Add(base, uint64(p)+w>>48)) = uint8(rb(fp, w))
		case bytecode.NStore16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint16)(unsafe.Add(base, uint64(p)+w>>48)) = uint16(rb(fp, w))
		case bytecode.NStore32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)) = uint32(rb(fp, w))
		case bytecode.NStore64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)) = uint64(rb(fp, w))
		case bytecode.NStoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			*(*uint64)(unsafe.Add(base, uint64(p)+w>>48)) = uint64(uint32(rb(fp, w)))
		case bytecode.NStoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			x := uint32(rb(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint64(p)+w>>48)) = x
		case bytecode.NStoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			p := uint32(ra(fp, w))
			if p == 0 {
				why = exitTrap
				break loop
			}
			x := fb(fp, w)
			to := unsafe.Add(base, uint64(p)+w>>48)
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.NLoadPL:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			q := uint32(rb(fp, w))
			if q == 0 {
				why = exitTrap
				break loop
			}
			p := unsafe.Add(base, uint64(q)+uint64(uint16(*(*uint64)(pc))))
			pc = unsafe.Add(pc, 8)
			x, y := *(*uint32)(p), *(*uint64)(unsafe.Add(p, 8))
			*pa(fp, w) = uint64(x)
			*slot(fp, uint16(w>>48)) = y
		case bytecode.SLoad8S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))))
		case bytecode.SLoad8U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))))
		case bytecode.SLoad16S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))))
		case bytecode.SLoad16U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))))
		case bytecode.SLoad32S:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*int32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))))
		case bytecode.SLoad32U:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))))
		case bytecode.SLoad64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))))
		case bytecode.SLoadP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(rb(fp, w)))+uint64(uint16(e)))
			i := rc(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = uint64(*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))))
		case bytecode.SStore8:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint8)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i))) = uint8(rc(fp, w))
		case bytecode.SStore16:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint16)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*2))) = uint16(rc(fp, w))
		case bytecode.SStore32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))) = uint32(rc(fp, w))
		case bytecode.SStore64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))) = uint64(rc(fp, w))
		case bytecode.SStoreP:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			*(*uint64)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))) = uint64(uint32(rc(fp, w)))
		case bytecode.SStoreF32:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := uint32(rc(fp, w))
			if x&(1<<31-1) > 0xFF<<23 {
				x = m.nan32
			}
			*(*uint32)(unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*4))) = x
		case bytecode.SStoreF64:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			e := *(*uint64)(pc)
			h := unsafe.Add(base, uint64(uint32(ra(fp, w)))+uint64(uint16(e)))
			i := rb(fp, w)
			if i >= *(*uint64)(unsafe.Add(h, 8)) {
				why = exitTrap
				break loop
			}
			pc = unsafe.Add(pc, 8)
			x := fc(fp, w)
			to := unsafe.Add(base, uint32(uint64(*(*uint32)(h))+i*8))
			if x != x {
				*(*uint64)(to) = m.nan64
			} else {
				*(*float64)(to) = x
			}
		case bytecode.Store8I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint8)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint8(int16(w >> 32))
		case bytecode.Store16I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint16)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint16(int16(w >> 32))
		case bytecode.Store32I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint32)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint32(int16(w >> 32))
		case bytecode.Store64I:
			m.pc = uintptr(pc)
			m.fp = uintptr(fp)
			m.Gas = gas
			*(*uint64)(unsafe.Add(base, uint64(uint32(ra(fp, w)))+w>>48)) = uint64(int16(w >> 32))
		case bytecode.MulW:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			hi, lo := bits.Mul64(rb(fp, w), rc(fp, w))
			*pa(fp, w) = hi
			*slot(fp, uint16(e)) = lo
		case bytecode.Add3:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w) + rc(fp, w) + *slot(fp, uint16(e))
		case bytecode.Carry:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x, y, z := rb(fp, w), rc(fp, w), *slot(fp, uint16(e))
			*pa(fp, w) = (x&y | (x|y)&^z) >> 63
		case bytecode.Borrow:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			x, y, z := rb(fp, w), rc(fp, w), *slot(fp, uint16(e))
			*pa(fp, w) = (y&^x | z&^(x^y)) >> 63
		case bytecode.Mov3:
			e := *(*uint64)(pc)
			pc = unsafe.Add(pc, 8)
			*pa(fp, w) = rb(fp, w)
			*slot(fp, uint16(w>>48)) = *slot(fp, uint16(e))
			*slot(fp, uint16(e>>16)) = *slot(fp, uint16(e>>32))

		default:
			why = exitSlow
			break loop
		}
	}
	m.pc = uintptr(pc)
	m.fp = uintptr(fp)
	m.Gas = gas
	m.last = uintptr(last)
	return why
}
