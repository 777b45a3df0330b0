package rt

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Log records of the guest.
//
// If there is a Config.Log, our files in packages log and log/slog (package guest, _src/answers)
// pass on what the default Logger logs: slog whole records (logrecord.go), log its messages. The
// host's handler is called as Readers and Writers are: it may block, and its panic ends the run.

// logHosts are the host functions in this file, by their names in ir.Primitives.
var logHosts = map[string]Func{
	"gyr.logs":       hostLogs,
	"gyr.log_text":   hostLogText,
	"gyr.log_record": hostLogRecord,
}

// hostLogs reports which records are taken: 0 none, 1 none of this level, 2 those of this level.
func hostLogs(vm *VM, a *ir.Args) Status {
	if vm.Config.Log == nil {
		a[0] = 0
		return OK
	}
	if vm.inits.free { // packages log and log/slog ask whether there is a log
		a[0] = 1
		return OK
	}
	enabled, level := false, slog.Level(int64(a[0]))
	st := vm.callHandler("Enabled", func(ctx context.Context, h slog.Handler) { enabled = h.Enabled(ctx, level) })
	a[0] = 1
	if st == OK && enabled {
		a[0] = 2
	}
	return st
}

// hostLogText logs a message at the level Info.
func hostLogText(vm *VM, a *ir.Args) Status {
	text, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("log", a[0], a[1])
	}
	sec, nsec, _ := vm.Walltime()
	return vm.log(slog.Record{Time: time.Unix(sec, int64(nsec)).UTC(), Message: string(text[:min(len(text), maxLogRecord)])}, len(text), &a[0])
}

// hostLogRecord logs a record.
func hostLogRecord(vm *VM, a *ir.Args) Status {
	data, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("log", a[0], a[1])
	}
	r, ok := readLogRecord(data)
	if !ok {
		return vm.Fail("log", ErrValue)
	}
	return vm.log(r, len(data), &a[0])
}

// log passes a record of so many bytes, which count as output, to the host's handler. The result is
// 1 if the handler fails or there is none, and 0 otherwise, also for a level that the handler does
// not take.
func (vm *VM) log(r slog.Record, bytes int, result *uint64) Status {
	*result = 1
	if vm.Config.Log == nil {
		return OK
	}
	if !vm.sys.TakeOutput(bytes) {
		return OutputLimit
	}
	var err error
	st := vm.callHandler("Handle", func(ctx context.Context, h slog.Handler) {
		if h.Enabled(ctx, r.Level) {
			err = h.Handle(ctx, r)
		}
	})
	if st == OK && err == nil { // otherwise the call may still be running
		*result = 0
	}
	return st
}

// callHandler lets f call the host's handler. method is the name of the method that f calls.
func (vm *VM) callHandler(method string, f func(context.Context, slog.Handler)) Status {
	c := &handlerCall{ctx: vm.ctx, handler: vm.Config.Log.Handler(), method: method, f: f}
	if !vm.Block(c) {
		return vm.interrupt()
	}
	if c.crash != nil {
		return vm.Fail("Config.Log", c.crash)
	}
	return OK
}

// A handlerCall is a call of a method of Config.Log.
type handlerCall struct {
	ctx     context.Context
	handler slog.Handler
	method  string
	f       func(context.Context, slog.Handler)
	crash   *api.HostPanicError
}

// Place implements wasi.Blocking.
func (c *handlerCall) Place() wasi.Place { return InLog }

// Do makes the call.
func (c *handlerCall) Do() {
	defer func() {
		if r := recover(); r != nil {
			c.crash = &api.HostPanicError{Method: c.method, Value: r, Stack: debug.Stack()}
		}
	}()
	c.f(c.ctx, c.handler)
}
