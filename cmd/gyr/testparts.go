package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gyrvm/gyr/internal/tools/testevents"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// A suite is what gyr test writes of a whole run, or of a part of one: nil without -junit.
type suite struct {
	testevents.Writer
	file *os.File
}

// suite sets what the options say about parts of a suite and about their outcomes.
func (t *testFlags) suite(o *testrun.Options) (*suite, error) {
	if *t.shard != "" {
		var err error
		if o.Shard, err = testrun.ParseShard(*t.shard); err != nil {
			return nil, usageError{"test: " + err.Error()}
		}
		if *t.shardTimes != "" {
			r, err := readOutcome(*t.shardTimes)
			if err != nil {
				return nil, testFailed(fmt.Errorf("-shard-times: %w", err))
			}
			o.Shard.Times = r.Times()
		}
		if *t.jsonOut {
			fmt.Fprintf(o.Stdout, "{\"Action\":%q,\"Output\":%q}\n", testevents.ActionShard, o.Shard)
		}
	}
	if *t.junit == "" {
		return nil, nil
	}
	f, err := os.Create(*t.junit)
	if err != nil {
		return nil, testFailed(fmt.Errorf("-junit: %w", err))
	}
	s := &suite{file: f}
	if *t.jsonOut {
		o.Stdout = io.MultiWriter(o.Stdout, s)
		return s, nil
	}
	out, verbose := o.Stdout, bool(t.v)
	s.Ended = func(p *testevents.Package) { p.Text(out, o.Stderr, verbose) }
	o.JSON, o.Stdout = true, s
	return s, nil
}

// close writes the file.
func (s *suite) close() error {
	if s == nil {
		return nil
	}
	if err := errors.Join(s.JUnit(s.file), s.file.Close()); err != nil {
		return fmt.Errorf("-junit: %w", err)
	}
	return nil
}

// mergeFiles joins outcomes and prints them.
func (t *testFlags) mergeFiles(names []string) error {
	if len(names) == 0 {
		return usageError{"test: -merge: name the files, the outputs of -json or -junit of all parts"}
	}
	var records []*testevents.Record
	for _, name := range names {
		r, err := readOutcome(name)
		if err != nil {
			return testFailed(fmt.Errorf("-merge: %w", err))
		}
		records = append(records, r)
	}
	all, err := testevents.Merge(names, records)
	if err != nil {
		return testFailed(fmt.Errorf("-merge: %w", err))
	}
	if *t.junit != "" {
		f, err := os.Create(*t.junit)
		if err == nil {
			err = errors.Join(all.JUnit(f), f.Close())
		}
		if err != nil {
			return testFailed(fmt.Errorf("-junit: %w", err))
		}
	}
	if *t.jsonOut {
		if err := all.JSON(stdout); err != nil {
			return testFailed(fmt.Errorf("-merge: %w", err))
		}
	} else {
		for _, p := range all.Packages {
			p.Text(stdout, stderr, bool(t.v))
		}
	}
	if !all.OK() {
		if !*t.jsonOut {
			fmt.Fprintln(stdout, "FAIL")
		}
		return statusError(statusTestFailed)
	}
	return nil
}

func readOutcome(name string) (*testevents.Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := testevents.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// testFailed prints an error of gyr test and returns its status.
func testFailed(err error) error {
	fmt.Fprintf(stderr, "gyr: %v\n", err)
	return statusError(statusTestFailed)
}
