// Package selftest tries machine code in a process of its own, before a command trusts it on systems
// on which its developers have never run it.
//
// A Test is the parent's side: it runs the child and keeps the result in the cache. Child is the other
// side (child.go): a guest (guest.go.txt) must end in machine code as it does in the interpreter.
package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// Timeout is how long a child may take. It takes less than a second.
const Timeout = 10 * time.Second

// Untested is the exit status of a child that could not test.
const Untested = 75

// A Test is a child, and where its result is kept.
type Test struct {
	Command []string      // the child. It passes with status 0
	Timeout time.Duration // after which it has failed
	Cache   string        // a directory of package cache; empty: the result is not kept
}

// Run reports why the child has not passed, nil if it has. It runs the child unless the cache has a result
// for this build of gyr on this system and this kernel. A cache that cannot be used counts as empty.
func (t *Test) Run(ctx context.Context) error {
	dir, name := t.place()
	if dir != nil {
		if kept, err := dir.Get(name); err == nil && kept != nil {
			return verdict(kept)
		}
	}
	result, err := t.child(ctx)
	if err != nil {
		return err
	}
	if dir != nil {
		_ = dir.Put(name, result) // the next start tests again
	}
	return verdict(result)
}

// place returns where the result is kept, or nil if it cannot be.
func (t *Test) place() (*cache.Dir, cache.Name) {
	engine, err := cache.EngineID()
	if t.Cache == "" || err != nil {
		return nil, cache.Name{}
	}
	dir, err := cache.Open(t.Cache)
	if err != nil {
		return nil, cache.Name{}
	}
	return dir, cache.NameOf([]string{"selftest", engine, runtime.GOOS, runtime.GOARCH, kernelRelease()})
}

const passed = "passed"

// verdict is the error of a result: what passed, or the reason.
func verdict(result []byte) error {
	if string(result) == passed {
		return nil
	}
	return fmt.Errorf("its test in another process has failed: %s; gyr clean makes the next start try again", result)
}

// child runs the child and returns its result. An error means that there is none.
func (t *Test) child(ctx context.Context) ([]byte, error) {
	p := process.Process{Path: t.Command[0], Args: t.Command[1:], Timeout: t.Timeout}
	out, err := p.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("its test did not run: %w", err)
	}
	// Standard error begins with the error, of this command or of Go's runtime.
	first, _, _ := strings.Cut(string(bytes.TrimSpace(out.Stderr)), "\n")
	first = printable.Line(strings.TrimPrefix(first, "gyr: "))
	if out.Exit == Untested {
		return nil, errors.New("its test did not run: " + first)
	}
	if err := out.Err(); err != nil {
		return fmt.Appendf(nil, "%v: %.200s", err, first), nil
	}
	return []byte(passed), nil
}
