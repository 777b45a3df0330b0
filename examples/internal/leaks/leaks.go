// Package leaks finds goroutines that a test of an example leaves running.
package leaks

import (
	"runtime"
	"testing"
	"time"
)

// Check fails the test if more goroutines run at its end than now. The end comes after the cleanups
// that are registered later.
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
