package exec

import (
	"cmp"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// The gas account of a run. No other place knows what has been used and what is left: package rt
// reads it (GasUsed, GasLeft, GasLimit, Overdrawn) and changes it (Spend, LimitGas, AddGas).
//
// Three things bound how far the register may count down: the gas limit, the host's slice and the
// goroutine's quantum. A plain charge watches for the first two, a loop charge for all three. The
// register holds
//
//	Gas = min(limit, slice, quantum) - used
//
// and falls below 0 when one of the three is reached. Plain charges compare it with
//
//	Plim = min(all) - min(limit, slice)
//
// instead, so after the quantum is due they cost nothing extra.
//
// A fourth event empties every sync.Pool at fixed intervals of gas, also at loop charges. It
// depends on the program alone, unlike the collections that the use of memory causes.
//
// The quantum counts from the start of the goroutine's turn: a switch of stacks, or SetG on the
// stack of a goroutine that ended. If nobody waited at the last quantum, it counts from there. So
// preempt is called at the first loop header where exactly known gas reaches the quantum. The
// schedule does not depend on the slice, whose size follows the clock.

type gasState struct {
	allow     int64 // the limit of the instance, without free units; noLimit: none
	freeUnits int64 // units used before the program's own initialisation; noLimit until then
	limit     int64 // total units, with the free ones
	burned    int64 // used by what was rolled back: a figure for the host that decides nothing
	stopped   bool  // the figure is final
	final     int64 // the final figure
	used      int64 // when Gas was top
	top       int64
	sliceEnd  int64 // used figure at which the host wants to look
	slice     int64
	steady    bool          // the slice keeps its size
	lastPoll  time.Duration // since start; 0: unknown, reading the clock takes longer than a short host call

	quantum int64
	qstart  int64 // used figure from which the quantum counts
	others  uint32
	preempt int32 // function index, 0: goroutines are not preempted

	emptyPools int32 // function index
	dropPools  int32 // function index
	crowded    bool  // call dropPools at the next loop charge
	poolAt     int64 // used figure at which emptyPools is called
	interval   int64
}

// noLimit is more gas than any run can use. Larger charges fail.
const noLimit = 1 << 61

const (
	sliceTime = 100 * time.Microsecond
	minSlice  = 1 << 10
	maxSlice  = 1 << 15 // the next units may be slower: a page fault costs a microsecond
	idleSlice = 1 << 18 // for work that is charged in full and ends early, such as searching
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
		m.allow += min(n, noLimit-1-m.allow) // a limit never becomes noLimit
		m.LimitGas(noLimit)
	}
}

// Burn adds n units that were used by what was rolled back. They count in GasUsed; the limit and
// the program do not see them.
func (m *Core) Burn(n int64) { m.burned += n }

// initAllowance is the most that the initialisation of the standard library may use: a hundred
// times what all of it takes. A portable image only claims which packages are of the standard
// library, so this bounds what it can get for free.
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

// Spend implements rt.Exec. The register may be below 0 afterwards: the next charge notices.
func (m *Core) Spend(n int64) { m.Gas -= min(n, noLimit>>8) }

// SpendOutside implements rt.Exec.
func (m *Core) SpendOutside(n int64) {
	m.Spend(n)
	m.qstart += min(n, noLimit>>8)
	m.SetGas()
}

// LimitGas implements rt.Exec.
func (m *Core) LimitGas(n int64) (tighter bool) {
	tighter = m.allow == noLimit || n < m.allow-m.Elapsed()
	if m.stopped || m.freeUnits == noLimit {
		return tighter // the remaining gas is the report's, or free
	}
	m.limit = min(noLimit, m.freeUnits+m.allow, m.UsedUnits()+min(noLimit, max(0, n)))
	m.SetGas()
	return tighter
}

// FreeUnits returns the units of gas that the free initialisation of the standard library has used
// so far, and whether it is over.
func (m *Core) FreeUnits() (units int64, over bool) {
	if m.freeUnits == noLimit {
		return m.UsedUnits(), false
	}
	return m.freeUnits, true
}

// reportAllowance is the most that the report of a program's end may use. The report is free, and
// the allowance is enough for a deadlock of 100,000 goroutines.
const reportAllowance = 1 << 28

// StopGas implements rt.Exec.
func (m *Core) StopGas() {
	m.final = m.Elapsed()
	m.stopped = true
	m.limit = m.UsedUnits() + reportAllowance
	m.SetGas()
}

// UsedUnits returns the gas used so far, the free units included.
func (m *Core) UsedUnits() int64 { return m.UsedAt(m.Gas) }

// UsedAt is UsedUnits for another value of the register.
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

// startQuantum begins the quantum of the goroutine whose turn starts.
func (m *Core) startQuantum() {
	m.qstart = m.UsedUnits()
	m.SetGas()
}

// GasEvent is called after a loop charge or a plain charge that made the register run out. pos is
// the charge's position. If the result is OK, the guest resumes, after a call of function number
// call if that is not 0.
//
// A charge that combines several must not come here: the tier takes it back and makes its parts one
// by one.
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

// outOfGas records where gas ran out. The use never exceeds the limit.
func (m *Core) outOfGas(pos ir.Pos) {
	m.used, m.top = m.limit, m.Gas
	m.herePos = pos
}

// start is the time from which polls count.
var start = time.Now()

// poll checks whether the run has to end. It adapts the slice to last about sliceTime.
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

// SetSlice makes the next poll come after n more units. It is for tests.
func (m *Core) SetSlice(n int64) { m.slice, m.sliceEnd = n, m.UsedUnits()+n }
