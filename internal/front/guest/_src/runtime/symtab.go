package runtime

import "unsafe"

// Program counters and functions.
//
// A program counter that guest code sees is the return address that stands for
// a call site, or the index of a function for its entry. The host has the
// tables; here are Go's views of them.

var textbuf [1024]byte

// pcname returns the name of pc's function, "" for an unknown pc. The
// string is valid until the next call of pcname or pcfile.
func pcname(pc uintptr) string {
	n := host_pcname(pc, &textbuf[0], len(textbuf))
	return symbolname(mkstring(unsafe.Pointer(&textbuf), max(0, min(n, len(textbuf)))))
}

// pcfile returns the file and line of pc. The file is valid as long as a name.
func pcfile(pc uintptr) (file string, line int) {
	n, line := host_pcfile(pc, &textbuf[0], len(textbuf))
	return mkstring(unsafe.Pointer(&textbuf), max(0, min(n, len(textbuf)))), line
}

// A Func represents a Go function in the running binary.
type Func struct {
	entry uintptr
	name  string
	file  string // of the last question, which mostly is that of the next
}

// funcs holds the Funcs made so far: a hash table by entry with linear probing.
var funcs struct {
	table []*Func
	count int
}

func funcslot(entry uintptr) **Func {
	mask := uintptr(len(funcs.table) - 1)
	h := entry * 0x9e3779b1
	for {
		p := &funcs.table[h&mask]
		if *p == nil || (*p).entry == entry {
			return p
		}
		h++
	}
}

// FuncForPC returns a *[Func] describing the function that contains the given
// program counter address, or else nil.
//
//go:linkname FuncForPC
func FuncForPC(pc uintptr) *Func {
	entry := host_pcentry(pc)
	if entry == 0 {
		return nil
	}
	if 2*funcs.count >= len(funcs.table) {
		old := funcs.table
		funcs.table = make([]*Func, max(64, 2*len(old)))
		for _, f := range old {
			if f != nil {
				*funcslot(f.entry) = f
			}
		}
	}
	p := funcslot(entry)
	if *p == nil {
		*p = &Func{entry: entry, name: clone(pcname(entry))}
		funcs.count++
	}
	return *p
}

func clone(s string) string { return slicebytetostring(strptr(s), len(s)) }

// fileLine returns a file that stays valid.
func (f *Func) fileLine(pc uintptr) (string, int) {
	file, line := pcfile(pc)
	if file != f.file {
		f.file = clone(file)
	}
	return f.file, line
}

// Name returns the name of the function.
func (f *Func) Name() string {
	if f == nil {
		return ""
	}
	return f.name
}

// Entry returns the entry address of the function.
func (f *Func) Entry() uintptr { return f.entry }

// FileLine returns the file name and line number of the source code
// corresponding to the program counter pc. The result will not be accurate
// if pc is not a program counter within f.
func (f *Func) FileLine(pc uintptr) (file string, line int) { return f.fileLine(pc) }

// callers is Callers for its caller: skip 0 is callers itself.
func callers(skip int, pcs []uintptr) int {
	if len(pcs) == 0 {
		return 0
	}
	n := callersAt(skip+1, &pcs[0], len(pcs))
	// Below goexit there may be frames of the program's start.
	for i := n - 1; i >= 0 && i > n-4; i-- {
		if isgoexit(pcs[i]) {
			return i + 1
		}
	}
	return n
}

// callersAt is host_callers for the current stack; skip 0 is callersAt itself.
// Frames that are skipped are charged too; many are walked over in pieces.
func callersAt(skip int, buf *uintptr, n int) int {
	skip = max(skip, 0)
	if skip > len(tracepcs) {
		for at := 0; at < skip; {
			k := min(skip-at, len(tracepcs))
			charge(uintptr(k), frameWeight)
			if host_callers(0, at, &tracepcs[0], k) < k {
				return 0
			}
			at += k
		}
	} else {
		charge(uintptr(skip), frameWeight)
	}
	charge(uintptr(n), frameWeight)
	return host_callers(0, skip, buf, n)
}

// Caller reports file and line number information about function invocations on
// the calling goroutine's stack. The argument skip is the number of stack frames
// to ascend, with 0 identifying the caller of Caller. The last is runtime.goexit.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	n := callersAt(skip+2, &tracepcs[0], 1)
	if n < 1 {
		return
	}
	pc = tracepcs[0]
	f := FuncForPC(pc)
	if f == nil || f.name == "runtime.rt0" { // which is below goexit
		return 0, "", 0, false
	}
	pc = callpc(pc)
	file, line = f.fileLine(pc)
	return pc, file, line, true
}

// Callers fills the slice pc with the return program counters of function
// invocations on the calling goroutine's stack. The argument skip is the number of
// stack frames to skip before recording in pc, with 0 identifying the frame
// for Callers itself and 1 identifying the caller of Callers. It returns the number
// of entries written to pc. The last frame of a goroutine is runtime.goexit.
func Callers(skip int, pc []uintptr) int { return callers(skip+1, pc) }

// callpc turns a return address into that of the call. The entry of a function
// stays what it is.
func callpc(pc uintptr) uintptr {
	if pc > sitePCBase {
		return pc - 1
	}
	return pc
}

// Frames may be used to get function/file/line information for a slice of PC
// values returned by [Callers].
type Frames struct {
	callers []uintptr
}

// Frame is the information returned by [Frames] for each call frame.
type Frame struct {
	// PC is the program counter for the location in this frame: that of the call
	// for a frame that calls another frame.
	PC uintptr

	// Func is the Func value of this call frame.
	Func *Func

	// Function is the package path-qualified function name of this call frame.
	// If Func is not nil then Function == Func.Name().
	Function string

	// File and Line are the file name and line number of the location in this
	// frame. For non-leaf frames, this will be the location of a call.
	File string
	Line int

	// Entry is the entry point of the function.
	Entry uintptr
}

// CallersFrames takes a slice of PC values returned by [Callers] and prepares
// to return function/file/line information. Do not change the slice until you are
// done with the [Frames].
func CallersFrames(callers []uintptr) *Frames { return &Frames{callers} }

// Next returns a [Frame] representing the next call frame in the slice of PC
// values. If it has already returned all call frames, Next returns a zero [Frame].
// The more result indicates whether the next call to Next will return a valid
// [Frame].
func (ci *Frames) Next() (frame Frame, more bool) {
	ci.skipunknown()
	if len(ci.callers) == 0 {
		return
	}
	pc := ci.callers[0]
	ci.callers = ci.callers[1:]
	f := FuncForPC(pc)
	frame.PC = callpc(pc)
	frame.Func = f
	frame.Function = f.name
	frame.Entry = f.entry
	frame.File, frame.Line = f.fileLine(frame.PC)
	ci.skipunknown()
	return frame, len(ci.callers) > 0
}

func (ci *Frames) skipunknown() {
	for len(ci.callers) > 0 && host_pcentry(ci.callers[0]) == 0 {
		ci.callers = ci.callers[1:]
	}
}
