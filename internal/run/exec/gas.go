package exec

import (
	"cmp"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// The gas account of a run. It alone says what has been used and what is left: package rt asks for it (GasUsed, GasLeft,
// GasLimit, Overdrawn), and changes it (Spend, LimitGas, AddGas).
//
// Three things end what the register may count down: the gas limit, the host's
// slice and the goroutine's quantum. A plain charge watches for the first two, a
// loop charge for all three. The register holds
//
//	Gas = min(limit, slice, quantum) - used
//
// and is below 0 when one of the three is reached; plain charges compare with
//
//	Plim = min(all) - min(limit, slice)
//
// instead, so after the quantum is due they cost nothing extra.
//
// A fourth, taken at loop charges too, empties every sync.Pool at fixed intervals
// of gas: a figure of the program alone, unlike the collections that the use of
// memory brings about.
//
// The quantum counts from where the goroutine's turn began, by a switch of stacks or
// on the stack of one that ended (SetG), or from the last quantum at which nobody
// waited, so preempt is called at the first loop header where exactly known gas
// reaches it: the schedule does not depend on the slice, whose size follows the clock.

type gasState struct {
	allow     int64 // the limit of the instance, without free units; noLimit: it has none
	freeUnits int64 // units used before the program's own initialisation; noLimit until then
	limit     int64 // units in all, the free ones included
	burned    int64 // used by what was rolled back: a figure for the host, which decides nothing
	stopped   bool  // the figure stays
	final     int64 // what was used by then
	used      int64 // when Gas was top
	top       int64
	sliceEnd  int64 // used figure at which the host wants to look
	slice     int64
	steady    bool          // it stays what it is
	lastPoll  time.Duration // since start; 0: unknown, reading the clock takes longer than a short call of the host's

	quantum int64
	qstart  int64 // used figure from which the quantum counts
	others  uint32
	preempt int32 // function index, 0: goroutines are not preempted

	emptyPools int32 // function index
	dropPools  int32 // function index
	crowded    bool  // dropPools is due at the next loop charge
	poolAt     int64 // used figure at which it is called
	interval   int64
}

// noLimit is more gas than any run can use; charges of more than that fail.
const noLimit = 1 << 61

const (
	sliceTime = 100 * time.Microsecond
	minSlice  = 1 << 10
	maxSlice  = 1 << 15 // what comes next may be slower by the unit: a page fault costs a microsecond
	idleSlice = 1 << 18 // where units are charged for work that ends early, such as searching
)

func (m *Core) initGas(c Options) {
	m.freeUnits, m.burned, m.stopped, m.crowded = 0, 0, false, false
	m.allow = noLimit
	if n := m.VM.Config.Gas; n > 0 {
		m.allow = min(n, noLimit)
	}
	m.limit = m.allow
	if m.initFree {
		m.freeUnits, m.limit = noLimit, initAllowance
	}
	m.slice = 1 << 14
	m.sliceEnd, m.steady = m.slice, c.Steady
	m.quantum = cmp.Or(c.Quantum, gas.Quantum)
	m.others = m.VM.Mod.Vars[rt.OthersFlag]
	if f := m.VM.Mod.Runtime["preempt"]; f != nil {
		m.preempt = f.Index
	}
	m.poolAt = 2 * noLimit
	if f := m.VM.Mod.Runtime["emptypools"]; f != nil {
		m.emptyPools, m.interval = f.Index, cmp.Or(c.PoolInterval, gas.PoolInterval)
		if !m.initFree {
			m.poolAt = m.interval
		}
	}
	if f := m.VM.Mod.Runtime["droppools"]; f != nil {
		m.dropPools = f.Index
	}
	m.lastPoll = time.Since(start)
}

// DropPools implements rt.Exec.
func (m *Core) DropPools() {
	if m.dropPools != 0 && m.freeUnits != noLimit {
		m.crowded = true
		m.SetGas()
	}
}

// GasLimit implements rt.Exec.
func (m *Core) GasLimit() int64 {
	if m.allow == noLimit {
		return 0
	}
	return m.allow
}

// AddGas implements rt.Exec.
func (m *Core) AddGas(n int64) {
	if m.allow != noLimit {
		m.allow += min(n, noLimit-1-m.allow) // a limit stays one
		m.LimitGas(noLimit)
	}
}

// Burn says that n more units were used by what was rolled back: they count in GasUsed, and neither the limit nor the program knows
// of them.
func (m *Core) Burn(n int64) { m.burned += n }

// initAllowance is what the initialisation of the standard library may use: a
// hundred times what all of it takes. Which packages are of the standard library
// a portable image only claims, so it is all that one can have for nothing.
const initAllowance = 1 << 26

// FreeEnds implements rt.Exec. The goroutine's quantum begins anew.
func (m *Core) FreeEnds() {
	m.freeUnits = m.UsedUnits()
	m.limit = min(noLimit, m.freeUnits+m.allow)
	m.qstart = m.freeUnits
	if m.emptyPools != 0 {
		m.poolAt = m.freeUnits + m.interval
	}
	m.SetGas()
}

// Spend implements rt.Exec. The register may be below 0 behind it: the next charge that asks finds out.
func (m *Core) Spend(n int64) { m.Gas -= min(n, noLimit>>8) }

// LimitGas implements rt.Exec.
func (m *Core) LimitGas(n int64) (tighter bool) {
	tighter = m.allow == noLimit || n < m.allow-m.Elapsed()
	if m.stopped || m.freeUnits == noLimit {
		return tighter // what is left is the report's, or what is free
	}
	m.limit = min(noLimit, m.freeUnits+m.allow, m.UsedUnits()+min(noLimit, max(0, n)))
	m.SetGas()
	return tighter
}

// FreeUnits returns what the free initialisation of the standard library used so
// far, in units of gas, and whether it is over.
func (m *Core) FreeUnits() (units int64, over bool) {
	if m.freeUnits == noLimit {
		return m.UsedUnits(), false
	}
	return m.freeUnits, true
}

// reportAllowance is what the report of a program's end may use. It is free, and enough for a deadlock of 100,000 goroutines.
const reportAllowance = 1 << 28

// StopGas implements rt.Exec.
func (m *Core) StopGas() {
	m.final = m.Elapsed()
	m.stopped = true
	m.limit = m.UsedUnits() + reportAllowance
	m.SetGas()
}

// UsedUnits returns the gas used so far, with what is free.
func (m *Core) UsedUnits() int64 { return m.UsedAt(m.Gas) }

// UsedAt is UsedUnits for another content of the register.
func (m *Core) UsedAt(gas int64) int64 { return m.used + (m.top - gas) }

// GasLeft implements rt.Exec.
func (m *Core) GasLeft() int64 { return max(0, m.limit-m.UsedUnits()) }

// Overdrawn implements rt.Exec.
func (m *Core) Overdrawn() bool { return m.UsedUnits() > m.limit }

// GasUsed implements rt.Exec.
func (m *Core) GasUsed() int64 {
	return m.Elapsed() + m.burned
}

// Elapsed implements rt.Exec.
func (m *Core) Elapsed() int64 {
	if m.stopped {
		return m.final
	}
	return max(0, m.UsedUnits()-m.freeUnits)
}

// SyncGas moves what the register counted into the account.
func (m *Core) SyncGas() {
	m.used = m.UsedUnits()
	m.top = m.Gas
}

// SetGas sets the registers for the next event.
func (m *Core) SetGas() {
	used := m.UsedUnits()
	plain := min(m.limit, m.sliceEnd) - used
	all := plain
	if m.preempt != 0 {
		all = min(all, m.qstart+m.quantum-1-used)
	}
	all = min(all, m.poolAt-1-used)
	if m.crowded {
		all = min(all, -1)
	}
	m.used, m.top, m.Gas = used, all, all
	m.Plim = all - plain
}

// startQuantum begins the quantum of a goroutine whose turn it is.
func (m *Core) startQuantum() {
	m.qstart = m.UsedUnits()
	m.SetGas()
}

// GasEvent is called after a charge that made the register run out: a loop
// charge, or a plain one. pos is the charge's position. When it returns OK, the
// guest goes on, after a call of function number call if that is not 0.
//
// A charge that stands for several must not have failed: the tier gives it
// back and makes them one by one.
func (m *Core) GasEvent(loop bool, pos ir.Pos) (call int32, st rt.Status) {
	used := m.UsedUnits()
	if used > m.limit {
		m.outOfGas(pos)
		return 0, rt.OutOfGas
	}
	if used >= m.sliceEnd {
		if st := m.poll(used); st != rt.OK {
			return 0, st
		}
	}
	// A quantum that is due now ends at the next loop charge.
	if loop && m.crowded {
		m.crowded = false
		m.SetGas()
		return m.dropPools, rt.OK
	}
	if loop && used >= m.poolAt {
		m.poolAt += (used-m.poolAt)/m.interval*m.interval + m.interval
		m.SetGas()
		return m.emptyPools, rt.OK
	}
	if loop && m.preempt != 0 && used-m.qstart >= m.quantum {
		m.qstart = used
		m.SetGas()
		if m.others == 0 || *(*uint32)(unsafe.Add(m.Base, m.others)) != 0 {
			return m.preempt, rt.OK
		}
		return 0, rt.OK
	}
	m.SetGas()
	return 0, rt.OK
}

// outOfGas notes where gas ran out. What is used is never more than the limit.
func (m *Core) outOfGas(pos ir.Pos) {
	m.used, m.top = m.limit, m.Gas
	m.herePos = pos
}

// start is when polls count their time from.
var start = time.Now()

// poll looks whether the run has to end, and adapts the slice so that it lasts
// about sliceTime.
func (m *Core) poll(used int64) rt.Status {
	now := time.Since(start)
	took := now - m.lastPoll
	switch {
	case m.lastPoll == 0, m.steady:
	case took < sliceTime/16:
		m.slice = min(m.slice+m.slice/2, idleSlice)
	case took < sliceTime*3/4:
		m.slice = max(m.slice, min(m.slice+m.slice/2, maxSlice))
	case took > sliceTime*3/2:
		m.slice = max(m.slice/2, minSlice)
	}
	m.lastPoll = now
	m.sliceEnd = used + m.slice
	return m.VM.Poll()
}

// SetSlice makes the next poll come after n more units, for tests.
func (m *Core) SetSlice(n int64) { m.slice, m.sliceEnd = n, m.UsedUnits()+n }
