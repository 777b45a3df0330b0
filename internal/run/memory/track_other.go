//go:build !linux

package memory

import "errors"

// A Tracker finds the pages that guests have written to. This system has none: [Checkpoint]
// compares all pages.
type Tracker struct{}

// NewTracker fails.
func NewTracker() (*Tracker, error) { return nil, errors.ErrUnsupported }

func (*Tracker) track(*Space, span) error                              { return errors.ErrUnsupported }
func (*Tracker) forget(*Space, span)                                   {}
func (*Tracker) written(*Space, span, bool, func(lo, hi uint64)) error { return errors.ErrUnsupported }
