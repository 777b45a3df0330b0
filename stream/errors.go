package stream

import (
	"errors"
	"fmt"
)

// A MissingError says that a part of the pipeline, or its input, is not in the cluster.
type MissingError struct {
	Kind string // "stream", "KV bucket", "object store", "function", "snapshot"
	Name string // for a stream of the input, its subject
	Cure string // what to do about it
	Err  error  // JetStream's error, or nil
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("stream: there is no %s %s: %s", e.Kind, e.Name, e.Cure)
}
func (e *MissingError) Unwrap() error { return e.Err }

// A ConfigError says which setting cannot be used: a field of [Config], or a setting of a stream
// that exists.
type ConfigError struct {
	Field string // "Name", "stream CLICKS: retention"
	Err   error
}

func (e *ConfigError) Error() string { return fmt.Sprintf("stream: %s: %v", e.Field, e.Err) }
func (e *ConfigError) Unwrap() error { return e.Err }

// A StateError says that the state of a partition cannot be used. Err is a [*gyr.StateError] if it is
// of another program or of other limits.
type StateError struct {
	Pipeline  string
	Partition int
	Commit    uint64 // its sequence in the pipeline's stream
	Err       error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("stream: the state of partition %d of pipeline %s at commit %d: %v", e.Partition, e.Pipeline, e.Commit, e.Err)
}
func (e *StateError) Unwrap() error { return e.Err }

// A FencedError says that a commit was refused because the partition has another owner. Nothing of
// the batch has taken effect.
type FencedError struct {
	Partition int
	Owner     string // who made the last commit
}

func (e *FencedError) Error() string {
	return fmt.Sprintf("stream: partition %d belongs to worker %s by now", e.Partition, e.Owner)
}

// An OutputError says why what the function returned cannot be published. The message that it was
// returned for becomes a dead letter.
type OutputError struct {
	Subject string
	Err     error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("the function returned a message for %q: %v", e.Subject, e.Err)
}
func (e *OutputError) Unwrap() error { return e.Err }

// A FunctionError says why a program cannot be the function of a pipeline.
type FunctionError struct {
	Func string
	Err  error
}

func (e *FunctionError) Error() string { return fmt.Sprintf("stream: function %s: %v", e.Func, e.Err) }
func (e *FunctionError) Unwrap() error { return e.Err }

// errLost ends a partition whose lease has gone to another worker.
var errLost = errors.New("stream: the lease is lost")
