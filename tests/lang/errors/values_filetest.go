//go:build ignore

package main

import (
	"errors"
	"fmt"
)

var ErrNotFound = errors.New("not found")

type PathError struct {
	Op  string
	Err error
}

func (e *PathError) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *PathError) Unwrap() error { return e.Err }

func open(name string) error {
	if name == "" {
		return &PathError{"open", ErrNotFound}
	}
	return nil
}

func main() {
	err := fmt.Errorf("start: %w", open(""))
	var pe *PathError
	fmt.Println(err, errors.Is(err, ErrNotFound), errors.As(err, &pe), pe.Op, open("x") == nil)
	both := errors.Join(err, errors.New("other"))
	fmt.Println(both, errors.Is(both, ErrNotFound))
}

// Output:
// start: open: not found true true open true
// start: open: not found
// other true
