package api

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/printable"
)

// These errors end a run. A run returns nil only for exit status 0. The guest cannot recover from
// any of them.

// An OutOfGasError says that the gas limit was reached, and where.
type OutOfGasError struct {
	Limit, Used int64 // equal: use never exceeds the limit
	Position
	Call bool // the limit is CallOptions.Gas, not Config.Gas
}

func (e *OutOfGasError) Error() string {
	return fmt.Sprintf("out of gas: limit of %d units%s reached%s", e.Limit, ofCall(e.Call), e.suffix())
}

// ofCall returns the words of an error for a limit of a call.
func ofCall(call bool) string {
	if call {
		return " of the call"
	}
	return ""
}

// A MemoryLimitError says that the program needed more memory than allowed.
type MemoryLimitError struct {
	Limit uint64 // bytes
	Position
	Call   bool   // the limit is CallOptions.Memory, not Config.Memory
	Begins uint64 // bytes that the program begins with, if these are too many; 0: it ran
}

func (e *MemoryLimitError) Error() string {
	if e.Begins > 0 {
		return fmt.Sprintf("memory limit of %s is too small: the program begins with %s", size(e.Limit), size(e.Begins))
	}
	return fmt.Sprintf("memory limit of %s%s reached%s", size(e.Limit), ofCall(e.Call), e.suffix())
}

// A StackLimitError says that a goroutine's stack reached its limit.
type StackLimitError struct {
	Limit uint64 // bytes, in guest units
	Position
}

func (e *StackLimitError) Error() string {
	return fmt.Sprintf("stack limit of %s reached%s", size(e.Limit), e.suffix())
}

// An OutputLimitError says that the program wrote more to Stdout and Stderr than Config.Output
// allows. They have received the first Limit bytes. The position is in the program's own source if
// one of its functions is among the callers.
type OutputLimitError struct {
	Limit int64 // bytes
	Position
}

func (e *OutputLimitError) Error() string {
	return fmt.Sprintf("output limit of %s reached%s", size(uint64(e.Limit)), e.suffix())
}

// size prints bytes.
func size(n uint64) string {
	if n == 0 || n%1024 != 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	const units = "KMG" // powers of 1024
	i := 0
	for n /= 1024; n%1024 == 0 && i < len(units)-1; n /= 1024 {
		i++
	}
	return fmt.Sprintf("%d %ciB", n, units[i])
}

// A DeadlineError says that the context ended or that the time of a call was over. It unwraps to
// the context's cause, or to context.DeadlineExceeded.
type DeadlineError struct {
	Err error
	Position
	Call bool // it was CallOptions.Timeout, not the context
}

func (e *DeadlineError) Error() string {
	at := ""
	if e.Call {
		at = " at the deadline of the call"
	}
	return fmt.Sprintf("interrupted%s: %v%s", at, e.Err, e.suffix())
}
func (e *DeadlineError) Unwrap() error { return e.Err }

// A FaultClass classifies an address at which the guest has no memory.
type FaultClass uint8

const (
	// FaultOutside is an address beyond the current end of the guest's memory, beyond its limit, or
	// beyond all that a guest can address.
	FaultOutside FaultClass = iota
	// FaultLow is an address below 64 KiB, where no object ever is. Such an address comes from a
	// nil pointer plus an offset, or from a number that was used as an address.
	FaultLow
	// FaultReadOnly is a write to a [Buffer] that the host has lent. The error is a [ReadOnlyError]
	// that unwraps to this one.
	FaultReadOnly
)

// String returns the words of [MemoryFaultError] for the address.
func (c FaultClass) String() string {
	return [...]string{"outside of the guest's memory", "below the guest's memory", "in a lent buffer, which is read-only"}[c]
}

// A MemoryFaultError says that the program accessed memory that it does not have, or made a
// function of the host do so. The run is over. Its gas is what was charged until then, the same in
// both tiers and on every run. Only programs with unsafe pointers can cause this error, through
// package unsafe or through reflect.
type MemoryFaultError struct {
	Class FaultClass
	Position
}

func (e *MemoryFaultError) Error() string {
	return "access to an address " + e.Class.String() + e.suffix()
}

// A ReadOnlyError says that the guest wrote to a [Buffer] that the host had lent it, or made the
// host write there, for instance by reading a file into it.
type ReadOnlyError struct {
	Position
}

func (e *ReadOnlyError) Error() string { return "write to a lent buffer" + e.suffix() }

// Unwrap returns a [*MemoryFaultError] of the class [FaultReadOnly].
func (e *ReadOnlyError) Unwrap() error { return &MemoryFaultError{FaultReadOnly, e.Position} }

// A HostError says that the engine or the host failed. Op is the function of the host that reported
// it.
type HostError struct {
	Op  string
	Err error
	Position
}

func (e *HostError) Error() string { return fmt.Sprintf("%s: %v%s", e.Op, e.Err, e.suffix()) }
func (e *HostError) Unwrap() error { return e.Err }

// A HostPanicError, wrapped by a HostError, is the panic of a Reader or Writer of the Config, of
// the handler of its Log, or of a function of a host package.
type HostPanicError struct {
	Method string // Read, Write, WriteTimed, Enabled or Handle; for a function of a host package its name
	Value  any    // value of the panic
	Stack  []byte // stack of the goroutine that panicked, as runtime/debug.Stack prints it
}

func (e *HostPanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Method, e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *HostPanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A PanicError says that the program panicked without recovering, or met a fatal error such as a
// deadlock, from which no program recovers. It unwraps to an ExitError with status 2. The report is
// on Config.Stderr too.
type PanicError struct {
	// Value is the text that Go prints for the panic's value, or the text of the fatal error. An
	// example is "runtime error: index out of range [5] with length 3"; for an error or a Stringer
	// it is the result of its method.
	Value string
	Fatal bool // it is a fatal error, not a panic
	// Trace is the report as Go prints it, with the goroutine's trace: at most 64 KiB.
	Trace string
	// Frames is the call stack of the goroutine, innermost first, at most 100 frames, without the
	// runtime's. It is empty if all goroutines wait. Neither Trace nor Frames show the code that
	// gyr generates around calls.
	Frames   []Position
	Position // Frames[0], the source of the panic
}

// Error returns one line that is safe to print on a terminal, with the first 200 bytes of the
// value.
func (e *PanicError) Error() string {
	const most = 200
	what, value := "panic: ", printable.Line(e.Value)
	if e.Fatal {
		what = "fatal error: "
	}
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most], "") + "..."
	}
	return what + value + e.suffix()
}

// Unwrap returns an ExitError with status 2.
func (e *PanicError) Unwrap() error { return &ExitError{2} }

// An ExitError holds a nonzero exit status. A Go panic has status 2, as in Go, and gives a
// [PanicError] that unwraps to an ExitError.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Code) }
