package testdeps

import (
	"os"
	"strings"
	"testing"
)

// Watching tells gyr test which tests begin and end, so that it knows what is left when
// one takes the binary down, and begins again behind it. It is asked for by arguments that
// nobody else sees:
//
//	-gyr.watch=FILE   append a line to FILE when a test, example or fuzz target begins and ends
//	-gyr.done=A,B     leave these out
var watching struct {
	file *os.File
	done map[string]bool
}

func init() {
	var args []string
	for _, a := range os.Args {
		if name, ok := strings.CutPrefix(a, "-gyr.watch="); ok {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
			if err != nil {
				panic("gyr test: " + err.Error())
			}
			watching.file = f
			continue
		}
		if names, ok := strings.CutPrefix(a, "-gyr.done="); ok {
			watching.done = map[string]bool{}
			for name := range strings.SplitSeq(names, ",") {
				watching.done[name] = true
			}
			continue
		}
		args = append(args, a)
	}
	if len(args) < len(os.Args) {
		os.Args = args
	}
}

// note writes a line.
func note(event, name string) { watching.file.WriteString(event + " " + name + "\n") }

// The functions that stand around a test are in no traceback (lower.transparent).

// Tests are the tests that are to run.
func Tests(list []testing.InternalTest) []testing.InternalTest {
	if watching.file == nil {
		return list
	}
	var left []testing.InternalTest
	for _, t := range list {
		if !watching.done[t.Name] {
			name, f := t.Name, t.F
			t.F = func(t *testing.T) {
				note("begin", name)
				defer note("end", name)
				f(t)
			}
			left = append(left, t)
		}
	}
	return left
}

// FuzzTargets are the fuzz targets that are to run.
func FuzzTargets(list []testing.InternalFuzzTarget) []testing.InternalFuzzTarget {
	if watching.file == nil {
		return list
	}
	var left []testing.InternalFuzzTarget
	for _, t := range list {
		if !watching.done[t.Name] {
			name, f := t.Name, t.Fn
			t.Fn = func(t *testing.F) {
				note("begin", name)
				defer note("end", name)
				f(t)
			}
			left = append(left, t)
		}
	}
	return left
}

// Examples are the examples that are to run.
func Examples(list []testing.InternalExample) []testing.InternalExample {
	if watching.file == nil {
		return list
	}
	var left []testing.InternalExample
	for _, t := range list {
		if !watching.done[t.Name] {
			name, f := t.Name, t.F
			t.F = func() {
				note("begin", name)
				defer note("end", name)
				f()
			}
			left = append(left, t)
		}
	}
	return left
}
