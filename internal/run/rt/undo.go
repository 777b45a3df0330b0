package rt

import "context"

// Effects that functions of the host have outside of the instance are not undone with it. A function may say how to undo
// them; its context leads to the instance.

type undoKey struct{}

// undos are what the functions of the host have registered in a transaction.
type undos struct {
	open bool
	list []func()
}

// Undo registers f, to be called when the transaction is rolled back in which a function of the host runs that got ctx, the function
// registered last first. It reports false, and does nothing, if there is no transaction. The function calls Undo before it returns, on its own goroutine; f
// may not use the instance.
func Undo(ctx context.Context, f func()) bool {
	vm, _ := ctx.Value(undoKey{}).(*VM)
	if vm == nil || !vm.undo.open {
		return false
	}
	vm.undo.list = append(vm.undo.list, f)
	return true
}

// Undoable begins (open) or ends a transaction in which functions of the host may register what undoes their effects.
func (vm *VM) Undoable(open bool) {
	clear(vm.undo.list)
	vm.undo = undos{open, vm.undo.list[:0]}
}

// Undo ends the transaction and calls what was registered.
func (vm *VM) Undo() {
	list := vm.undo.list
	vm.undo = undos{}
	defer vm.Config.Stop.Enter(vm.Config.Stop.Enter(InUndo))
	for i := len(list) - 1; i >= 0; i-- {
		func() {
			defer func() { recover() }() // nobody waits for it; the others are called all the same
			list[i]()
		}()
	}
}
