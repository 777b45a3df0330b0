package lang

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// Emulated tables: function number i+1 of funcNames; site s belongs to function
// s%100 at line s.
var funcNames = []string{
	"main.main", "main.f", "main.(*T).M", "runtime.gopanic", "runtime.panicmem", "runtime.Callers",
	"runtime.goexit", "runtime.main", "runtime.rt0", "runtime.(*Frames).Next", "runtime.(*hidden).M",
}

func site(fn string, line int) uintptr {
	for i, name := range funcNames {
		if name == fn {
			return sitePCBase + 2*uintptr(line*100+i+1) + 1
		}
	}
	panic(fn)
}

func host_pcentry(pc uintptr) uintptr {
	if pc > sitePCBase {
		pc = (pc - sitePCBase) >> 1 % 100
	}
	if pc == 0 || pc > uintptr(len(funcNames)) {
		return 0
	}
	return pc
}

func host_pcparams(pc uintptr) int { return 1 }

func copyText(s string, buf *byte, n int) int {
	copy(unsafe.Slice(buf, n), s)
	return len(s)
}

func host_pcname(pc uintptr, buf *byte, n int) int {
	i := host_pcentry(pc)
	if i == 0 {
		return 0
	}
	return copyText(funcNames[i-1], buf, n)
}

func host_pcfile(pc uintptr, buf *byte, n int) (int, int) {
	line := 1
	if pc > sitePCBase {
		line = int(pc-sitePCBase) >> 1 / 100
	}
	return copyText("/src/a.go", buf, n), line
}

// stacks are the frames of each execution stack, innermost first; the current
// one's come after those of this package.
var stacks = map[uintptr][]uintptr{}

func host_callers(stk uintptr, skip int, buf *uintptr, n int) int {
	pcs := stacks[stk]
	if stk == 0 {
		if pcs == nil {
			pcs = []uintptr{site("main.f", 0)}
			skip = 0
			*buf = sitePCBase + 7
			return 1
		}
		pcs = append(make([]uintptr, current), pcs...)
	}
	if skip > len(pcs) {
		return 0
	}
	return copy(unsafe.Slice(buf, n), pcs[skip:])
}

var current int // frames of this package above the stack's in the test at hand

func funcPC(f func()) uintptr { return 7 } // only ever asked for goexit

func TestTraceback(t *testing.T) {
	defer func() { stacks = map[uintptr][]uintptr{}; allgs = nil }()
	curg = &g{id: 1, text: "running", status: grunning}
	other := &g{id: 9, text: "chan receive", stk: 5, status: gwaiting, gopc: site("main.main", 40), parentid: 1}
	fresh := &g{id: 10, text: "runnable", status: grunnable, startpc: 2, gopc: site("main.f", 41), parentid: 9}
	allgs = []*g{curg, other, fresh, {id: 2, system: true, status: gwaiting, stk: 5}, {id: 3, status: gdead}}
	stacks[0] = []uintptr{site("runtime.gopanic", 1), site("runtime.panicmem", 2), site("main.f", 3), site("runtime.gopanic", 4),
		site("main.(*T).M", 5), site("main.main", 6), site("runtime.main", 7), site("runtime.goexit", 8), site("runtime.rt0", 9)}
	stacks[5] = []uintptr{site("runtime.panicmem", 1), site("main.f", 2), site("runtime.goexit", 8)}
	current = 3 + 1 // next, tracepass, traceback, Stack
	buf := make([]byte, 4096)
	got := string(buf[:Stack(buf, false)])
	off := func(fn string, line int) string {
		return fmt.Sprintf("\t/src/a.go:%d +%#x\n", line, (site(fn, line)-sitePCBase)>>1)
	}
	main := "goroutine 1 [running]:\nmain.f(...)\n" + off("main.f", 3) + "panic(...)\n" + off("runtime.gopanic", 4) +
		"main.(*T).M(...)\n" + off("main.(*T).M", 5) + "main.main(...)\n" + off("main.main", 6)
	if got != main {
		t.Errorf("got %s\nwant %s", got, main)
	}
	all := main + "\ngoroutine 9 [chan receive]:\nmain.f(...)\n" + off("main.f", 2) + "created by main.main in goroutine 1\n" + off("main.main", 40) +
		"\ngoroutine 10 [runnable]:\nmain.f(...)\n\t/src/a.go:1\ncreated by main.f in goroutine 9\n" + off("main.f", 41)
	if got := string(buf[:Stack(buf, true)]); got != all {
		t.Errorf("got %s\nwant %s", got, all)
	}
	if n := Stack(buf[:20], false); string(buf[:n]) != main[:20] {
		t.Errorf("%q", buf[:n])
	}

	written = nil
	current = 3 + 2 // and traceother, traceothers
	tracebackall()
	if string(written) != "\n"+all {
		t.Errorf("got %s\nwant %s", written, all)
	}
}

// TestDeepTraceback: more frames than the buffer holds, and elision.
func TestDeepTraceback(t *testing.T) {
	defer func() { stacks = map[uintptr][]uintptr{} }()
	for _, depth := range []int{99, 100, 101, 511, 512, 513, 3000} {
		var pcs []uintptr
		for i := range depth {
			pcs = append(pcs, site("main.f", i+1))
		}
		stacks[5] = append(pcs, site("runtime.goexit", 8))
		written = nil
		traceback(&g{id: 3, stk: 5}, 0, 1)
		got := strings.Count(string(written), "main.f(...)")
		if got != min(depth, 100) || strings.Contains(string(written), fmt.Sprintf("...%d frames elided...\n", depth-100)) != (depth > 100) {
			t.Errorf("depth %d: %d frames\n%s", depth, got, written)
		}
		if !strings.Contains(string(written), fmt.Sprintf("\t/src/a.go:%d +", depth)) {
			t.Errorf("depth %d: the outermost frame is missing", depth)
		}
	}
}

func TestCallers(t *testing.T) {
	defer func() { stacks = map[uintptr][]uintptr{} }()
	stacks[0] = []uintptr{site("main.f", 3), site("main.main", 6), site("runtime.main", 7), site("runtime.goexit", 8), site("runtime.rt0", 9)}
	current = 3 // callersAt, callers, Callers
	pcs := make([]uintptr, 10)
	n := Callers(1, pcs)
	if n != 4 {
		t.Fatal(n)
	}
	frames := CallersFrames(pcs[:n])
	for i, want := range []string{"main.f", "main.main", "runtime.main", "runtime.goexit"} {
		f, more := frames.Next()
		if f.Function != want || more != (i < 3) || f.PC != pcs[i]-1 || f.Func.Name() != want || f.File != "/src/a.go" || f.Func != FuncForPC(f.Entry) {
			t.Error(i, f, more)
		}
	}
	if f, more := frames.Next(); f != (Frame{}) || more {
		t.Error(f, more)
	}
	for _, skip := range []int{-1 << 63, 8, 1000, 1 << 62} {
		if n := Callers(skip, make([]uintptr, 10)); skip > 0 && n != 0 {
			t.Errorf("%d frames from %d on", n, skip)
		}
	}
	current = 2 // callersAt, Caller
	if pc, file, line, ok := Caller(1); !ok || file != "/src/a.go" || line != 6 || pc != pcs[1]-1 {
		t.Error(pc, file, line, ok)
	}
	current = 3
	for i := range 2000 {
		stacks[0] = append([]uintptr{site("main.f", i)}, stacks[0]...)
	}
	for _, skip := range []int{3, 508, 509, 510, 511, 512, 1021, 1022, 1023, 1024, 1999} {
		if n := Callers(skip, pcs[:1]); n != 1 || pcs[0] != site("main.f", 2000-skip) {
			t.Errorf("frame %d: %d %x", skip, n, pcs[0])
		}
	}
	if FuncForPC(0) != nil || FuncForPC(1<<40) != nil {
		t.Error("unknown program counter")
	}
}

func TestTracebackSettings(t *testing.T) {
	for _, c := range []struct {
		env, set string
		want     traceSetting
	}{
		{"", "", traceSetting{1, false}}, {"none", "", traceSetting{1, false}}, {"none", "none", traceSetting{0, false}},
		{"all", "single", traceSetting{1, true}}, {"", "system", traceSetting{2, true}}, {"2", "single", traceSetting{2, true}},
	} {
		gotraceback.known = false
		env["GOTRACEBACK"] = c.env
		setTraceback(c.set)
		if got := traceback_settings(); got != c.want {
			t.Errorf("GOTRACEBACK=%s, SetTraceback(%q): %v, want %v", c.env, c.set, got, c.want)
		}
	}
	gotraceback.known = false
	env["GOTRACEBACK"] = ""
}

func TestPrint(t *testing.T) {
	written = nil
	printlock()
	printint(-1 << 63)
	printsp()
	printuint(1<<64 - 1)
	printsp()
	printhex(0xabc)
	printsp()
	printfloat64(1e100)
	printsp()
	printfloat32(0.1)
	printsp()
	printcomplex(1 - 2i)
	printslice(unsafe.Pointer(uintptr(0x10)), 1, 2)
	printnl()
	if len(written) != 0 {
		t.Error("written before printunlock")
	}
	printunlock()
	if got, want := string(written), "-9223372036854775808 18446744073709551615 0xabc 1e+100 0.1 (1-2i)[1/2]0x10\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	written = nil
	printlock()
	long := strings.Repeat("0123456789", 250)
	printstring("a")
	printstring(long)
	printstring("b")
	printunlock()
	if string(written) != "a"+long+"b" {
		t.Error("long string")
	}
}
