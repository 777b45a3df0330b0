package rt

import (
	"context"
	"errors"

	"reflect"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gyrvm/gyr/api"
)

// Effects of host functions outside the instance are not undone with it. A function may register
// how to undo them; its context leads to the instance.

type undoKey struct{}

// undos are the functions that host functions have registered in a transaction. A lock protects
// them: an abandoned function may register at any time.
type undos struct {
	mu   sync.Mutex
	open bool
	list []func()
}

// Undo registers f for the transaction in which the host function with context ctx runs. If the
// transaction is rolled back, the registered functions are called, the last one first. Undo returns
// false and does nothing if no transaction is open. The function calls Undo before it returns, on
// its own goroutine. f may not use the instance.
func Undo(ctx context.Context, f func()) bool {
	if f == nil {
		panic("gyr: Undo of a nil function")
	}
	vm, _ := ctx.Value(undoKey{}).(*VM)
	if vm == nil || vm.undo == nil {
		return false
	}
	u := vm.undo
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open {
		u.list = append(u.list, f)
	}
	return u.open
}

// Undoable begins (open) or ends a transaction in which host functions may register how to undo
// their effects.
func (vm *VM) Undoable(open bool) {
	if vm.undo == nil {
		vm.undo = &undos{}
	}
	u := vm.undo
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.list)
	u.open, u.list = open, u.list[:0]
}

// Undo ends the open transaction and calls every registered function, even if one fails. Its error
// joins a [*api.HostError] for each that panicked. If one calls runtime.Goexit, the goroutine ends
// after the others have been called.
func (vm *VM) Undo() error {
	u := vm.undo
	u.mu.Lock()
	list := u.list
	u.open, u.list = false, nil
	u.mu.Unlock()
	defer vm.Config.Stop.Enter(vm.Config.Stop.Enter(InUndo))
	var failed []error
	func() {
		for _, f := range list {
			defer undo(f, &failed) // runs in reverse order, and continues after a panic
		}
	}()
	if len(failed) == 1 {
		return failed[0]
	}
	return errors.Join(failed...)
}

// undo calls f and records its panic.
func undo(f func(), failed *[]error) {
	defer func() {
		if r := recover(); r != nil {
			name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
			*failed = append(*failed, &api.HostError{Op: "undo", Err: &api.HostPanicError{Method: name, Value: r, Stack: debug.Stack()}})
		}
	}()
	f()
}
