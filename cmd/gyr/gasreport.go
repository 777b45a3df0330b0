package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// reportFlag is -gasreport or -gasreport=json.
type reportFlag string

func (r *reportFlag) String() string   { return string(*r) }
func (r *reportFlag) IsBoolFlag() bool { return true }

func (r *reportFlag) Set(v string) error {
	switch v {
	case "true", "text":
		*r = "text"
	case "false":
		*r = ""
	case "json":
		*r = "json"
	default:
		return fmt.Errorf("-gasreport is text or json")
	}
	return nil
}

// older returns the report that -against names: a file, or a revision. It runs the revision's
// tests.
func older(ctx context.Context, against string, o testrun.Options) (*testrun.Report, error) {
	data, err := os.ReadFile(against)
	switch {
	case err == nil:
		r, err := testrun.ReadReport(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", against, err)
		}
		return r, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if o.Revision, err = testrun.OpenRevision(ctx, o.Dir, against); err != nil {
		return nil, err
	}
	defer o.Revision.Close()
	o.Stdout, o.Stderr, o.FailFast = io.Discard, io.Discard, false
	sum, err := testrun.Run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("at %s: %w", against, err)
	}
	return sum.Report, nil
}

// print writes the report of a run, or its differences from an older one.
func (r reportFlag) print(w io.Writer, report, old *testrun.Report) error {
	if old == nil {
		if r == "json" {
			return report.WriteJSON(w)
		}
		return report.WriteText(w)
	}
	changes, err := report.Changes(old)
	if err != nil {
		return err
	}
	if r == "json" {
		b, err := json.MarshalIndent(changes, "", "\t")
		if err == nil {
			_, err = w.Write(append(b, '\n'))
		}
		return err
	}
	return testrun.WriteChanges(w, changes)
}
