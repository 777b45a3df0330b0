package rt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// How a run can end, as errors. The guest can recover from none of them.

// ClassOf returns the class of an address outside the guest's memory.
func ClassOf(at int64) api.FaultClass {
	if at < ir.DataBase {
		return api.FaultLow
	}
	return api.FaultOutside
}

// An addressError reports an address that the guest has made up.
type addressError struct{ addr, n uint64 }

func (e *addressError) Error() string {
	return fmt.Sprintf("%v: %d bytes at %#x", ErrAddress, e.n, e.addr)
}
func (e *addressError) Unwrap() error { return ErrAddress }

// class returns the class of the first byte that is not there.
func (e *addressError) class(vm *VM) api.FaultClass {
	return ClassOf(int64(min(e.addr+vm.Space.Readable(e.addr, e.n), memory.SpaceSize)))
}

// FaultAt ends the run: the guest has accessed n bytes at addr.
func (vm *VM) FaultAt(addr, n uint64) Status { return vm.Fail("memory", &addressError{addr, n}) }

// Reasons of a HostError that the guest causes.
var (
	ErrAddress = errors.New("address outside of the guest's memory")
	ErrValue   = errors.New("argument out of range")
)

// IsAddress reports whether an error is an [ErrAddress], also as [VM.Finish] returns it.
func IsAddress(err error) bool {
	var fault *api.MemoryFaultError
	return errors.Is(err, ErrAddress) || errors.As(err, &fault) && fault.Class != api.FaultReadOnly
}

// Finish turns the status with which a run ended into an error: nil for exit
// code 0.
func (vm *VM) Finish(st Status) error {
	vm.endProcesses()
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
			return &api.ExitError{Code: vm.ExitCode}
		}
		return nil
	case OutOfGas:
		if vm.dying {
			return vm.panicked() // its report was too long
		}
		// Used is the limit by definition: the charge that failed took the rest.
		limit := vm.Exec.GasLimit()
		if a := vm.Config.Accounts; a != nil && a.Limit > 0 {
			limit = a.Limit
		}
		if n := vm.limits.gas; n > 0 {
			return &api.OutOfGasError{Limit: n, Used: n, Position: vm.Here(), Call: true}
		}
		return &api.OutOfGasError{Limit: limit, Used: limit, Position: vm.Here(), Call: false}
	case OutOfMemory:
		if vm.Heap.Bounded() {
			return &api.MemoryLimitError{Limit: vm.limits.memory, Position: vm.Here(), Call: true}
		}
		return &api.MemoryLimitError{Limit: vm.memoryLimit(), Position: vm.Here(), Call: false}
	case StackLimit:
		return &api.StackLimitError{Limit: vm.StackLimit(), Position: vm.Here()}
	case OutputLimit:
		if vm.dying {
			return vm.panicked() // its report was too long
		}
		return &api.OutputLimitError{Limit: vm.Config.Output, Position: cmp.Or(vm.hereOutside(inStd), vm.Here())}
	case Interrupted:
		err := vm.Err
		if err == nil {
			err = errors.New("interrupted")
		}
		return &api.DeadlineError{Err: err, Position: vm.Here(), Call: vm.ctx.Err() == nil && err == context.DeadlineExceeded}
	case Failed:
		var bug *api.InternalError
		if errors.As(vm.Err, &bug) {
			return bug
		}
		if bad := (*addressError)(nil); errors.As(vm.Err, &bad) {
			return &api.MemoryFaultError{Class: bad.class(vm), Position: vm.Here()}
		}
		if errors.Is(vm.Err, memory.ErrReadOnly) {
			return &api.ReadOnlyError{Position: vm.Here()}
		}
		var h *api.HostError
		if errors.As(vm.Err, &h) {
			if h.Position == (api.Position{}) {
				h.Position = vm.Here()
			}
			return vm.Err
		}
		err := vm.Err
		if err == nil {
			err = memory.ErrCorrupt
		}
		return &api.HostError{Op: "run", Err: err, Position: vm.Here()}
	}
	return &api.HostError{Op: "run", Err: fmt.Errorf("the tier returned status %d", st), Position: vm.Here()}
}

// Fail records why the host cannot continue.
func (vm *VM) Fail(op string, err error) Status {
	if vm.Err == nil {
		vm.Err = &api.HostError{Op: op, Err: err}
	}
	return Failed
}

// badAddress is Fail for an address or length that the guest made up.
func (vm *VM) badAddress(op string, addr, n uint64) Status {
	return vm.Fail(op, &addressError{uint64(uint32(addr)), n})
}

// Here is the innermost position outside the runtime: where the program was when it reached a
// limit. It is empty while all goroutines wait.
func (vm *VM) Here() api.Position {
	return vm.hereOutside(func(p api.Position) bool { return isRuntime(p.Func) })
}

// inStd reports whether a position is in a source file of the standard library.
func inStd(p api.Position) bool { return strings.HasPrefix(p.File, "$GOROOT/") }

// hereOutside is Here with another choice of positions: it leaves out those for which skipped is
// true.
func (vm *VM) hereOutside(skipped func(api.Position) bool) api.Position {
	if vm.Exec == nil {
		return api.Position{}
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
	return api.Position{}
}

// runtimePackages are the packages of the standard library whose functions are part of operations.
// They are whole paths, since a user's package may be called internal/runtime/mine.
var runtimePackages = map[string]bool{
	"runtime": true, "internal/runtime/atomic": true, "internal/runtime/exithook": true, "internal/runtime/gc": true,
	"internal/runtime/maps": true, "internal/runtime/math": true, "internal/runtime/sys": true,
	"internal/runtime/syscall": true,
}

// isRuntime reports whether a function belongs to the runtime, by the path at the start of its
// name.
func isRuntime(name string) bool {
	i := strings.LastIndexByte(name, '/') + 1
	n := strings.IndexByte(name[i:], '.')
	return n >= 0 && runtimePackages[name[:i+n]]
}

// Traceback returns the position of the current goroutine, or of the one that was current when the
// run ended at a limit. The innermost frame comes first, at most n frames. It is empty while all
// goroutines wait.
func (vm *VM) Traceback(n int) []api.Position {
	if vm.Exec == nil {
		return nil
	}
	pcs := make([]uint64, n)
	pcs = pcs[:vm.Exec.Callers(0, 0, pcs)]
	list := make([]api.Position, len(pcs))
	for i, pc := range pcs {
		list[i] = vm.PositionOf(pc)
	}
	return list
}

// maxHints bounds the hints that a guest can make the host keep and print.
const maxHints = 8

// A Hint says what the guest was refused, and how to grant it.
type Hint = wasi.Hint

// A Need is the kind of grant that a guest did not have.
type Need = wasi.Need

// The kinds of grants.
const (
	NeedEnv   = wasi.NeedEnv
	NeedRead  = wasi.NeedRead
	NeedWrite = wasi.NeedWrite
)

// hint keeps a hint for the user, once.
func (vm *VM) hint(h Hint) {
	h.What = strings.ToValidUTF8(h.What, "?")
	if a := vm.Config.Accounts; a != nil && a.Refused != nil {
		a.Refused(a.Current(), h)
	}
	if !h.Quiet && len(vm.Hints) < maxHints && !slices.Contains(vm.Hints, h) {
		vm.Hints = append(vm.Hints, h)
	}
}
