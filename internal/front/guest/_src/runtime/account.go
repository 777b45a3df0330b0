package runtime

import "unsafe"

// Accounts. The host of a test binary wants to know what each test used of gas and
// memory. A goroutine belongs to the account of the test that started it, directly or
// through others, and the host is told whenever one of another account goes on. Account 0
// is what belongs to no test. Whether anybody keeps accounts changes nothing here.

//go:linkname wanttest testing/internal/testdeps.wantTest
func wanttest(name string) bool { return host_wanttest(unsafe.StringData(name), len(name)) != 0 }

// begintest lets the current goroutine work for the named test. What it returns is for
// endtest.
//
//go:linkname begintest testing/internal/testdeps.beginTest
func begintest(name string) uintptr {
	gp := getg()
	before := gp.account
	gp.account = uint16(host_begintest(unsafe.StringData(name), len(name)))
	sched.account = gp.account
	return uintptr(before)<<16 | uintptr(gp.account)
}

//go:linkname endtest testing/internal/testdeps.endTest
func endtest(token uintptr) {
	host_endtest(token & 0xffff)
	getg().account = uint16(token >> 16)
	bill(getg())
}

//go:linkname testsover testing/internal/testdeps.testsOver
func testsover() { host_testsover() }

// bill tells the host for whom gp works, which is about to go on.
func bill(gp *g) {
	if gp.account != sched.account {
		sched.account = gp.account
		host_account(uintptr(gp.account))
	}
}
