package interp

import (
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/rt"
)

// Gas.
//
// Three things end what the register may count down: the gas limit, the host's
// slice and the goroutine's quantum. A plain charge watches for the first two, a
// loop charge for all three. The register holds
//
//	gas = min(limit, slice, quantum) - used
//
// and is below 0 when one of the three is reached; plain charges compare with
//
//	plim = min(all) - min(limit, slice)
//
// instead, so after the quantum is due they cost nothing extra.
//
// A fourth, taken at loop charges too, empties every sync.Pool at fixed intervals
// of gas: a figure of the program alone, unlike the collections that the use of
// memory brings about.
//
// The quantum counts from the last switch of stacks or from the last quantum at
// which nobody waited (or from QuantumStart), so preempt is called at the
// first loop header where exactly known gas reaches it: the schedule does
// not depend on the slice, whose size follows the clock.

type gasState struct {
	freeUnits        int64 // units used before the program's own initialisation; noLimit until then
	freeInstructions uint64
	limit            int64 // units in all, the free ones included
	stopped          bool  // the figure stays
	final            int64 // what was used by then
	used             int64 // when gas was top
	top              int64
	sliceEnd         int64 // used figure at which the host wants to look
	slice            int64
	lastPoll         time.Time

	quantum int64
	qstart  int64 // used figure from which the quantum counts
	others  uint32
	preempt int32 // function index, 0: goroutines are not preempted

	emptyPools int32 // function index
	poolAt     int64 // used figure at which it is called
	interval   int64
}

// noLimit is more gas than any run can use; charges of more than that fail.
const noLimit = 1 << 61

const (
	sliceTime = 100 * time.Microsecond
	minSlice  = 1 << 10
	maxSlice  = 1 << 26
)

func (m *Machine) initGas(c Config) {
	m.freeUnits, m.stopped = 0, false
	m.limit = m.configLimit()
	if m.initFree {
		m.freeUnits, m.limit = noLimit, initAllowance
	}
	m.slice = 1 << 14
	m.sliceEnd = m.slice
	m.quantum = c.Quantum
	if m.quantum <= 0 {
		m.quantum = DefaultQuantum
	}
	m.others = c.OthersAddr
	if f := m.vm.Mod.Runtime["preempt"]; f != nil {
		m.preempt = f.Index
	}
	m.poolAt = 2 * noLimit
	if f := m.vm.Mod.Runtime["emptypools"]; f != nil && c.PoolInterval > 0 {
		m.emptyPools, m.interval = f.Index, c.PoolInterval
		if !m.initFree {
			m.poolAt = m.interval
		}
	}
	m.lastPoll = time.Now()
}

func (m *Machine) configLimit() int64 {
	if n := m.vm.Config.Gas; n > 0 && n < noLimit {
		return n
	}
	return noLimit
}

// initAllowance is what the initialisation of the standard library may use: a
// hundred times what all of it takes. Which packages are of the standard library
// a portable image only claims, so it is all that one can have for nothing.
const initAllowance = 1 << 26

// FreeEnds implements rt.Exec. The goroutine's quantum begins anew.
func (m *Machine) FreeEnds() {
	m.freeUnits = m.usedUnits()
	m.freeInstructions = m.Instructions()
	m.limit = min(noLimit, m.freeUnits+m.configLimit())
	m.qstart = m.freeUnits
	if m.emptyPools != 0 {
		m.poolAt = m.freeUnits + m.interval
	}
	m.setGas()
	if m.trace != nil {
		m.trace.restart()
	}
}

// Free returns what the free initialisation of the standard library used: units
// of gas, and instructions if they are counted.
func (m *Machine) Free() (units int64, instructions uint64) {
	if m.freeUnits == noLimit {
		return m.usedUnits(), m.Instructions()
	}
	return m.freeUnits, m.freeInstructions
}

// reportAllowance is what the report of a program's end may use.
const reportAllowance = 1 << 30

// StopGas implements rt.Exec.
func (m *Machine) StopGas() {
	m.final = m.GasUsed()
	m.stopped = true
	if m.trace != nil {
		m.trace.stopped = true
	}
	m.limit = m.usedUnits() + reportAllowance
	m.setGas()
}

// usedUnits returns the gas used so far, with what is free.
func (m *Machine) usedUnits() int64 { return m.used + (m.top - m.gas) }

// GasUsed returns the gas used so far that counts.
func (m *Machine) GasUsed() int64 {
	if m.stopped {
		return m.final
	}
	return max(0, m.usedUnits()-m.freeUnits)
}

// syncGas moves what the register counted into used.
func (m *Machine) syncGas() {
	m.used = m.usedUnits()
	m.top = m.gas
}

// setGas sets the register for the next event.
func (m *Machine) setGas() {
	used := m.usedUnits()
	plain := min(m.limit, m.sliceEnd) - used
	all := plain
	if m.preempt != 0 {
		all = min(all, m.qstart+m.quantum-1-used)
	}
	all = min(all, m.poolAt-1-used)
	m.used, m.top, m.gas = used, all, all
	m.plim = all - plain
}

// QuantumStart restarts the goroutine's quantum, for host functions that make
// another goroutine runnable.
func (m *Machine) QuantumStart() {
	m.qstart = m.usedUnits()
	m.setGas()
}

// gasEvent is called after a charge that made the register run out. m.pc is
// where execution goes on.
func (m *Machine) gasEvent(loop bool) rt.Status {
	fc, pc := m.prog.FuncAt(m.pc)
	if fc == nil {
		return m.fail("gas", rt.ErrCorrupt)
	}
	ch := fc.Charge(pc)
	if m.trace != nil {
		m.trace.sync()
	}
	if ch != nil && ch.Steps != 0 {
		if m.trace != nil {
			m.trace.refund(m.pc, int64(ch.Units))
		}
		m.gas += int64(ch.Units)
		m.pc = uintptr(fc.At(int(ch.Steps)))
		return rt.OK
	}
	used := m.usedUnits()
	if used > m.limit {
		m.used, m.top = m.limit, m.gas // what is used is never more than the limit
		if ch != nil {
			m.herePos = ch.Pos
		}
		return rt.OutOfGas
	}
	if used >= m.sliceEnd {
		if st := m.poll(used); st != rt.OK {
			return st
		}
	}
	if loop && used >= m.poolAt {
		// A quantum that is due now ends at the next loop charge.
		m.poolAt += (used-m.poolAt)/m.interval*m.interval + m.interval
		m.setGas()
		return m.call(m.emptyPools, fc.Slots)
	}
	if loop && m.preempt != 0 && used-m.qstart >= m.quantum {
		m.qstart = used
		m.setGas()
		if m.others == 0 || *(*uint32)(unsafe.Add(m.base, m.others)) != 0 {
			return m.call(m.preempt, fc.Slots)
		}
		return rt.OK
	}
	m.setGas()
	return rt.OK
}

// poll looks whether the run has to end, and adapts the slice so that it lasts
// about sliceTime.
func (m *Machine) poll(used int64) rt.Status {
	now := time.Now()
	took := now.Sub(m.lastPoll)
	m.lastPoll = now
	switch {
	case took < sliceTime*3/4:
		m.slice = min(m.slice+m.slice/2, maxSlice)
	case took > sliceTime*3/2:
		m.slice = max(m.slice/2, minSlice)
	}
	m.sliceEnd = used + m.slice
	return m.vm.Poll()
}
