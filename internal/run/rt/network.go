package rt

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/hostnet"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// The network that the host grants, as the guest's package net calls it
// (front/guest/_src/answers/net/gyr_host.go).
//
// A function that returns an I32 returns its result, or a negated error number of WASI. Only
// netpoll waits: the guest's scheduler calls it to let time pass while goroutines wait for the
// host.

// networkHosts are the host functions in this file, by their names in ir.Primitives.
var networkHosts = map[string]Func{
	"netpoll":          hostNetpoll,
	"gyr_net.granted":  hostNetGranted,
	"gyr_net.dial":     hostNetDial,
	"gyr_net.listen":   hostNetListen,
	"gyr_net.outcome":  hostNetOutcome,
	"gyr_net.accept":   hostNetAccept,
	"gyr_net.readable": hostNetReadable,
	"gyr_net.read":     hostNetRead,
	"gyr_net.writable": hostNetWritable,
	"gyr_net.write":    hostNetWrite,
	"gyr_net.shutdown": hostNetShutdown,
	"gyr_net.close":    hostNetClose,
}

// openNetwork makes the network of a configuration. If the machine is not closed, its connections
// are closed when it is collected.
func (vm *VM) openNetwork() {
	if vm.net = hostnet.New(vm.Config.Dial, vm.Config.Listen); vm.net != nil {
		vm.unnet = runtime.AddCleanup(vm, (*hostnet.Net).Shut, vm.net)
	}
}

// linger bounds the time in which data that a program wrote before it ended is still sent. A peer
// that does not read must not hold up the run.
const linger = time.Second

// endNetwork closes everything when a run has ended. Data that a program wrote before it ended is
// still sent, for at most linger and while the run's context lasts. It returns how the run ended:
// not well if code of the host has panicked by now.
func (vm *VM) endNetwork(st Status) Status {
	if vm.net == nil {
		return st
	}
	if st == Exit {
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-vm.net.Finish():
		case <-late.C:
		case <-vm.ended():
		case <-vm.Config.Stop.done():
		}
		if crashed := vm.netCrashed(); crashed != OK {
			st = crashed
		}
	}
	vm.net.Shut()
	return st
}

func (vm *VM) shutNetwork() {
	if vm.net != nil {
		vm.net.Shut()
		vm.unnet.Stop()
	}
}

// Offline reports whether no code of the host's network runs, and no socket is open.
func (vm *VM) Offline() bool { return len(vm.procs.list) == 0 && (vm.net == nil || vm.net.Idle()) }

// NetworkDone returns a channel that is closed when the network was shut and no code of the host's connections
// runs any more; nil if there is no network.
func (vm *VM) NetworkDone() <-chan struct{} {
	if vm.net == nil {
		return nil
	}
	return vm.net.Done()
}

// netCrashed ends the run if the host's code panicked.
func (vm *VM) netCrashed() Status {
	if vm.net != nil {
		if c := vm.net.Crash(); c != nil {
			return vm.Fail("Config."+c.Field, c.Err)
		}
	}
	return OK
}

// reclaim gives back the memory that closed sockets counted.
func (vm *VM) reclaim() {
	if n := vm.net.Freed(); n > 0 {
		vm.Heap.ChargeHost(-int64(n) * hostnet.SocketCost)
	}
}

// hostNetpoll returns the token of a socket and the direction to retry there, 'r' or 'w'; token 0
// is none. It waits for one until the monotonic clock shows a[0].
func hostNetpoll(vm *VM, a *ir.Args) Status {
	until := int64(a[0])
	if !vm.alone() {
		return vm.processNews(until, a)
	}
	if vm.net == nil {
		a[0], a[1] = 0, 0
		if until > 0 {
			return vm.Idle(until)
		}
		return OK
	}
	for {
		vm.reclaim()
		if st := vm.netCrashed(); st != OK {
			return st
		}
		if token, mode, ok := vm.net.Next(); ok {
			a[0], a[1] = uint64(token), uint64("rw"[mode])
			return OK
		}
		if until <= 0 || vm.Nanotime() >= until {
			a[0], a[1] = 0, 0
			return OK
		}
		if st := vm.awaitNetwork(until); st != OK {
			return st
		}
	}
}

// awaitNetwork waits until something happens in the network or the monotonic clock shows until.
// Even a virtual clock does not jump here: it advances by the duration of the wait.
func (vm *VM) awaitNetwork(until int64) Status {
	if st := vm.Poll(); st != OK {
		return st
	}
	d := time.Duration(until - vm.Nanotime())
	timer, began := vm.clock.alarm(d), time.Now()
	select {
	case <-timer.C:
	case <-vm.net.Wake():
	case <-vm.ended():
		return vm.interrupt()
	case <-vm.Config.Stop.done():
		return vm.interrupt()
	}
	timer.Stop()
	if !vm.clock.real {
		vm.clock.jumped = satAdd(vm.clock.jumped, int64(min(time.Since(began), d)))
	}
	return OK
}

// outcome stores the result of a function: a number or an error number.
func outcome(a *ir.Args, n int, e wasi.Errno) Status {
	if e != wasi.Success {
		n = -int(e)
	}
	a[0] = uint64(n)
	return OK
}

// hostNetGranted returns 1 if the guest may dial, plus 2 if it may listen.
func hostNetGranted(vm *VM, a *ir.Args) Status {
	dial, listen := vm.net.Granted()
	a[0] = 0
	if dial {
		a[0] |= 1
	}
	if listen {
		a[0] |= 2
	}
	return OK
}

func hostNetDial(vm *VM, a *ir.Args) Status { return vm.openSocket("dial", (*hostnet.Net).Dial, a) }
func hostNetListen(vm *VM, a *ir.Args) Status {
	return vm.openSocket("listen", (*hostnet.Net).Listen, a)
}

// openSocket starts to make the socket with token a[0]. The strings after the token name its
// network and address. The result is the socket's handle.
func (vm *VM) openSocket(name string, open func(*hostnet.Net, context.Context, uint32, string, string) (int32, wasi.Errno), a *ir.Args) Status {
	network, ok := vm.bytes(a[1], a[2])
	if !ok {
		return vm.badAddress(name, a[1], a[2])
	}
	address, ok := vm.bytes(a[3], a[4])
	if !ok {
		return vm.badAddress(name, a[3], a[4])
	}
	if len(network) > hostnet.MaxName || len(address) > hostnet.MaxName {
		return outcome(a, 0, wasi.EINVAL)
	}
	to := [2]string{string(network), string(address)}
	if st := vm.chargeSocket(); st != OK {
		return st
	}
	ctx := vm.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	handle, e := open(vm.net, ctx, uint32(a[0]), to[0], to[1])
	if e != wasi.Success {
		vm.unchargeSocket()
	}
	if tell := vm.observed(); tell != nil {
		tell(fmt.Sprintf("net_%s(%q, %q) = %d", name, to[0], to[1], handle))
	}
	return outcome(a, int(handle), e)
}

func (vm *VM) chargeSocket() Status {
	if vm.net == nil {
		return OK
	}
	vm.reclaim()
	if st := vm.netCrashed(); st != OK {
		return st
	}
	return vm.Charge(hostnet.SocketCost)
}

func (vm *VM) unchargeSocket() {
	if vm.net != nil {
		vm.Heap.ChargeHost(-hostnet.SocketCost)
	}
}

// hostNetOutcome returns the result of dial and listen: EAGAIN while it is open, another error
// number, or 0 and the length of a text at a[1], which has room for a[2] bytes. The text is =, the
// socket's address, a line feed and the address of the other side. Or it is the kind of a
// hostnet.Failure, and its words, or its number in decimal.
func hostNetOutcome(vm *VM, a *ir.Args) Status {
	size := uint64(uint32(a[2]))
	p, ok := vm.bytes(a[1], size)
	if !ok {
		return vm.badAddress("outcome", a[1], size)
	}
	if vm.net == nil {
		a[1] = 0
		return outcome(a, 0, wasi.EBADF)
	}
	local, remote, f, e := vm.net.Outcome(int32(uint32(a[0])))
	text := "=" + local + "\n" + remote
	switch {
	case f != nil && f.Errno == wasi.EIO && vm.netCrashed() != OK:
		return Failed
	case f != nil && f.Kind == hostnet.ByErrno:
		text = fmt.Sprintf("%c%d", f.Kind, f.Errno)
	case f != nil:
		text = string(f.Kind) + f.Text
	}
	a[1] = uint64(copy(p, text))
	if e != wasi.Success {
		a[1] = 0
	}
	return outcome(a, 0, e)
}

// hostNetAccept accepts a connection of listener a[0] as a socket with token a[1], and returns its
// handle. If the memory limit leaves no room, the result is EMFILE, so that a stranger's connection
// cannot end the program.
func hostNetAccept(vm *VM, a *ir.Args) Status {
	if vm.net == nil {
		return outcome(a, 0, wasi.EBADF)
	}
	switch st := vm.chargeSocket(); st {
	case OK:
	case OutOfMemory:
		return outcome(a, 0, wasi.EMFILE)
	default:
		return st
	}
	handle, e := vm.net.Accept(int32(uint32(a[0])), uint32(a[1]))
	if e != wasi.Success {
		vm.unchargeSocket()
	}
	return outcome(a, int(handle), e)
}

// ask calls a method that returns a number for socket a[0].
func (vm *VM) ask(a *ir.Args, method func(*hostnet.Net, int32) (int, wasi.Errno)) Status {
	if vm.net == nil {
		return outcome(a, 0, wasi.EBADF)
	}
	n, e := method(vm.net, int32(uint32(a[0])))
	if e == wasi.EIO {
		if st := vm.netCrashed(); st != OK {
			return st
		}
	}
	return outcome(a, n, e)
}

func hostNetReadable(vm *VM, a *ir.Args) Status { return vm.ask(a, (*hostnet.Net).Readable) }
func hostNetWritable(vm *VM, a *ir.Args) Status { return vm.ask(a, (*hostnet.Net).Writable) }

// transfer moves up to a[2] bytes between a[1] and socket a[0], and returns their number.
func (vm *VM) transfer(name string, a *ir.Args, method func(*hostnet.Net, int32, []byte) (int, wasi.Errno)) Status {
	size := uint64(uint32(a[2]))
	p, ok := vm.bytes(a[1], size)
	if !ok {
		return vm.badAddress(name, a[1], size)
	}
	return vm.ask(a, func(n *hostnet.Net, handle int32) (int, wasi.Errno) { return method(n, handle, p) })
}

func hostNetRead(vm *VM, a *ir.Args) Status  { return vm.transfer("read", a, (*hostnet.Net).Read) }
func hostNetWrite(vm *VM, a *ir.Args) Status { return vm.transfer("write", a, (*hostnet.Net).Write) }

// hostNetShutdown ends the direction a[1] of connection a[0]: 0 is incoming, anything else
// outgoing.
func hostNetShutdown(vm *VM, a *ir.Args) Status {
	if vm.net == nil {
		return outcome(a, 0, wasi.EBADF)
	}
	return outcome(a, 0, vm.net.Shutdown(int32(uint32(a[0])), uint32(a[1]) != 0))
}

// hostNetClose closes socket a[0]. Unsent data is dropped unless a[1] is 0.
func hostNetClose(vm *VM, a *ir.Args) Status {
	if vm.net == nil {
		return outcome(a, 0, wasi.EBADF)
	}
	return outcome(a, 0, vm.net.Close(int32(uint32(a[0])), uint32(a[1]) != 0))
}
