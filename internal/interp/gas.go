package interp

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

// gasEvent is called after a charge that made the register run out. m.pc is
// where execution goes on.
func (m *Machine) gasEvent(loop bool) rt.Status {
	fc, pc := m.prog.FuncAt(m.pc)
	if fc == nil {
		return m.Fail("gas", rt.ErrCorrupt)
	}
	ch := fc.Charge(pc)
	if m.trace != nil {
		m.trace.sync()
	}
	if ch != nil && ch.Steps != 0 {
		if m.trace != nil {
			m.trace.refund(m.pc, int64(ch.Units))
		}
		m.Gas += int64(ch.Units)
		m.pc = uintptr(fc.At(int(ch.Steps)))
		return rt.OK
	}
	pos := ir.Pos(0)
	if ch != nil {
		pos = ch.Pos
	}
	f, st := m.GasEvent(loop, pos)
	if st != rt.OK || f == 0 {
		return st
	}
	return m.call(f, fc.Slots)
}

// FreeEnds implements rt.Exec.
func (m *Machine) FreeEnds() {
	m.Core.FreeEnds()
	m.freeInstructions = m.Instructions()
	if m.trace != nil {
		m.trace.restart()
	}
}

// Free returns what the free initialisation of the standard library used: units
// of gas, and instructions if they are counted.
func (m *Machine) Free() (units int64, instructions uint64) {
	units, over := m.FreeUnits()
	if !over {
		return units, m.Instructions()
	}
	return units, m.freeInstructions
}

// StopGas implements rt.Exec.
func (m *Machine) StopGas() {
	m.Core.StopGas()
	if m.trace != nil {
		m.trace.stopped = true
	}
}
