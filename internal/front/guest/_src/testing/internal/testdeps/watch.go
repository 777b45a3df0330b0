package testdeps

import (
	"testing"
	_ "unsafe" // for go:linkname
)

// The host of a test binary is told which tests begin and end: it accounts for what each
// uses, and when one takes the binary down it starts another that leaves out what has run.

func wantTest(name string) bool
func beginTest(name string) (token uintptr)
func endTest(token uintptr)
func testsOver()

// The functions that stand around a test are in no traceback (lower.isTransparent).

// Tests are the tests that are to run.
func Tests(list []testing.InternalTest) []testing.InternalTest {
	return watch(list, func(t *testing.InternalTest) string {
		name, f := t.Name, t.F
		t.F = func(t *testing.T) {
			defer endTest(beginTest(name))
			f(t)
		}
		return name
	})
}

// FuzzTargets are the fuzz targets that are to run.
func FuzzTargets(list []testing.InternalFuzzTarget) []testing.InternalFuzzTarget {
	return watch(list, func(t *testing.InternalFuzzTarget) string {
		name, f := t.Name, t.Fn
		t.Fn = func(t *testing.F) {
			defer endTest(beginTest(name))
			fuzzTarget(t, f)
		}
		return name
	})
}

// Examples are the examples that are to run.
func Examples(list []testing.InternalExample) []testing.InternalExample {
	return watch(list, func(t *testing.InternalExample) string {
		name, f := t.Name, t.F
		t.F = func() {
			defer endTest(beginTest(name))
			f()
		}
		return name
	})
}

// watch returns the elements of list that are to run. wrap puts the host's watch around
// one and returns its name.
func watch[T any](list []T, wrap func(*T) string) []T {
	var wanted []T
	for i := range list {
		if wantTest(wrap(&list[i])) {
			wanted = append(wanted, list[i])
		}
	}
	return wanted
}
