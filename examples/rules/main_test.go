package main

import (
	"testing"

	"github.com/gyrvm/gyr/examples/internal/leaks"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// TestLeaks: the example leaves no goroutine running.
func TestLeaks(t *testing.T) {
	leaks.Check(t)
	if err := run("discount"); err != nil {
		t.Error(err)
	}
	if err := run("nowhere"); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// The example prints its documented output.
func Example() {
	if err := run("discount"); err != nil {
		panic(err)
	}
	// Output:
	// ada: 0.00 off
	// bob: 11.20 off
	// eve: refused: the order of eve is empty
}
