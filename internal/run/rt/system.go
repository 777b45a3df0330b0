package rt

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// system is package wasi's view of the virtual machine.
type system struct{ vm *VM }

func (s system) Monotonic() int64 { return s.vm.Nanotime() }

func (s system) Realtime() uint64 {
	sec, nsec, _ := s.vm.Walltime()
	return uint64(sec)*1e9 + uint64(nsec)
}

func (s system) VirtualTime() bool             { return !s.vm.clock.real }
func (s system) Idle(until int64) bool         { return s.vm.Idle(until) == OK }
func (s system) Random(p []byte)               { s.vm.rng.fill(p) }
func (s system) Block(call wasi.Blocking) bool { return s.vm.Block(call) }
func (s system) Fail(op string, err error) {
	s.vm.pending = s.vm.Fail(op, err)
}
func (s system) Unlocked()     { s.vm.unlocked() }
func (s system) Poll() bool    { return s.vm.Poll() == OK }
func (s system) Hint(h Hint)   { s.vm.hint(h) }
func (s system) Exit(code int) { s.vm.ExitCode = code }

func (s system) Spend(n int64) { s.vm.Exec.Spend(n) }

// Charge may collect. A status that ends the run is kept until the WASI function has returned.
func (s system) Charge(n int64) bool {
	if p := s.vm.procs.self; p != nil { // the world is that of the first program
		return p.first().Heap.ChargeHost(n) == memory.StatusOK
	}
	st := s.vm.Charge(n)
	if st == Interrupted || st == Failed {
		s.vm.pending = st
	}
	return st == OK
}

// imported makes a host function from a function of WASI. Its result is an error number, so after a
// bad address the guest gets an error and continues.
func imported(name string, f wasi.Func) Func {
	return func(vm *VM, a *ir.Args) Status {
		var e wasi.Errno
		if tell := vm.observed(); tell != nil {
			args := *a
			e = f(vm.sys, a)
			tell(wasi.Describe(vm.Space, name, &args, e))
		} else {
			e = f(vm.sys, a)
		}
		if vm.pending != OK {
			return vm.pending
		}
		switch e {
		case wasi.Interrupted:
			return vm.interrupt()
		case wasi.Exited:
			return Exit
		case wasi.OutOfMemory:
			return OutOfMemory
		case wasi.OutputLimit:
			return OutputLimit
		default:
			a[0] = uint64(e)
			return OK
		}
	}
}

// observed returns the observer of calls, or nil.
func (vm *VM) observed() func(string) {
	if o := vm.Config.Observer; o != nil && !vm.inits.free {
		return o.Call
	}
	return nil
}

func hostWrite(vm *VM, a *ir.Args) Status {
	n := int32(uint32(a[2]))
	if n < 0 {
		return vm.Fail("write", ErrValue)
	}
	p, ok := vm.bytes(a[1], uint64(n))
	if !ok {
		return vm.badAddress("write", a[1], uint64(n))
	}
	fd := 0
	if a[0] == 1 || a[0] == 2 {
		fd = int(a[0])
	}
	done, e := vm.sys.Write(fd, p)
	if vm.dying && fd == 2 {
		if done > 0 && done < len(p) {
			vm.report.write(p[:done]) // the guest writes the rest again
		} else {
			vm.report.write(p)
		}
	}
	if tell := vm.observed(); tell != nil {
		tell(fmt.Sprintf("write(%d, %d) = %d", fd, n, done))
	}
	switch {
	case vm.pending != OK:
		return vm.pending
	case e == wasi.Interrupted:
		return vm.interrupt()
	case e == wasi.OutputLimit:
		return OutputLimit
	}
	a[0] = uint64(done)
	return OK
}

// systemHosts are the host functions in this file, by their names in ir.Primitives.
var systemHosts = map[string]Func{
	"exit":    hostExit,
	"dying":   hostDying,
	"fatal":   hostFatal,
	"write":   hostWrite,
	"args":    hostArgs,
	"environ": hostEnviron,
	"askenv":  hostAskenv,
}

func hostExit(vm *VM, a *ir.Args) Status {
	vm.ExitCode = int(int32(uint32(a[0])))
	return Exit
}

// hostDying starts the report of a program's end, which is free, or records the reason.
func hostDying(vm *VM, a *ir.Args) Status {
	const most = 64 << 10
	why, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("dying", a[0], a[1])
	}
	if len(why) > 0 {
		vm.Fatal = string(why[:min(len(why), most)])
	}
	if !vm.dying {
		vm.dying = true
		vm.report.begin(vm)
		if o := vm.Config.Observer; o != nil && o.Report != nil {
			o.Report()
		}
		vm.Exec.StopGas()
	}
	return OK
}

// listening precedes, in a fatal error, an address where the program waits in vain
// (runtime.reportdeadlock).
const listening = " - the program listens on "

func hostFatal(vm *VM, _ *ir.Args) Status {
	if _, where, ok := strings.Cut(vm.Fatal, listening); ok {
		where, _, _ = strings.Cut(where, ",")
		vm.hint(Hint{
			What:  "listen " + where + ": nothing outside of the program can connect to it",
			Flag:  "no flag grants a network",
			Field: "Config.Listen lets connections in, but for those to localhost",
		})
	}
	vm.ExitCode = 2
	return Exit
}

func hostArgs(vm *VM, a *ir.Args) Status {
	vm.text = vm.sys.AppendArgs(vm.text[:0])
	return copyOut(vm, "args", vm.text, a[0], a[1], &a[0])
}

func hostEnviron(vm *VM, a *ir.Args) Status {
	vm.text = vm.sys.AppendEnv(vm.text[:0])
	return copyOut(vm, "environ", vm.text, a[0], a[1], &a[0])
}

// hostAskenv records that the program asked for a variable. The guest learns nothing.
func hostAskenv(vm *VM, a *ir.Args) Status {
	const most = 100
	name, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("askenv", a[0], a[1])
	}
	for _, v := range vm.Config.Env {
		if len(v) > len(name) && v[len(name)] == '=' && v[:len(name)] == string(name) {
			return OK
		}
	}
	for _, v := range vm.asked {
		if v == string(name) {
			return OK // known already; a program that asks in a loop allocates nothing
		}
	}
	if len(name) <= most && len(vm.asked) < maxAsked {
		vm.asked = append(vm.asked, string(name))
		if !vm.stdAsks() {
			vm.hint(Hint{
				What:  fmt.Sprintf("getenv %q: the variable is not granted", name),
				Flag:  "-env NAME[=value] grants one",
				Field: "Config.Env grants one",
				Need:  wasi.NeedEnv, Name: string(name),
			})
		}
	}
	return OK
}

// maxAsked bounds how often the code that asks for a variable is looked up.
const maxAsked = 64

// stdAsks reports whether the standard library itself asks for a variable (GODEBUG, HTTP_PROXY). A
// missing one is not the reason why a program failed.
func (vm *VM) stdAsks() bool {
	pcs := make([]uint64, 16)
	for _, pc := range pcs[:vm.Exec.Callers(0, 0, pcs)] {
		p := vm.PositionOf(pc)
		if !isRuntime(p.Func) && !strings.HasPrefix(p.Func, "syscall.") && !strings.HasPrefix(p.Func, "os.") {
			return strings.HasPrefix(p.File, "$GOROOT/")
		}
	}
	return false
}

// copyOut stores up to size bytes of what at p, and its length in result.
func copyOut[T string | []byte](vm *VM, op string, what T, p, size uint64, result *uint64) Status {
	n := min(int64(size), int64(len(what)))
	if n < 0 {
		return vm.Fail(op, ErrValue)
	}
	b, st := vm.writable(op, p, uint64(n))
	if st != OK {
		return st
	}
	copy(b, what)
	*result = uint64(len(what))
	return OK
}
