package runtime

import (
	"internal/strconv"
	"unsafe"
)

// The print and println builtins. A statement becomes calls of the functions
// below between printlock and printunlock; its text goes to standard error in
// one piece.

var printing struct {
	depth   int // of printlock
	n       int // bytes in buf
	buf     [1024]byte
	capture bool   // text goes to text instead
	text    []byte // never reallocated by gwrite if limited
	limited bool   // drop what does not fit the capacity of text
}

func printlock() { printing.depth++ }

func printunlock() {
	printing.depth--
	if printing.depth == 0 {
		flushprint()
	}
}

// flushprint writes what is buffered.
func flushprint() {
	n := printing.n
	printing.n = 0
	if n > 0 {
		writeall(2, unsafe.Pointer(&printing.buf), n)
	}
}

func writeall(fd uintptr, p unsafe.Pointer, n int) {
	for n > 0 {
		m := host_write(fd, p, int32(min(n, 1<<20)))
		if m <= 0 {
			return
		}
		p = add(p, uintptr(m))
		n -= int(m)
	}
}

//go:linkname write
func write(fd uintptr, p unsafe.Pointer, n int32) int32 {
	charge(uintptr(n), ioWeight)
	return host_write(fd, p, n)
}

// gwrite prints n bytes.
func gwrite(p unsafe.Pointer, n int) {
	charge(uintptr(n), ioWeight)
	if printing.capture {
		b := printing.text
		if printing.limited {
			n = min(n, cap(b)-len(b))
		}
		printing.text = append(b, mkstring(p, n)...)
		return
	}
	if n > len(printing.buf)-printing.n {
		flushprint()
		if n > len(printing.buf) {
			writeall(2, p, n)
			return
		}
	}
	ir_memmove(add(unsafe.Pointer(&printing.buf), uintptr(printing.n)), p, uintptr(n))
	printing.n += n
	if printing.depth == 0 {
		flushprint()
	}
}

// captureprint collects what is printed from now on, until releaseprint gives
// it back. It returns what was being collected.
func captureprint() []byte {
	old := printing.text
	printing.text = nil
	printing.limited = false
	printing.capture = true
	return old
}

func releaseprint(old []byte) string {
	s := string(printing.text)
	printing.text = old
	printing.capture = old != nil
	return s
}

// captureinto collects what is printed into b, as far as it fits.
func captureinto(b []byte) {
	printing.text = b[:0:len(b)]
	printing.limited = true
	printing.capture = true
}

// endcapture returns the number of bytes collected.
func endcapture() int {
	n := len(printing.text)
	printing.text = nil
	printing.capture = false
	printing.limited = false
	return n
}

func printstring(s string) { gwrite(strptr(s), len(s)) }
func printsp()             { printstring(" ") }
func printnl()             { printstring("\n") }

func printbool(v bool) {
	if v {
		printstring("true")
	} else {
		printstring("false")
	}
}

func printbytes(b []byte) { gwrite(unsafe.Pointer(unsafe.SliceData(b)), len(b)) }

func printuint(v uint64) {
	var buf [20]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + v%10)
		v /= 10
		if v == 0 {
			break
		}
	}
	printbytes(buf[i:])
}

func printint(v int64) {
	if v < 0 {
		printstring("-")
		v = -v
	}
	printuint(uint64(v))
}

func printhex(v uint64) {
	const digits = "0123456789abcdef"
	var buf [18]byte
	i := len(buf)
	for {
		i--
		buf[i] = digits[v&15]
		v >>= 4
		if v == 0 {
			break
		}
	}
	i -= 2
	buf[i] = '0'
	buf[i+1] = 'x'
	printbytes(buf[i:])
}

// Floats print in the shortest form that reads back as the same value.

func printfloat(v float64) { printfloat64(v) }

func printfloat64(v float64) {
	var buf [24]byte
	printbytes(strconv.AppendFloat(buf[:0], v, 'g', -1, 64))
}

func printfloat32(v float32) {
	var buf [15]byte
	printbytes(strconv.AppendFloat(buf[:0], float64(v), 'g', -1, 32))
}

func printcomplex(v complex128) { printcomplex128(v) }

func printcomplex128(v complex128) {
	var buf [2*24 + 3]byte
	printbytes(strconv.AppendComplex(buf[:0], v, 'g', -1, 128))
}

func printcomplex64(v complex64) {
	var buf [2*15 + 3]byte
	printbytes(strconv.AppendComplex(buf[:0], complex128(v), 'g', -1, 64))
}

func printpointer(p unsafe.Pointer) { printhex(uint64(uintptr(p))) }
func printuintptr(p uintptr)        { printhex(uint64(p)) }

// printslice prints [length/capacity]address.
func printslice(p unsafe.Pointer, n, c int) {
	printstring("[")
	printint(int64(n))
	printstring("/")
	printint(int64(c))
	printstring("]")
	printpointer(p)
}

func printeface(t, data unsafe.Pointer) {
	printstring("(")
	printpointer(t)
	printstring(",")
	printpointer(data)
	printstring(")")
}

func printiface(t, data unsafe.Pointer) { printeface(t, data) }
