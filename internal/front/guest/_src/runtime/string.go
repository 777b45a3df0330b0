package runtime

import (
	"internal/bytealg"
	"unsafe"
)

// Strings: concatenation and conversions.

// mkstring returns the n bytes at p as a string.
func mkstring(p unsafe.Pointer, n int) string {
	var s stringStruct
	s.str = p
	s.len = n
	return *(*string)(unsafe.Pointer(&s))
}

func strptr(s string) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(s)) }

// rawstring allocates the bytes of a string that the caller fills.
func rawstring(n int) unsafe.Pointer {
	if uint(n) >= maxAlloc {
		throw("string too long")
	}
	return ir_newbytes(uintptr(n))
}

// tempbuf is the size of the buffers in frames that conversions, concatenations
// and slices of variable length use for what does not escape. The optimiser turns a
// call of F into one of Fbuf, with a buffer as the first operand (opt/buffer.go).
const tempbuf = 32

// rawstringbuf is rawstring with a buffer.
func rawstringbuf(buf unsafe.Pointer, n int) unsafe.Pointer {
	if uint(n) <= tempbuf {
		return buf
	}
	return rawstring(n)
}

func concatstring2buf(buf unsafe.Pointer, a, b string) string {
	n := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 || uint(n) > tempbuf {
		return concatstring2(a, b)
	}
	ir_memmove(buf, strptr(a), uintptr(len(a)))
	ir_memmove(add(buf, uintptr(len(a))), strptr(b), uintptr(len(b)))
	return mkstring(buf, n)
}

func concatstring2(a, b string) string {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	n := len(a) + len(b)
	p := rawstring(n)
	ir_memmove(p, strptr(a), uintptr(len(a)))
	ir_memmove(add(p, uintptr(len(a))), strptr(b), uintptr(len(b)))
	return mkstring(p, n)
}

func concatstring3(a, b, c string) string {
	if len(a) == 0 {
		return concatstring2(b, c)
	}
	if len(b) == 0 {
		return concatstring2(a, c)
	}
	if len(c) == 0 {
		return concatstring2(a, b)
	}
	n := len(a) + len(b) + len(c)
	p := rawstring(n)
	ir_memmove(p, strptr(a), uintptr(len(a)))
	ir_memmove(add(p, uintptr(len(a))), strptr(b), uintptr(len(b)))
	ir_memmove(add(p, uintptr(len(a)+len(b))), strptr(c), uintptr(len(c)))
	return mkstring(p, n)
}

// concatstrings returns a single nonempty operand itself.
func concatstrings(a []string) string {
	n, count, last := 0, 0, 0
	for i := range a {
		if len(a[i]) != 0 {
			n += len(a[i])
			if uint(n) >= maxAlloc {
				throw("string concatenation too long")
			}
			count++
			last = i
		}
	}
	if count == 0 {
		return ""
	}
	if count == 1 {
		return a[last]
	}
	p := ir_newbytes(uintptr(n))
	off := uintptr(0)
	for i := range a {
		ir_memmove(add(p, off), strptr(a[i]), uintptr(len(a[i])))
		off += uintptr(len(a[i]))
	}
	return mkstring(p, n)
}

// bytestrings holds the strings of one byte.
const bytestrings = "" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	"\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f" +
	"\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3a\x3b\x3c\x3d\x3e\x3f" +
	"\x40\x41\x42\x43\x44\x45\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f" +
	"\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5a\x5b\x5c\x5d\x5e\x5f" +
	"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f" +
	"\x70\x71\x72\x73\x74\x75\x76\x77\x78\x79\x7a\x7b\x7c\x7d\x7e\x7f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf" +
	"\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf" +
	"\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf" +
	"\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf" +
	"\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef" +
	"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff"

// slicebytetostring is string(b) for the n bytes at p.
func slicebytetostring(p unsafe.Pointer, n int) string {
	if n == 0 {
		return ""
	}
	if n == 1 {
		return mkstring(add(strptr(bytestrings), uintptr(*(*byte)(p))), 1)
	}
	q := ir_newbytes(uintptr(n))
	ir_memmove(q, p, uintptr(n))
	return mkstring(q, n)
}

func slicebytetostringbuf(buf, p unsafe.Pointer, n int) string {
	if uint(n-2) > tempbuf-2 {
		return slicebytetostring(p, n)
	}
	ir_memmove(buf, p, uintptr(n))
	return mkstring(buf, n)
}

// stringtoslicebyte is []byte(s); the capacity is the size class.
func stringtoslicebyte(s string) []byte {
	n := uintptr(len(s))
	var b slice
	if n == 0 {
		b.array = unsafe.Pointer(&zerobase)
		return *(*[]byte)(unsafe.Pointer(&b))
	}
	c := roundupsize(n, true)
	b.array = ir_newbytes(c)
	b.len = int(n)
	b.cap = int(c)
	ir_memmove(b.array, strptr(s), n)
	return *(*[]byte)(unsafe.Pointer(&b))
}

func stringtoslicebytebuf(buf unsafe.Pointer, s string) []byte {
	n := uintptr(len(s))
	if n-1 > tempbuf-1 {
		return stringtoslicebyte(s)
	}
	var b slice
	b.array = buf
	b.len = int(n)
	b.cap = int(roundupsize(n, true)) // at most tempbuf
	ir_memmove(buf, strptr(s), n)
	ir_memclr(add(buf, n), uintptr(b.cap)-n)
	return *(*[]byte)(unsafe.Pointer(&b))
}

// stringtoslicerune is []rune(s).
func stringtoslicerune(s string) []rune { return runes(nil, 0, s) }

func stringtoslicerunebuf(buf unsafe.Pointer, s string) []rune { return runes(buf, 4*tempbuf, s) }

// runes is []rune(s), in a buffer of the given size if that is enough.
func runes(buf unsafe.Pointer, size uintptr, s string) []rune {
	n := uintptr(countrunes(s))
	var b slice
	if n == 0 {
		b.array = unsafe.Pointer(&zerobase)
		return *(*[]rune)(unsafe.Pointer(&b))
	}
	if n >= maxAlloc/4 {
		throw("out of memory")
	}
	c := roundupsize(n*4, true)
	if c > size {
		b.array = ir_newbytes(c)
	} else {
		b.array = buf
		ir_memclr(add(buf, n*4), c-n*4)
	}
	b.len = int(n)
	b.cap = int(c / 4)
	i := uintptr(0)
	for k := 0; k < len(s); {
		var r rune
		r, k = decoderune(s, k)
		*(*rune)(add(b.array, i)) = r
		i += 4
	}
	return *(*[]rune)(unsafe.Pointer(&b))
}

// countrunes is the number of runes in s.
func countrunes(s string) int {
	n := 0
	for k := 0; k < len(s); n++ {
		if s[k] < runeSelf {
			k++
		} else {
			_, k = decoderune(s, k)
		}
	}
	return n
}

// slicerunetostring is string(a).
func slicerunetostring(a []rune) string {
	n := textlen(a)
	if n == 0 {
		return ""
	}
	return runetext(rawstring(n), n, a)
}

func slicerunetostringbuf(buf unsafe.Pointer, a []rune) string {
	n := textlen(a)
	return runetext(rawstringbuf(buf, n), n, a)
}

// textlen is the length of string(a).
func textlen(a []rune) int {
	n := 0
	for _, r := range a {
		n += runelen(r)
	}
	return n
}

// runetext stores the n bytes of string(a) at p.
func runetext(p unsafe.Pointer, n int, a []rune) string {
	off := uintptr(0)
	for _, r := range a {
		off += uintptr(encoderune(add(p, off), r))
	}
	return mkstring(p, n)
}

// intstring is string(v) for an integer v.
func intstring(v int64) string {
	r := rune(v)
	if int64(r) != v {
		r = runeError
	}
	if uint32(r) < runeSelf {
		return mkstring(add(strptr(bytestrings), uintptr(r)), 1)
	}
	n := runelen(r)
	p := ir_newbytes(uintptr(n))
	encoderune(p, r)
	return mkstring(p, n)
}

func intstringbuf(buf unsafe.Pointer, v int64) string {
	r := rune(v)
	if int64(r) != v {
		r = runeError
	}
	return mkstring(buf, encoderune(buf, r))
}

// UTF-8.

const (
	runeError = '\uFFFD'
	runeSelf  = 0x80
	maxRune   = '\U0010FFFF'
)

// runelen is the length of the encoding of r, or of U+FFFD if r has none.
func runelen(r rune) int {
	switch {
	case uint32(r) < runeSelf:
		return 1
	case uint32(r) < 0x800:
		return 2
	case uint32(r) > maxRune, uint32(r) < 0x10000:
		return 3
	}
	return 4
}

// encoderune stores the encoding of r at p and returns its length.
func encoderune(p unsafe.Pointer, r rune) int {
	c := uint32(r)
	if c < runeSelf {
		*(*byte)(p) = byte(c)
		return 1
	}
	if c < 0x800 {
		q := (*[2]byte)(p)
		q[0] = 0xC0 | byte(c>>6)
		q[1] = 0x80 | byte(c)&0x3F
		return 2
	}
	if c > maxRune || c-0xD800 < 0x800 {
		c = runeError
	}
	if c < 0x10000 {
		q := (*[3]byte)(p)
		q[0] = 0xE0 | byte(c>>12)
		q[1] = 0x80 | byte(c>>6)&0x3F
		q[2] = 0x80 | byte(c)&0x3F
		return 3
	}
	q := (*[4]byte)(p)
	q[0] = 0xF0 | byte(c>>18)
	q[1] = 0x80 | byte(c>>12)&0x3F
	q[2] = 0x80 | byte(c>>6)&0x3F
	q[3] = 0x80 | byte(c)&0x3F
	return 4
}

// decoderune decodes the rune of s that begins at k, which is in range, and
// returns the position after it. An invalid sequence is U+FFFD of one byte.
func decoderune(s string, k int) (r rune, next int) {
	b0 := s[k]
	if b0 < runeSelf {
		return rune(b0), k + 1
	}
	n := len(s) - k
	switch {
	case b0 < 0xC2:
		// a continuation byte, or an overlong form of two bytes
	case b0 < 0xE0:
		if n < 2 {
			break
		}
		b1 := s[k+1]
		if b1&0xC0 != 0x80 {
			break
		}
		return rune(b0&0x1F)<<6 | rune(b1&0x3F), k + 2
	case b0 < 0xF0:
		if n < 3 {
			break
		}
		b1, b2 := s[k+1], s[k+2]
		if b1&0xC0 != 0x80 || b2&0xC0 != 0x80 {
			break
		}
		r = rune(b0&0x0F)<<12 | rune(b1&0x3F)<<6 | rune(b2&0x3F)
		if r < 0x800 || uint32(r)-0xD800 < 0x800 {
			break
		}
		return r, k + 3
	case b0 < 0xF5:
		if n < 4 {
			break
		}
		b1, b2, b3 := s[k+1], s[k+2], s[k+3]
		if b1&0xC0 != 0x80 || b2&0xC0 != 0x80 || b3&0xC0 != 0x80 {
			break
		}
		r = rune(b0&0x07)<<18 | rune(b1&0x3F)<<12 | rune(b2&0x3F)<<6 | rune(b3&0x3F)
		if r < 0x10000 || r > maxRune {
			break
		}
		return r, k + 4
	}
	return runeError, k + 1
}

// gostring copies the zero-terminated string at p.
func gostring(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(add(unsafe.Pointer(p), uintptr(n))) != 0 {
		n++
	}
	return slicebytetostring(unsafe.Pointer(p), n)
}

//go:linkname internal_syscall_gostring internal/syscall/unix.gostring
func internal_syscall_gostring(p *byte) string { return gostring(p) }

// Helpers of this package.

func hasprefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}

func indexbyte(s string, c byte) int { return bytealg.IndexByteString(s, c) }

func lastindexbyte(s string, c byte) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// atoi reads a decimal number that is not negative.
func atoi(s string) (n int, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	return n, true
}

// utoa is v in decimal.
func utoa(v uint64) string {
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
	return string(buf[i:])
}

func itoa(v int64) string {
	if v < 0 {
		return "-" + utoa(-uint64(v))
	}
	return utoa(uint64(v))
}
