// Package leaks looks for goroutines that a test of an example leaves behind.
package leaks

import (
	"runtime"
	"testing"
	"time"
)

// Check fails the test if at its end, after the cleanups that are registered later, more goroutines run than now.
func Check(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 500 { // some end a moment later
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
}
