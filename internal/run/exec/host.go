package exec

import (
	"fmt"
	"sync"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/profile"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A hostFunc is a linked host function.
type hostFunc struct {
	fn      rt.Func
	frame   string // in profiles
	args    int
	results []ir.Type
}

const noHost = 1<<32 - 1

// Hosts are the host functions of a module, linked once for all of its machines. The zero value is
// ready to use. It is safe for concurrent use.
type Hosts struct {
	once sync.Once
	hostTable
	err error
}

// A hostTable holds the module's host functions as a machine uses them.
type hostTable struct {
	hosts    []hostFunc
	yields   uint32 // number of the host function that may yield, or noHost
	initFree bool   // the initialisation of the standard library is free: a function starts it
}

// linkHosts finds the module's host functions. All machines share them in shared, unless that is
// nil or the machine has functions of its own.
func (m *Core) linkHosts(shared *Hosts) (err error) {
	if shared == nil || m.VM.OwnHosts() {
		m.hostTable, err = linkHosts(m.VM)
		return err
	}
	shared.once.Do(func() { shared.hostTable, shared.err = linkHosts(m.VM) })
	m.hostTable = shared.hostTable
	return shared.err
}

func linkHosts(vm *rt.VM) (t hostTable, err error) {
	t.yields = noHost
	for i := range vm.Mod.Primitives {
		h := &vm.Mod.Primitives[i]
		fn, info := vm.HostFunc(h.Name), h.Info()
		switch {
		case info.Is(ir.StartsInits):
			t.initFree = true
		case info.Is(ir.Yields):
			t.yields = uint32(i)
		}
		if fn == nil {
			return t, fmt.Errorf("host function %q does not exist", h.Name)
		}
		if h.Sig.Key() != info.Sig {
			return t, fmt.Errorf("host function %q has another signature", h.Name)
		}
		if len(h.Sig.Params) > ir.MaxArgs || len(h.Sig.Results) > ir.MaxArgs {
			return t, fmt.Errorf("host function %q has too many parameters", h.Name)
		}
		t.hosts = append(t.hosts, hostFunc{fn, "[host " + h.Name + "]", len(h.Sig.Params), h.Sig.Results})
	}
	return t, nil
}

// HostArity returns the number of arguments and of results of host function number i.
func (m *Core) HostArity(i uint32) (args, results int) {
	h := &m.hosts[i]
	return h.args, len(h.results)
}

// callsStep is the number of calls between polls. Goroutines that end one after the other use no
// gas.
const callsStep = 1 << 10

// CallHost calls host function number i with the arguments in a, and leaves the results there in
// the form of the IR's values. a may lie anywhere outside guest memory. After [rt.Switch] the tier
// continues with another stack, see Switch, and the results do not count.
func (m *Core) CallHost(i uint32, a *ir.Args) rt.Status {
	h := &m.hosts[i]
	if m.calls++; m.calls%callsStep == 0 {
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	m.results = m.results[:0]
	debt := m.Heap.Debt()
	var back profile.Task
	if m.CPU != nil {
		back = m.CPU.Enter(profile.Runtime, h.frame)
	}
	m.inHost = true
	st := h.fn(m.VM, a)
	m.inHost = false
	if m.CPU != nil {
		m.CPU.Leave(back)
	}
	if st != rt.OK {
		if st == rt.Yield {
			m.yielder = i
		}
		return m.LastLook(st)
	}
	m.called(h, debt, a)
	for i, t := range h.results {
		switch x := a[i]; t {
		case ir.I8:
			a[i] = uint64(int8(x))
		case ir.I16:
			a[i] = uint64(int16(x))
		case ir.I32:
			a[i] = uint64(int32(x))
		case ir.Ptr, ir.F32:
			a[i] = uint64(uint32(x))
		}
	}
	return rt.OK
}

// LastLook finds late charges that no other charge has followed. It fails a run that ends well but
// has used more than its limit.
func (m *Core) LastLook(st rt.Status) rt.Status {
	if (st == rt.Exit || st == rt.Yield) && m.spent() {
		return rt.OutOfGas
	}
	return st
}

// spent reports whether late charges have used more than the limit. If so, that is how the run
// ends.
func (m *Core) spent() bool {
	if !m.Overdrawn() {
		return false
	}
	m.used, m.top = m.limit, m.Gas
	return true
}

// Yield is CallHost for the function that ends runs with [rt.Yield] and resumes at the next one. If
// only numbers cross, it allocates nothing. The run counts as polled.
func (m *Core) Yield(a *ir.Args) rt.Status {
	if m.CPU != nil || !m.VM.NumbersCross() {
		return m.CallHost(m.yields, a)
	}
	if m.Overdrawn() {
		return m.LastLook(rt.Yield)
	}
	return m.VM.NextCall(a)
}

// Yielder returns the number of the host function that left the run with rt.Yield. usual reports
// whether it is the one that Yield calls.
func (m *Core) Yielder() (i uint32, usual bool) { return m.yielder, m.yielder == m.yields }

// InHost reports whether a host function is running. Its faults are not the guest's.
func (m *Core) InHost() bool { return m.inHost }
