// Package trace is gyr's replacement of runtime/trace. Execution traces of guest
// code are the host's business: here tracing is never enabled, tasks and regions
// are accepted and do nothing.
package trace

import (
	"context"
	"errors"
	"io"
	"time"
)

var errUnsupported = errors.New("tracing is not supported by gyr's guest runtime")

// Start reports that tracing is not supported.
func Start(w io.Writer) error { return errUnsupported }

// Stop does nothing.
func Stop() {}

// IsEnabled reports whether tracing is enabled: never.
func IsEnabled() bool { return false }

// Task is a data type for tracing a user-defined, logical operation.
type Task struct{}

// NewTask returns pctx and a task that does nothing.
func NewTask(pctx context.Context, taskType string) (ctx context.Context, task *Task) {
	return pctx, &Task{}
}

// End marks the end of the operation.
func (t *Task) End() {}

// Log emits nothing.
func Log(ctx context.Context, category, message string) {}

// Logf formats nothing.
func Logf(ctx context.Context, category, format string, args ...any) {}

// WithRegion calls fn.
func WithRegion(ctx context.Context, regionType string, fn func()) { fn() }

// Region is a region of code whose execution time interval is traced.
type Region struct{}

// StartRegion returns a region that does nothing.
func StartRegion(ctx context.Context, regionType string) *Region { return &Region{} }

// End marks the end of the region.
func (r *Region) End() {}

// FlightRecorderConfig configures a flight recorder.
type FlightRecorderConfig struct {
	MinAge   time.Duration
	MaxBytes uint64
}

// FlightRecorder stands for a window of the trace, which there is not.
type FlightRecorder struct{}

// NewFlightRecorder returns a flight recorder that cannot be started.
func NewFlightRecorder(cfg FlightRecorderConfig) *FlightRecorder { return &FlightRecorder{} }

// Start reports that tracing is not supported.
func (fr *FlightRecorder) Start() error { return errUnsupported }

// Stop does nothing.
func (fr *FlightRecorder) Stop() {}

// Enabled returns false.
func (fr *FlightRecorder) Enabled() bool { return false }

// WriteTo reports that the recorder is not running.
func (fr *FlightRecorder) WriteTo(w io.Writer) (n int64, err error) {
	return 0, errors.New("cannot snapshot a disabled flight recorder")
}
