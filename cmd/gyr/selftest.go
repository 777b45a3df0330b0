package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/selftest"
)

// testsNative says that machine code is tested before gyr run uses it unasked: where it is not the default
// of package gyr, although there is some. Nobody has run that code on such a system yet.
var testsNative = gyr.DefaultTier != gyr.TierNative

// selftestTimeout is how long the test may take.
var selftestTimeout = selftest.Timeout

// noNative reports why gyr run does not execute programs as machine code unless it is asked to, nil if it
// does. The result of a test is kept in a cache directory, unless that is empty.
func noNative(ctx context.Context, cache string) error {
	if err := gyr.CheckNative(); err != nil || !testsNative {
		return err
	}
	exe, err := os.Executable()
	if err == nil {
		t := selftest.Test{Command: []string{exe, selftestCmd.name}, Timeout: selftestTimeout, Cache: cache}
		err = t.Run(ctx)
	}
	if err != nil {
		return fmt.Errorf("gyr: no machine code: %w", err)
	}
	return nil
}

// selftestCmd is the command of the process that tests machine code.
var selftestCmd = &command{name: "selftest-worker", run: selftestWorker}

func selftestWorker(c *command, args []string) error {
	var build buildFlags
	fs := c.flags()
	build.register(fs, onRun)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	build.debug.NoBase = embeddedStd == nil // nothing is kept: what the guest needs is compiled sooner than all of it
	ctx := context.Background()
	err := selftest.Child(ctx, func(file string) (*engine.Program, error) { return build.compile(ctx, []string{file}) })
	if errors.Is(err, selftest.ErrUntested) {
		fmt.Fprintf(stderr, "gyr: %s\n", strings.TrimSpace(err.Error()))
		return statusError(selftest.Untested)
	}
	return err
}
