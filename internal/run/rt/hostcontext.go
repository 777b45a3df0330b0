package rt

import (
	"context"
	"sync"
)

// A hostContext is the context of host functions: the context of the run or call, which also ends
// at the call's deadline and when the Stop is requested. The channel that joins these is made on
// first use.
type hostContext struct {
	context.Context // the run's
	stop            *Stop
	vm              *VM

	once sync.Once
	both context.Context
}

// hostContext returns the context of the run or call. It is made once for each.
func (vm *VM) hostContext() context.Context {
	run := vm.untilDeadline()
	if vm.Config.Stop == nil {
		return run
	}
	if c := vm.hosts.ctx; c != nil && sameContext(c.Context, run) {
		return c
	}
	vm.hosts.ctx = &hostContext{Context: run, stop: vm.Config.Stop, vm: vm}
	return vm.hosts.ctx
}

func (c *hostContext) Done() <-chan struct{} {
	if c.Context.Done() == nil {
		return c.stop.done()
	}
	c.once.Do(func() {
		both, cancel := context.WithCancel(c.Context)
		forget := context.AfterFunc(c.stop.ctx, cancel)
		context.AfterFunc(c.Context, func() { forget() })
		c.both = both
	})
	return c.both.Done()
}

func (c *hostContext) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	return c.stop.ctx.Err()
}

// Value gives Undo the instance that calls the host function.
func (c *hostContext) Value(key any) any {
	if key == (undoKey{}) {
		return c.vm
	}
	return c.Context.Value(key)
}
