package rt

import "github.com/gyrvm/gyr/internal/ir"

// Accounts split what a run uses of gas and memory among the tests of a test binary. They
// are for one run. Nothing that the guest does depends on them but by Skip and Limit.
type Accounts struct {
	Skip  map[string]bool // tests that are left out
	Limit int64           // units of gas for each account; 0: no limit

	// List has what belongs to no test first, then the tests in the order in which they
	// began. A test that ran more than once is one account.
	List []Account

	// Over, if not nil, is called when all tests have run, before the program goes on to its end.
	Over func()

	byName  map[string]int
	current int
	// As they were when the current account's turn began.
	gas            int64
	mallocs, bytes uint64
}

// An Account is what one test used, with the goroutines that it started.
type Account struct {
	Name    string // empty: of no test
	Gas     int64  // units
	Mallocs uint64 // objects allocated
	Bytes   uint64 // in them
	Peak    uint64 // the most memory in use while it ran, beyond what was when the program's own initialisation began

	Begun, Ended int
}

// maxAccounts is more than a goroutine's record in the guest can name. What comes
// later belongs to no test.
const maxAccounts = 1 << 16

// open begins to keep accounts: the program's own initialisation comes next.
func (a *Accounts) open(vm *VM) {
	a.List, a.byName, a.current = []Account{{}}, map[string]int{}, 0
	a.mark(vm)
	vm.Heap.TakePeak()
	a.limit(vm)
}

// mark notes the figures of the moment.
func (a *Accounts) mark(vm *VM) {
	s := vm.Heap.Stats()
	a.gas, a.mallocs, a.bytes = vm.Exec.GasUsed(), s.Mallocs, s.TotalAlloc
}

// settle adds what was used since the last time to the current account.
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

// limit lets the current account use what it has left.
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

// Current is the name of the test that runs.
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

// accountHosts are the functions of the host in this file, by their names in ir.Primitives.
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
