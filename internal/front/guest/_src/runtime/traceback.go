package runtime

// Tracebacks, in Go's format:
//
//	goroutine 1 [running]:
//	main.f(...)
//		/path/file.go:12 +0x1d
//	created by main.main in goroutine 1
//		/path/file.go:7 +0x5
//
// The frames are those of the source, whatever was inlined. Arguments are not
// shown. The number after the line is the site of the call in the program's table.

const (
	traceInner = 50 // frames shown from the innermost on
	traceOuter = 50 // and from the outermost on, when there are more
)

const sitePCBase = 1 << 26 // ir.SitePCBase

// tracepcs is a buffer for program counters. Whoever uses it does so before
// anything else can run.
var tracepcs [512]uintptr

// A tracewalk lists the frames of a goroutine.
type tracewalk struct {
	stk  uintptr
	skip int // frames before those in the buffer
	i, n int // place in the buffer, frames in it
}

// next returns the next return address, or 0 after goexit's, the last.
func (w *tracewalk) next() uintptr {
	if w.i == w.n {
		if w.n != 0 && w.n < len(tracepcs) {
			return 0
		}
		w.skip += w.n
		w.i = 0
		w.n = host_callers(w.stk, w.skip, &tracepcs[0], len(tracepcs))
		charge(uintptr(w.n), frameWeight)
		if w.n <= 0 {
			w.n = 1 // and less than the buffer: no more
			w.i = 1
			return 0
		}
	}
	pc := tracepcs[w.i]
	w.i++
	if isgoexit(pc) {
		w.i, w.n = 1, 1
	}
	return pc
}

func isgoexit(pc uintptr) bool { return host_pcentry(pc) == funcPC(goexit) }

// gotraceback: how much a crash prints, by GOTRACEBACK and debug.SetTraceback.
var gotraceback struct {
	known   bool
	env     traceSetting // the least
	setting traceSetting
}

type traceSetting struct {
	level int // 0 nothing, 1 without frames of this package, 2 everything
	all   bool
}

func parseTraceback(s string) traceSetting {
	switch s {
	case "none":
		return traceSetting{0, false}
	case "single", "":
		return traceSetting{1, false}
	case "all":
		return traceSetting{1, true}
	case "system", "crash", "wer":
		return traceSetting{2, true}
	}
	n, _ := atoi(s)
	return traceSetting{n, true}
}

func traceback_settings() traceSetting {
	if !gotraceback.known {
		gotraceback.known = true
		gotraceback.env = parseTraceback(gogetenv("GOTRACEBACK"))
		gotraceback.setting = gotraceback.env
	}
	return gotraceback.setting
}

func traceLevel() int { return traceback_settings().level }
func traceAll() bool  { return traceback_settings().all }

//go:linkname setTraceback runtime/debug.SetTraceback
func setTraceback(level string) {
	traceback_settings()
	s := parseTraceback(level)
	env := gotraceback.env
	gotraceback.setting = traceSetting{max(s.level, env.level), s.all || env.all}
}

// showfunc reports whether tracebacks show a function. first: it would be the
// first frame shown.
func showfunc(name string, first bool, level int) bool {
	if level > 1 {
		return true
	}
	switch name {
	case "runtime.gopanic":
		return !first // the border between the code that panicked and deferred calls
	case "runtime.runFinalizers", "runtime.runCleanups":
		return true
	}
	if !hasprefix(name, "runtime.") {
		return true
	}
	// Exported functions, and exported methods of exported types.
	name = name[len("runtime."):]
	if i := lastindexbyte(name, '.'); i >= 0 {
		recv := name[:i]
		name = name[i+1:]
		if len(recv) >= 3 && recv[:2] == "(*" && recv[len(recv)-1] == ')' {
			recv = recv[2 : len(recv)-1]
		}
		if !isupper(recv) {
			return false
		}
	}
	return isupper(name)
}

// iswrap reports whether a function makes the call of a go or defer statement that has arguments:
// with kind "gowrap" or "deferwrap".
func iswrap(name, kind string) bool {
	i := lastindexbyte(name, '.')
	return i >= 0 && hasprefix(name[i+1:], kind)
}

func isupper(s string) bool { return s != "" && 'A' <= s[0] && s[0] <= 'Z' }

// goroutineheader prints the line before a traceback.
func goroutineheader(gp *g) {
	printstring("goroutine ")
	printuint(gp.id)
	printstring(" [")
	printstring(gp.statusText())
	if gp.bubbled() {
		printstring(" (durable)")
	}
	if gp.locked != 0 || gp.id == goidMain && sched.initialising {
		printstring(", locked to thread")
	}
	if b := gp.bubble; b != nil {
		printstring(", synctest bubble ")
		printuint(b.id)
	}
	printheaderend(gp.tracelabels())
}

// A label is the pair of package runtime/pprof: gp.labels points to a slice of them.
type label struct{ key, value string }

// tracelabels returns the labels that a header shows: all, or none without the setting tracebacklabels.
func (gp *g) tracelabels() []label {
	if gp.labels == nil || !godebugLabels() {
		return nil
	}
	return *(*[]label)(gp.labels)
}

// printlabels prints labels between what printheaderend puts around them.
func printlabels(labels []label, text func(string)) {
	for i, l := range labels {
		if i > 0 {
			printstring(", ")
		}
		text(l.key)
		printstring(": ")
		text(l.value)
	}
}

// printquoted prints s as the runtime of Go quotes it, which is not what package strconv does.
func printquoted(s string) {
	printlock()
	printstring(`"`)
	for i := 0; i < len(s); {
		r, next := decoderune(s, i)
		switch {
		case r == '\n':
			printstring(`\n`)
		case r == '\r':
			printstring(`\r`)
		case r == '\t':
			printstring(`\t`)
		case r == '\\' || r == '"':
			printstring(`\`)
			printstring(s[i:next])
		case r == runeError && next == i+1 && quotesBytes:
			printescape(`\x`, 2, uint32(s[i]))
		case ' ' <= r && r <= '~':
			printstring(s[i:next])
		case r < 0x7f:
			printescape(`\x`, 2, uint32(r))
		case r < 0x10000:
			printescape(`\u`, 4, uint32(r))
		default:
			printescape(`\U`, 8, uint32(r))
		}
		i = next
	}
	printstring(`"`)
	printunlock()
}

// printescape prints v with a number of hexadecimal digits.
func printescape(prefix string, digits int, v uint32) {
	printstring(prefix)
	for i := digits - 1; i >= 0; i-- {
		d := v >> (4 * i) & 15
		printstring("0123456789abcdef"[d : d+1])
	}
}

// traceback prints the frames of gp. For the current goroutine it begins skip
// frames above traceback's caller.
func traceback(gp *g, skip, level int) {
	var w tracewalk
	if gp == getg() {
		w.skip = 3 + skip // next, tracepass, traceback
	} else {
		w.stk = gp.stk
		if w.stk == 0 {
			// It has not run yet.
			if name := pcname(gp.startpc); name != "" {
				hidden := !showfunc(name, true, level) || iswrap(name, "gowrap")
				printframe(gp.startpc, name)
				if hidden {
					// Go finds nothing to show, and shows everything.
					printframe(funcPC(goexit), "runtime.goexit")
				}
			}
			printcreatedby(gp, level)
			return
		}
	}
	n := tracepass(w, level, -1, 0)
	if n == 0 {
		level = 2
		n = tracepass(w, level, -1, 0)
	}
	if n <= traceInner+traceOuter {
		tracepass(w, level, 0, n)
	} else {
		tracepass(w, level, 0, traceInner)
		printstring("...")
		printint(int64(n - traceInner - traceOuter))
		printstring(" frames elided...\n")
		tracepass(w, level, n-traceOuter, n)
	}
	printcreatedby(gp, level)
}

// tracepass prints the shown frames from number from up to number to; with
// from -1 it counts them. As in Go, the second part begins like a traceback: not
// with the frame of a panic, and not with a wrapper, as what it calls is unknown.
func tracepass(w tracewalk, level, from, to int) int {
	n := 0
	var entry uintptr
	show, second := false, false
	for {
		pc := w.next()
		if pc == 0 {
			return n
		}
		// Frames of the same function in a row are asked for once: recursion.
		if e := host_pcentry(pc); e != entry || n == 0 || n == traceInner || from >= 0 {
			entry = e
			name := pcname(pc)
			show = showfunc(name, n == 0 || n == traceInner, level)
			if n == traceInner && !second && level < 2 && showfunc(name, false, level) {
				second = true
				show = show && !iswrap(name, "deferwrap")
			}
		}
		if !show {
			continue
		}
		if from >= 0 {
			if n == to {
				return n
			}
			if n >= from {
				printframe(pc, pcname(pc))
			}
		}
		n++
	}
}

func printframe(pc uintptr, name string) {
	printfuncname(name)
	if host_pcparams(pc) == 0 {
		printstring("()\n")
	} else {
		printstring("(...)\n")
	}
	printplace(pc)
}

func printfuncname(name string) {
	if name == "runtime.gopanic" {
		name = "panic"
	}
	printstring(name)
}

func printplace(pc uintptr) {
	file, line := pcfile(pc)
	printstring("\t")
	printstring(file)
	printstring(":")
	printint(int64(line))
	if pc > sitePCBase {
		printstring(" +")
		printhex(uint64((pc - sitePCBase) >> 1))
	}
	printnl()
}

func printcreatedby(gp *g, level int) {
	if gp.id == goidMain || gp.gopc == 0 {
		return
	}
	name := pcname(gp.gopc)
	if name == "" || !showfunc(name, false, level) {
		return
	}
	printstring("created by ")
	printfuncname(name)
	if gp.parentid != 0 {
		printstring(" in goroutine ")
		printuint(gp.parentid)
	}
	printnl()
	printplace(gp.gopc)
}

// traceothers prints all goroutines but me, the current one first.
func traceothers(me *g, level int) {
	cur := getg()
	if cur != nil && cur != me {
		traceother(cur, level)
	}
	for _, gp := range allgs {
		if gp != me && gp != cur {
			traceother(gp, level)
		}
	}
}

// tracebubble prints the goroutines of a bubble but me, the current one.
func tracebubble(me *g, level int, b *synctestBubble) {
	for _, gp := range allgs {
		if gp != me && gp.bubble == b {
			traceother(gp, level)
		}
	}
}

func traceother(gp *g, level int) {
	if gp.status == gdead || gp.status == gidle || gp.system && level < 2 {
		return
	}
	printnl()
	goroutineheader(gp)
	traceback(gp, 2, level) // traceother, traceothers
}

// tracebackall prints all goroutines, as fatal errors do that are nobody's.
func tracebackall() {
	if level := traceLevel(); level > 0 {
		traceothers(nil, level)
	}
	flushprint()
}

// Stack formats a stack trace of the calling goroutine into buf and returns
// the number of bytes written to buf. If all is true, Stack formats stack
// traces of all other goroutines into buf after the trace for the current
// goroutine.
func Stack(buf []byte, all bool) int {
	if len(buf) == 0 {
		return 0
	}
	level := max(traceLevel(), 1)
	captureinto(buf)
	gp := getg()
	goroutineheader(gp)
	traceback(gp, 1, level)
	if all {
		traceothers(gp, level)
	}
	return endcapture()
}
