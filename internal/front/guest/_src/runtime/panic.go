package runtime

import "unsafe"

// Panics and deferred calls.
//
// A goroutine keeps its pending deferred calls in one list, gp._defer, ordered
// by activation: calls deferred by the innermost activation come first, and those
// of one activation in the opposite order of their defer statements. A frame is
// named by ir_frameid, which grows with depth.
//
// gopanic runs the deferred calls from the innermost on, above the frames of
// the code that panicked. When one of them has called recover, it unwinds to
// the activation that deferred the call, whose recovery block runs what it still
// has deferred (deferreturn) and returns to its caller.
//
// Panics nest: a deferred call that a panic runs may panic itself. gp._panic is
// the list of the panics in progress, innermost first. A Goexit is in this list
// too: it runs deferred calls in the same way, and a recovered panic may not
// unwind past it.

// A _defer is a pending deferred call.
type _defer struct {
	fn    func()
	frame uintptr // activation that deferred it
	link  *_defer
}

// A _panic is a panic or a Goexit in progress.
type _panic struct {
	arg   any
	link  *_panic
	frame uintptr // activation of gopanic or rungoexit that runs the deferred calls

	recovered  bool // a deferred call recovered it
	repanicked bool // and panicked with the same value, which is printed once
	goexit     bool
}

// newpanic hides that gp._panic leads to a record in the frame of gopanic or
// Goexit: the record leaves the list before the frame is dropped.
func newpanic(p *_panic) *_panic { return (*_panic)(noescape(unsafe.Pointer(p))) }

// deferpool is a list of free records.
var deferpool *_defer

// deferproc is the defer statement: the activation frame will call fn when it
// returns. frame is the caller, except that the body of a range-over-func loop
// defers for the function around it, which may have inner activations with
// deferred calls of their own.
func deferproc(frame uintptr, fn func()) {
	gp := getg()
	d := deferpool
	if d != nil {
		deferpool = d.link
	} else {
		d = new(_defer)
	}
	d.fn = fn
	d.frame = frame
	top := gp._defer
	if top == nil || top.frame <= frame {
		d.link = top
		gp._defer = d
		return
	}
	for top.link != nil && top.link.frame > frame {
		top = top.link
	}
	d.link = top.link
	top.link = d
}

// popdefer takes the first deferred call off the list.
func popdefer(gp *g, d *_defer) func() {
	fn := d.fn
	gp._defer = d.link
	d.fn = nil
	d.frame = 0 // it is the tier's own, and states of instances are equal in all tiers
	d.link = deferpool
	deferpool = d
	return fn
}

// deferreturn runs the deferred calls of an activation that returns, or has
// recovered.
func deferreturn(frame uintptr) {
	gp := getg()
	for {
		d := gp._defer
		if d == nil || d.frame != frame {
			return
		}
		fn := popdefer(gp, d)
		fn()
	}
}

// nilpanics is the GODEBUG setting panicnil: panic(nil) panics with nil.
var nilpanics bool

// gopanic is the panic statement.
//
//go:linkname gopanic
func gopanic(v any) {
	if v == nil && !nilpanics {
		v = new(PanicNilError)
	}
	gp := getg()
	p := newpanic(new(_panic))
	p.arg = v
	p.link = gp._panic
	p.frame = ir_frameid()
	gp._panic = p
	for {
		d := gp._defer
		if d == nil {
			break
		}
		frame := d.frame
		fn := popdefer(gp, d)
		fn() // gorecover looks for this activation as its caller
		if p.recovered {
			recovery(gp, p, frame)
		}
	}
	unlockinit(gp)
	preprintpanics(p)
	fatalpanic(gp, p)
}

// recovery continues at the activation that deferred the call which recovered p.
// The panics in progress above that activation end with it, and if
// there is a Goexit among them, it goes on instead.
func recovery(gp *g, p *_panic, frame uintptr) {
	q := p.link
	for q != nil && q.frame > frame {
		if q.goexit {
			gp._panic = q
			ir_unwind(q.frame)
		}
		q = q.link
	}
	gp._panic = q
	if q == nil {
		gp.sigpc = 0
	}
	ir_unwind(frame)
}

// gorecover is the call of recover in the activation frame. It returns the value
// of the innermost panic if that panic called the function itself, not
// through another.
func gorecover(frame uintptr) any {
	p := getg()._panic
	if p == nil || p.goexit || p.recovered || host_parentframe(frame) != p.frame {
		return nil
	}
	p.recovered = true
	return p.arg
}

// Goexit terminates the goroutine that calls it after running its deferred
// calls. Other goroutines are not affected. Calling it from the main goroutine
// lets the others run on; the program crashes when they have all ended.
func Goexit() {
	gp := getg()
	p := newpanic(new(_panic))
	p.goexit = true
	p.link = gp._panic
	gp._panic = p
	gp.goexiting = true
	for {
		rungoexit(gp, p)
	}
}

// rungoexit runs the deferred calls that are left and ends the goroutine. When a recovered panic would have
// unwound past it, it returns, and is called again. The defer statement is there for that: it gives the function a recovery block.
func rungoexit(gp *g, p *_panic) {
	if p == nil {
		defer func() {}()
	}
	p.frame = ir_frameid()
	for {
		d := gp._defer
		if d == nil {
			break
		}
		fn := popdefer(gp, d)
		fn()
	}
	unlockinit(gp)
	goexit0()
}

// unlockinit is the deferred call of package initialisation.
func unlockinit(gp *g) {
	if gp.id == goidMain {
		sched.initialising = false
	}
}

// panicmem raises the error of a nil dereference.
func panicmem() {
	panic(errorString("invalid memory address or nil pointer dereference"))
}

// sigpanic is ir.TrapNil.
//
//go:linkname sigpanic
func sigpanic() {
	gp := getg()
	gp.sigpc = 1
	host_callers(0, 1, &gp.sigpc, 1)
	panicmem()
}

func panicoverflow() { panic(errorString("integer overflow")) }

// preprintpanics turns errors and Stringers into their texts while guest code
// can still run.
func preprintpanics(p *_panic) {
	defer func() {
		const text = "panic while printing panic value"
		switch r := recover().(type) {
		case nil:
		case string:
			throw(text + ": " + r)
		default:
			throw(text + ": type " + typestring(efaceOf(&r)._type))
		}
	}()
	for ; p != nil; p = p.link {
		if samepanic(p) {
			// Printed with the next, which gets the text.
			p.link.repanicked = true
			continue
		}
		switch v := p.arg.(type) {
		case error:
			p.arg = v.Error()
		case stringer:
			p.arg = v.String()
		}
	}
}

// samepanic reports whether p panicked with the very value of the panic before.
func samepanic(p *_panic) bool {
	return p.link != nil && *efaceOf(&p.arg) == *efaceOf(&p.link.arg)
}

// printpanics prints the panics in progress, the first one first.
func printpanics(p *_panic) {
	if p.link != nil {
		printpanics(p.link)
		if p.link.repanicked {
			return
		}
		if !p.link.goexit {
			printstring("\t")
		}
	}
	if p.goexit {
		return
	}
	printstring("panic: ")
	printpanicval(p.arg)
	if p.recovered {
		if p.repanicked {
			printstring(" [recovered, repanicked]")
		} else {
			printstring(" [recovered]")
		}
	}
	printnl()
}

// fatalpanic ends the program because nobody recovered p.
func fatalpanic(gp *g, p *_panic) {
	host_dying("")
	mark := captureprint()
	first := p // of those with this value, which has the text
	for first.link != nil && first.link.repanicked {
		first = first.link
	}
	printpanicval(first.arg)
	msg := "panic: " + releaseprint(mark)

	printpanics(p)
	var deadlocked *synctestBubble
	if e, ok := p.arg.(synctestDeadlockError); ok {
		deadlocked = e.bubble
	}
	dying(gp, traceLevel(), traceAll(), 2, msg, deadlocked)
}

// throw ends the program because of an error in the runtime itself or corrupt
// state.
//
//go:linkname throw
func throw(s string) {
	host_dying("")
	printlock()
	printstring("fatal error: ")
	printindented(s)
	printnl()
	dying(getg(), 2, true, 1, "fatal error: "+s, nil)
}

// fatal ends the program because of an error of the program that it must not recover
// from, such as unlocking an unlocked mutex.
func fatal(s string) { fatalof(s, false) }

// fatalof is fatal. Where Go is on the stack of a processor when it finds the error, it does not tell panics in progress, and shows all goroutines.
func fatalof(s string, processor bool) {
	host_dying("")
	printlock()
	gp := getg()
	if !processor && gp != nil && gp._panic != nil {
		// Guest code does not run any more: the values are printed as they are.
		for p := gp._panic; p != nil; p = p.link {
			if samepanic(p) {
				p.link.repanicked = true
			}
		}
		printpanics(gp._panic)
		printstring("\t")
	}
	printstring("fatal error: ")
	printindented(s)
	printnl()
	dying(gp, traceLevel(), traceAll() || processor, 2, "fatal error: "+s, nil)
}

// isdying is set once the report of the program's end has begun.
var isdying bool

// dying prints the tracebacks and ends the program with status 2. skip is the
// number of frames above dying to leave out. The goroutines of a bubble are shown too, if there is one.
func dying(gp *g, level int, all bool, skip int, msg string, b *synctestBubble) {
	host_dying(msg)
	if isdying {
		printstring("panic during panic\n")
		flushprint()
		host_fatal()
	}
	isdying = true
	if gp != nil && gp.sigpc != 0 {
		printstring("[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=")
		printhex(uint64(gp.sigpc))
		printstring("]\n")
	}
	if level > 0 {
		if gp != nil {
			printnl()
			goroutineheader(gp)
			traceback(gp, skip, level)
		}
		if all {
			traceothers(gp, level)
		} else if b != nil {
			tracebubble(gp, level, b)
		}
	}
	flushprint()
	host_fatal()
}

// Fatal errors of packages that may not import this one.

//go:linkname rand_fatal crypto/rand.fatal
func rand_fatal(s string) { fatal(s) }

//go:linkname sysrand_fatal crypto/internal/sysrand.fatal
func sysrand_fatal(s string) { fatal(s) }

//go:linkname fips_fatal crypto/internal/fips140.fatal
func fips_fatal(s string) { fatal(s) }

//go:linkname maps_fatal internal/runtime/maps.fatal
func maps_fatal(s string) { fatal(s) }
