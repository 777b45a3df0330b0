package rt

import "github.com/gyrvm/gyr/internal/ir"

// Accounts split the gas and memory of a run among the tests of a test binary. They are for one
// run. Only Skip and Limit affect the guest.
type Accounts struct {
	Skip  map[string]bool // tests that are left out
	Limit int64           // units of gas for each account; 0: no limit

	// List has the account of no test first, then the tests in the order in which they began. A
	// test that ran more than once has one account.
	List []Account

	// Refused, if not nil, is called with each hint and the test that was running.
	Refused func(test string, h Hint)

	// Over, if not nil, is called when all tests have run, before the program ends.
	Over func()

	byName  map[string]int
	current int
	// The figures when the current account's turn began.
	gas            int64
	mallocs, bytes uint64
}

// An Account is what one test and the goroutines that it started used.
type Account struct {
	Name    string // empty: no test
	Gas     int64  // units
	Mallocs uint64 // objects allocated
	Bytes   uint64 // bytes of these objects
	Peak    uint64 // most memory in use while it ran, beyond that at the start of the program's own initialisation

	Begun, Ended int
}

// maxAccounts is more than a goroutine's record in the guest can name. Further tests count in the
// account of no test.
const maxAccounts = 1 << 16

// open starts the accounts. The program's own initialisation comes next.
func (a *Accounts) open(vm *VM) {
	a.List, a.byName, a.current = []Account{{}}, map[string]int{}, 0
	a.mark(vm)
	vm.Heap.TakePeak()
	a.limit(vm)
}

// mark records the current figures.
func (a *Accounts) mark(vm *VM) {
	s := vm.Heap.Stats()
	a.gas, a.mallocs, a.bytes = vm.Exec.GasUsed(), s.Mallocs, s.TotalAlloc
}

// settle adds the use since the last mark to the current account.
func (a *Accounts) settle(vm *VM) {
	if a.List == nil {
		return
	}
	gas, mallocs, bytes := a.gas, a.mallocs, a.bytes
	a.mark(vm)
	c := &a.List[a.current]
	c.Gas += a.gas - gas
	c.Mallocs += a.mallocs - mallocs
	c.Bytes += a.bytes - bytes
	peak := vm.Heap.TakePeak()
	c.Peak = max(c.Peak, peak-min(peak, vm.Began.InUse))
}

// turn makes account n the current one.
func (a *Accounts) turn(vm *VM, n int) {
	a.settle(vm)
	a.current = n
	a.limit(vm)
}

// limit lets the current account use its remaining gas.
func (a *Accounts) limit(vm *VM) {
	if a.Limit > 0 {
		vm.Exec.LimitGas(a.Limit - a.List[a.current].Gas)
	}
}

// number returns the number of the account with a name.
func (a *Accounts) number(name string) int {
	n, ok := a.byName[name]
	if !ok && len(a.List) < maxAccounts {
		n = len(a.List)
		a.byName[name] = n
		a.List = append(a.List, Account{Name: name})
	}
	return n
}

// Current returns the name of the current test.
func (a *Accounts) Current() string {
	if a.List == nil {
		return ""
	}
	return a.List[a.current].Name
}

// testName reads the name of a test.
func (vm *VM) testName(fn string, a *ir.Args) (string, Status) {
	p, ok := vm.bytes(a[0], a[1])
	if !ok {
		return "", vm.badAddress(fn, a[0], a[1])
	}
	return string(p), OK
}

// accountHosts are the host functions in this file, by their names in ir.Primitives.
var accountHosts = map[string]Func{
	"wanttest":  hostWanttest,
	"begintest": hostBegintest,
	"endtest":   hostEndtest,
	"account":   hostAccount,
	"testsover": hostTestsover,
}

func hostWanttest(vm *VM, a *ir.Args) Status {
	name, st := vm.testName("wanttest", a)
	a[0] = 1
	if acc := vm.Config.Accounts; acc != nil && acc.Skip[name] {
		a[0] = 0
	}
	return st
}

func hostBegintest(vm *VM, a *ir.Args) Status {
	name, st := vm.testName("begintest", a)
	acc := vm.Config.Accounts
	a[0] = 0
	if st != OK || acc == nil || acc.List == nil {
		return st
	}
	n := acc.number(name)
	acc.List[n].Begun++
	acc.turn(vm, n)
	a[0] = uint64(n)
	return OK
}

func hostEndtest(vm *VM, a *ir.Args) Status {
	if acc := vm.Config.Accounts; acc != nil && a[0] < uint64(len(acc.List)) {
		acc.List[a[0]].Ended++
	}
	return OK
}

func hostTestsover(vm *VM, a *ir.Args) Status {
	if acc := vm.Config.Accounts; acc != nil && acc.Over != nil {
		acc.Over()
	}
	return OK
}

func hostAccount(vm *VM, a *ir.Args) Status {
	if acc := vm.Config.Accounts; acc != nil && a[0] < uint64(len(acc.List)) {
		acc.turn(vm, int(a[0]))
	}
	return OK
}
