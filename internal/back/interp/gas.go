package interp

import (
	"github.com/gyrvm/gyr/internal/run/rt"
)

// gasEvent is called after a charge that exhausted the register. Execution continues at m.pc.
//
// After late charges the register may stay below the limit for long. So a call can find it there
// even if the function charges nothing at its entry, or has no code yet.
func (m *Machine) gasEvent(loop bool) rt.Status {
	fc, pc := m.prog.FuncAt(m.pc)
	if fc == nil {
		return rt.OK
	}
	ch := fc.Charge(pc)
	if ch == nil || ch.Late != 0 {
		return rt.OK
	}
	if m.trace != nil {
		m.trace.sync()
	}
	if ch.Steps != 0 {
		if m.trace != nil {
			m.trace.refund(m.pc, int64(ch.Units))
		}
		m.Gas += int64(ch.Units)
		m.pc = uintptr(fc.At(int(ch.Steps)))
		return rt.OK
	}
	f, st := m.GasEvent(loop, ch.Pos)
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

// Free returns what the free initialisation of the standard library used: units of gas, and
// instructions if they are counted.
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
