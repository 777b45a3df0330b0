package rt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// How a run can end, as errors. The guest can recover from none of them.

// A Position is a place in the guest's source. The zero value is none.
type Position = failure.Position

// An OutOfGasError says that the program used up its gas, and where the charge
// stands that failed.
type OutOfGasError struct {
	Limit, Used int64 // equal: what is used is never more than the limit
	Position
	Call bool // the limit is that of the call
}

func (e *OutOfGasError) Error() string {
	return fmt.Sprintf("out of gas: limit of %d units%s reached%s", e.Limit, ofCall(e.Call), e.Suffix())
}

// ofCall is what an error says of a limit of a call.
func ofCall(call bool) string {
	if call {
		return " of the call"
	}
	return ""
}

// A MemoryLimitError says that the program needed more memory than it may have.
type MemoryLimitError struct {
	Limit uint64 // bytes
	Position
	Call bool // the limit is that of the call: by how much memory may grow
}

func (e *MemoryLimitError) Error() string {
	return fmt.Sprintf("memory limit of %s%s reached%s", size(e.Limit), ofCall(e.Call), e.Suffix())
}

// A StackLimitError says that the stack of one goroutine grew to its limit.
type StackLimitError struct {
	Limit uint64 // bytes, in guest units
	Position
}

func (e *StackLimitError) Error() string {
	return fmt.Sprintf("stack limit of %s reached%s", size(e.Limit), e.Suffix())
}

// An OutputLimitError says that the program wrote more to Stdout and Stderr than it may. Of a function of the standard
// library that writes, Position is the place where it is called.
type OutputLimitError struct {
	Limit int64 // bytes
	Position
}

func (e *OutputLimitError) Error() string {
	return fmt.Sprintf("output limit of %s reached%s", size(uint64(e.Limit)), e.Suffix())
}

// A DeadlineError says that the context of the run ended before the program, or the time of a call.
// Err is the cause of the context's end.
type DeadlineError struct {
	Err error
	Position
	Call bool // it was not the context but the deadline of the call
}

func (e *DeadlineError) Error() string {
	return fmt.Sprintf("interrupted%s: %v%s", atDeadline(e.Call), e.Err, e.Suffix())
}

func atDeadline(call bool) string {
	if call {
		return " at the deadline of the call"
	}
	return ""
}
func (e *DeadlineError) Unwrap() error { return e.Err }

// A ReadOnlyError says that the guest wrote to a buffer that the host has lent it, or had a function of the
// host do so.
type ReadOnlyError struct {
	Position
}

func (e *ReadOnlyError) Error() string { return memory.ErrReadOnly.Error() + e.Suffix() }

// Unwrap returns the fault that it is.
func (e *ReadOnlyError) Unwrap() error { return &MemoryFaultError{FaultReadOnly, e.Position} }

// A FaultClass says where the guest has no memory that it went to.
type FaultClass uint8

const (
	FaultOutside  FaultClass = iota // behind what it has, or behind all that it could have
	FaultLow                        // below 64 KiB, where nothing ever is: a nil pointer and an offset, or a number
	FaultReadOnly                   // a lent buffer, and it was to write
)

// String is what messages say of the address.
func (c FaultClass) String() string {
	return [...]string{"outside of the guest's memory", "below the guest's memory", "in a lent buffer, which is read-only"}[c]
}

// ClassOf returns the class of an address that is no memory of the guest's.
func ClassOf(at int64) FaultClass {
	if at < ir.DataBase {
		return FaultLow
	}
	return FaultOutside
}

// A MemoryFaultError says that the guest read or wrote where it has no memory, or had a function of the host do so. Only programs
// with unsafe pointers can.
type MemoryFaultError struct {
	Class FaultClass
	Position
}

func (e *MemoryFaultError) Error() string {
	return "access to an address " + e.Class.String() + e.Suffix()
}

// Is makes it an [ErrAddress], unless the address is in a lent buffer.
func (e *MemoryFaultError) Is(target error) bool {
	return target == ErrAddress && e.Class != FaultReadOnly
}

// An addressError says that the guest has made up an address.
type addressError struct{ addr, n uint64 }

func (e *addressError) Error() string {
	return fmt.Sprintf("%v: %d bytes at %#x", ErrAddress, e.n, e.addr)
}
func (e *addressError) Unwrap() error { return ErrAddress }

// class is that of the first byte that is not there.
func (e *addressError) class(vm *VM) FaultClass {
	return ClassOf(int64(min(e.addr+vm.Space.Readable(e.addr, e.n), memory.SpaceSize)))
}

// FaultAt ends the run: the guest has accessed n bytes at addr.
func (vm *VM) FaultAt(addr, n uint64) Status { return vm.Fail("memory", &addressError{addr, n}) }

// A HostError says that the engine could not go on: the guest's memory is
// corrupt, or the host failed. Op is the function of the host that noticed.
type HostError struct {
	Op  string
	Err error
	Position
}

func (e *HostError) Error() string { return fmt.Sprintf("%s: %v%s", e.Op, e.Err, e.Suffix()) }
func (e *HostError) Unwrap() error { return e.Err }

// A HostPanicError is the panic of a Reader or Writer of the host.
type HostPanicError = wasi.HostPanicError

// An ExitError says that the program ended with an exit code other than 0.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Code) }

// Reasons of a HostError that the guest causes.
var (
	ErrAddress = errors.New("address outside of the guest's memory")
	ErrCorrupt = errors.New("the guest's memory is corrupt")
	ErrValue   = errors.New("argument out of range")
)

// Finish turns the status with which a run ended into an error: nil for exit
// code 0.
func (vm *VM) Finish(st Status) error {
	st = vm.endNetwork(st)
	if a := vm.Config.Accounts; a != nil {
		a.settle(vm)
	}
	switch st {
	case Exit:
		if vm.dying {
			return vm.panicked()
		}
		if vm.ExitCode != 0 {
			return &ExitError{vm.ExitCode}
		}
		return nil
	case OutOfGas:
		if vm.dying {
			return vm.panicked() // its report was too long
		}
		// Used is the limit by definition: the charge that failed took the rest.
		limit := vm.Config.Gas
		if a := vm.Config.Accounts; a != nil && a.Limit > 0 {
			limit = a.Limit
		}
		if n := vm.limits.gas; n > 0 {
			return &OutOfGasError{n, n, vm.Here(), true}
		}
		return &OutOfGasError{limit, limit, vm.Here(), false}
	case OutOfMemory:
		if vm.Heap.Bounded() {
			return &MemoryLimitError{vm.limits.memory, vm.Here(), true}
		}
		return &MemoryLimitError{vm.memoryLimit(), vm.Here(), false}
	case StackLimit:
		return &StackLimitError{vm.StackLimit(), vm.Here()}
	case OutputLimit:
		if vm.dying {
			return vm.panicked() // its report was too long
		}
		return &OutputLimitError{vm.Config.Output, cmp.Or(vm.hereOutside(inStd), vm.Here())}
	case Interrupted:
		err := vm.Err
		if err == nil {
			err = errors.New("interrupted")
		}
		return &DeadlineError{err, vm.Here(), vm.ctx.Err() == nil && err == context.DeadlineExceeded}
	case Failed:
		var bug *failure.Error
		if errors.As(vm.Err, &bug) {
			return bug
		}
		if bad := (*addressError)(nil); errors.As(vm.Err, &bad) {
			return &MemoryFaultError{bad.class(vm), vm.Here()}
		}
		if errors.Is(vm.Err, memory.ErrReadOnly) {
			return &ReadOnlyError{vm.Here()}
		}
		var h *HostError
		if errors.As(vm.Err, &h) {
			if h.Position == (Position{}) {
				h.Position = vm.Here()
			}
			return vm.Err
		}
		err := vm.Err
		if err == nil {
			err = ErrCorrupt
		}
		return &HostError{"run", err, vm.Here()}
	}
	return &HostError{"run", fmt.Errorf("the tier returned status %d", st), vm.Here()}
}

// Fail notes why the host cannot go on.
func (vm *VM) Fail(op string, err error) Status {
	if vm.Err == nil {
		vm.Err = &HostError{Op: op, Err: err}
	}
	return Failed
}

// badAddress is Fail for an address or length that the guest made up.
func (vm *VM) badAddress(op string, addr, n uint64) Status {
	return vm.Fail(op, &addressError{uint64(uint32(addr)), n})
}

// Here is the innermost position outside of the runtime: what the program was
// at when it reached a limit. It is none while all goroutines wait.
func (vm *VM) Here() Position {
	return vm.hereOutside(func(p Position) bool { return isRuntime(p.Func) })
}

// inStd reports whether a position is in a source file of the standard library.
func inStd(p Position) bool { return strings.HasPrefix(p.File, "$GOROOT/") }

// hereOutside is Here for other positions that do not count, those of which skipped is true.
func (vm *VM) hereOutside(skipped func(Position) bool) Position {
	if vm.Exec == nil {
		return Position{}
	}
	// The runtime may be deep in a comparison or a hash.
	pcs := make([]uint64, 1024)
	for skip := 0; skip < 1<<17; skip += len(pcs) {
		n := vm.Exec.Callers(0, skip, pcs)
		for _, pc := range pcs[:n] {
			p := vm.PositionOf(pc)
			if !skipped(p) {
				return p
			}
		}
		if n < len(pcs) {
			break
		}
	}
	return Position{}
}

// runtimePackages are the packages of the standard library whose functions are part of operations. Whole
// paths: a user's package may be called internal/runtime/mine.
var runtimePackages = map[string]bool{
	"runtime": true, "internal/runtime/atomic": true, "internal/runtime/exithook": true, "internal/runtime/gc": true,
	"internal/runtime/maps": true, "internal/runtime/math": true, "internal/runtime/sys": true,
	"internal/runtime/syscall": true,
}

// isRuntime reports whether a function is of the runtime, by the path that its name begins with.
func isRuntime(name string) bool {
	i := strings.LastIndexByte(name, '/') + 1
	n := strings.IndexByte(name[i:], '.')
	return n >= 0 && runtimePackages[name[:i+n]]
}

// Traceback returns where the goroutine is that runs, or ran when the run ended at a
// limit: the innermost frame first, at most n of them. It is empty while all goroutines
// wait.
func (vm *VM) Traceback(n int) []Position {
	if vm.Exec == nil {
		return nil
	}
	pcs := make([]uint64, n)
	pcs = pcs[:vm.Exec.Callers(0, 0, pcs)]
	list := make([]Position, len(pcs))
	for i, pc := range pcs {
		list[i] = vm.PositionOf(pc)
	}
	return list
}

// maxHints bounds what a guest can make the host keep and print.
const maxHints = 8

// A Hint says what the guest was refused, and how it is granted.
type Hint = wasi.Hint

// hint keeps a hint for the user, once.
func (vm *VM) hint(h Hint) {
	h.What = strings.ToValidUTF8(h.What, "?")
	if len(vm.Hints) < maxHints && !slices.Contains(vm.Hints, h) {
		vm.Hints = append(vm.Hints, h)
	}
}
