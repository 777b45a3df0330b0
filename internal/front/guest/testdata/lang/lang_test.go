package lang

import (
	"math"
	mrand "math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"emulated/abi"
)

func typeOf(v any) *_type { return efaceOf(&v)._type }

// TestGrowSlice compares lengths and capacities with those of append.
func TestGrowSlice(t *testing.T) {
	check := func(et *_type, newLen, oldCap, num, wantCap int) {
		t.Helper()
		old := unsafe.Pointer(unsafe.SliceData(make([]byte, max(1, oldCap*int(et.Size_)))))
		p, n, c := growslice(old, newLen, oldCap, num, et)
		if n != newLen || c != wantCap || p == nil {
			t.Errorf("growslice(newLen %d, oldCap %d, size %d) = len %d, cap %d; want cap %d", newLen, oldCap, et.Size_, n, c, wantCap)
		}
	}
	for i := range 3000 {
		oldCap, num := i, 1+i%7
		if i%5 == 0 {
			num = 1 + i*i%5000
		}
		check(typeOf(byte(0)), oldCap+num, oldCap, num, cap(append(make([]byte, oldCap), make([]byte, num)...)))
		check(typeOf(int32(0)), oldCap+num, oldCap, num, cap(append(make([]int32, oldCap), make([]int32, num)...)))
		check(typeOf(int(0)), oldCap+num, oldCap, num, cap(append(make([]int, oldCap), make([]int, num)...)))
		check(typeOf(""), oldCap+num, oldCap, num, cap(append(make([]string, oldCap), make([]string, num)...)))
		check(typeOf([3]int16{}), oldCap+num, oldCap, num, cap(append(make([][3]int16, oldCap), make([][3]int16, num)...)))
		check(typeOf([3]*int{}), oldCap+num, oldCap, num, cap(append(make([][3]*int, oldCap), make([][3]*int, num)...)))
		check(typeOf([5]*int{}), oldCap+num, oldCap, num, cap(append(make([][5]*int, oldCap), make([][5]*int, num)...)))
		check(typeOf([100]byte{}), oldCap+num, oldCap, num, cap(append(make([][100]byte, oldCap), make([][100]byte, num)...)))
	}
	check(typeOf(struct{}{}), 7, 3, 4, 7)
}

func TestGrowSliceCopies(t *testing.T) {
	s := []int{1, 2, 3}
	p, n, c := growslice(unsafe.Pointer(&s[0]), 5, 3, 2, typeOf(0))
	if got := unsafe.Slice((*int)(p), c); n != 5 || !slices.Equal(got, []int{1, 2, 3, 0, 0, 0}) {
		t.Error(n, got)
	}
}

func TestReflectGrowslice(t *testing.T) {
	s := make([]int, 2, 3)
	s = append(s[:2], 7)[:2]
	got := reflect_growslice(typeOf(0), *(*slice)(unsafe.Pointer(&s)), 4)
	v := reflect.ValueOf(&s).Elem()
	v.Grow(4)
	if got.len != v.Len() || got.cap != v.Cap() || unsafe.Slice((*int)(got.array), 3)[2] != 7 {
		t.Error(got.len, got.cap, v.Len(), v.Cap())
	}
}

func TestMakeSlice(t *testing.T) {
	for _, c := range []struct {
		n, cap int
		want   string
	}{
		{-1, 4, "runtime error: makeslice: len out of range"},
		{4, 3, "runtime error: makeslice: cap out of range"},
		{1 << 40, 1 << 40, "runtime error: makeslice: len out of range"},
		{1, 1 << 40, "runtime error: makeslice: cap out of range"},
		{1, -1, "runtime error: makeslice: cap out of range"},
		{2, 3, ""},
	} {
		if got := errorOf(func() { makeslice(typeOf(0), c.n, c.cap) }); got != c.want {
			t.Errorf("makeslice(%d, %d): %q, want %q", c.n, c.cap, got, c.want)
		}
	}
}

func errorOf(f func()) (text string) {
	defer func() {
		if e := recover(); e != nil {
			text = e.(error).Error()
		}
	}()
	f()
	return ""
}

// randomString has valid and broken UTF-8.
func randomString(r *mrand.Rand) string {
	var b strings.Builder
	for range r.IntN(20) {
		switch r.IntN(4) {
		case 0:
			b.WriteByte(byte(r.Uint32()))
		case 1:
			b.WriteByte("\xe0\xed\xf0\xf4\x80\xbf\xc0\xc1\x9f\xa0\x90\x8f"[r.IntN(12)])
		case 2:
			b.WriteRune(rune(r.Uint32N(0x110000)))
		default:
			b.WriteByte(byte('a' + r.IntN(26)))
		}
	}
	return b.String()
}

var sink []byte
var sinkRunes []rune

func TestStrings(t *testing.T) {
	r := mrand.New(mrand.NewPCG(1, 2))
	for range 20000 {
		a, b, c := randomString(r), randomString(r), randomString(r)
		if got := concatstring2(a, b); got != a+b {
			t.Fatalf("%q+%q = %q", a, b, got)
		}
		if got := concatstring3(a, b, c); got != a+b+c {
			t.Fatalf("%q+%q+%q = %q", a, b, c, got)
		}
		if got := concatstrings([]string{a, b, "", c, a}); got != a+b+c+a {
			t.Fatalf("concatstrings: %q", got)
		}
		sink = []byte(a)
		if got := stringtoslicebyte(a); string(got) != a || got == nil || cap(got) != cap(sink) {
			t.Fatalf("[]byte(%q): cap %d, want %d", a, cap(got), cap(sink))
		}
		if got := slicebytetostring(unsafe.Pointer(unsafe.SliceData([]byte(a))), len(a)); got != a {
			t.Fatalf("string([]byte(%q)) = %q", a, got)
		}
		sinkRunes = []rune(a)
		got := stringtoslicerune(a)
		if !slices.Equal(got, sinkRunes) || got == nil || cap(got) != cap(sinkRunes) {
			t.Fatalf("[]rune(%q) = %q cap %d, want cap %d", a, got, cap(got), cap(sinkRunes))
		}
		if n := countrunes(a); n != len(sinkRunes) {
			t.Fatalf("countrunes(%q) = %d", a, n)
		}
		if len(sinkRunes) > 0 {
			sinkRunes[r.IntN(len(sinkRunes))] = rune(r.Uint32())
		}
		if got := slicerunetostring(sinkRunes); got != string(sinkRunes) {
			t.Fatalf("string(%x) = %q", sinkRunes, got)
		}
	}
	for i := range 256 {
		b := byte(i)
		if got := slicebytetostring(unsafe.Pointer(&b), 1); got != string([]byte{b}) {
			t.Fatalf("string of byte %#x = %q", b, got)
		}
	}
	for _, v := range []int64{0, 'a', 0x7f, 0x80, 0xff, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff, 0x10000, 0x10ffff, 0x110000, -1, 1 << 40} {
		want := "\uFFFD"
		if v == int64(rune(v)) {
			want = string(rune(v))
		}
		if got := intstring(v); got != want {
			t.Errorf("intstring(%#x) = %q, want %q", v, got, want)
		}
	}
}

// TestBoundsErrors compares texts with those of the running Go.
func TestBoundsErrors(t *testing.T) {
	s := make([]int, 2, 5)
	str := "ab"
	var n, m, k = -1, 9, 3
	u := uint64(1 << 63)
	z := 0
	for _, c := range []struct {
		want func()
		got  func()
	}{
		{func() { _ = s[n] }, func() { panicIndex(n, 2) }},
		{func() { _ = s[m] }, func() { panicIndex(m, 2) }},
		{func() { _ = s[u] }, func() { panicIndexU(int(u), 2) }},
		{func() { _ = str[:m] }, func() { panicSliceAlen(m, 2) }},
		{func() { _ = str[:n] }, func() { panicSliceAlen(n, 2) }},
		{func() { _ = str[:u] }, func() { panicSliceAlenU(int(u), 2) }},
		{func() { _ = s[:m] }, func() { panicSliceAcap(m, 5) }},
		{func() { _ = s[:n] }, func() { panicSliceAcap(n, 5) }},
		{func() { _ = s[:u] }, func() { panicSliceAcapU(int(u), 5) }},
		{func() { _ = s[k:1] }, func() { panicSliceB(k, 1) }},
		{func() { _ = s[n:1] }, func() { panicSliceB(n, 1) }},
		{func() { _ = s[u:1] }, func() { panicSliceBU(int(u), 1) }},
		{func() { _ = s[0:0:m] }, func() { panicSlice3Acap(m, 5) }},
		{func() { _ = s[0:0:n] }, func() { panicSlice3Acap(n, 5) }},
		{func() { _ = s[0:0:u] }, func() { panicSlice3AcapU(int(u), 5) }},
		{func() { _ = s[0:k:2] }, func() { panicSlice3B(k, 2) }},
		{func() { _ = s[0:n:2] }, func() { panicSlice3B(n, 2) }},
		{func() { _ = s[k:2:4] }, func() { panicSlice3C(k, 2) }},
		{func() { _ = s[n:2:4] }, func() { panicSlice3C(n, 2) }},
		{func() { _ = s[u:2:4] }, func() { panicSlice3CU(int(u), 2) }},
		{func() { _ = [4]int(s) }, func() { panicSliceConvert(4, 2) }},
		{func() { _ = 1 / z }, panicdivide},
		{func() { _ = 1 << n }, panicshift},
	} {
		want, got := errorOf(c.want), errorOf(c.got)
		if want != got || want == "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	arr := (*[2]int)(s)
	if want, got := errorOf(func() { _ = arr[0:1:m] }), errorOf(func() { panicSlice3Alen(m, 2) }); want != got {
		t.Errorf("%q, want %q", got, want)
	}
}

type T struct{ a int }

func (T) M() {}

type G[P any] struct{ a P }

func (G[P]) M() {}

func TestPanicWrap(t *testing.T) {
	var p *T
	var q *G[map[string]T]
	for _, c := range []struct {
		i    interface{ M() }
		recv string
	}{{p, "emulated/lang.T"}, {q, "emulated/lang.G[map[string]emulated/lang.T]"}} {
		want := errorOf(func() { c.i.M() })
		if got := errorOf(func() { panicwrap(c.recv, "M") }); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTypeAssertionError(t *testing.T) {
	var x any = 1
	var e error = (*runtime.PanicNilError)(nil)
	var none any
	type S string
	etype := (*_type)(unsafe.Pointer((*abi.InterfaceType)(unsafe.Pointer((*abi.PtrType)(unsafe.Pointer(typeOf((*error)(nil)))).Elem))))
	anytype := (*abi.PtrType)(unsafe.Pointer(typeOf((*any)(nil)))).Elem
	for _, c := range []struct {
		want func()
		got  TypeAssertionError
	}{
		{func() { _ = x.(string) }, TypeAssertionError{anytype, typeOf(1), typeOf(""), ""}},
		{func() { _ = none.(string) }, TypeAssertionError{anytype, nil, typeOf(""), ""}},
		{func() { _ = none.(error) }, TypeAssertionError{nil, nil, etype, ""}},
		{func() { _ = x.(error) }, TypeAssertionError{nil, typeOf(1), etype, "Error"}},
		{func() { _ = e.(*TypeAssertionError) }, TypeAssertionError{etype, typeOf(e), typeOf((*TypeAssertionError)(nil)), ""}},
	} {
		if want, got := errorOf(c.want), c.got.Error(); want != got {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestUnsafeErrors(t *testing.T) {
	n := -1
	p, null := new(int), (*int)(nil)
	for _, c := range []struct{ want, got func() }{
		{func() { _ = unsafe.Slice(p, n) }, func() { unsafeslice(typeOf(0), unsafe.Pointer(p), n) }},
		{func() { _ = unsafe.Slice(null, -n) }, func() { unsafeslice(typeOf(0), nil, -n) }},
		{func() { _ = unsafe.String((*byte)(unsafe.Pointer(p)), n) }, func() { unsafestring(unsafe.Pointer(p), n) }},
		{func() { _ = unsafe.String((*byte)(unsafe.Pointer(null)), -n) }, func() { unsafestring(nil, -n) }},
	} {
		if want, got := errorOf(c.want), errorOf(c.got); want != got || got == "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	unsafeslice(typeOf(0), nil, 0)
	unsafestring(nil, 0)
}

type mixed struct {
	i  int8
	f  float64
	s  string
	_  int
	e  any
	c  complex64
	a  [2]float32
	er error
}

// TestHash: equal values have equal hashes, below 2^32; hashing panics exactly
// where native map access does.
func TestHash(t *testing.T) {
	negzero := math.Copysign(0, -1)
	b1, b2 := strings.Repeat("x", 5), "xxxxx"
	for _, c := range [][2]any{
		{1, 1}, {"a" + b1, "a" + b2}, {0.0, negzero}, {float32(0), float32(negzero)},
		{complex(0, 1), complex(negzero, 1)}, {[2]any{1, b1}, [2]any{1, b2}},
		{mixed{f: 0, s: b1, e: 0.0}, mixed{f: negzero, s: b2, e: negzero}},
	} {
		for _, seed := range []uintptr{0, 1, 1 << 63} {
			x, y := nilinterhash(unsafe.Pointer(&c[0]), seed), nilinterhash(unsafe.Pointer(&c[1]), seed)
			if x != y || x >= 1<<32 {
				t.Errorf("hash of %v and %v: %x, %x", c[0], c[1], x, y)
			}
			if !nilinterequal(unsafe.Pointer(&c[0]), unsafe.Pointer(&c[1])) {
				t.Errorf("%v and %v are not equal", c[0], c[1])
			}
		}
	}
	nan := any(math.NaN())
	if nilinterhash(unsafe.Pointer(&nan), 0) == nilinterhash(unsafe.Pointer(&nan), 0) {
		t.Error("NaN hashes alike twice")
	}
	if nilinterequal(unsafe.Pointer(&nan), unsafe.Pointer(&nan)) {
		t.Error("NaN equals NaN")
	}
	for _, v := range []any{[]int{1}, map[int]int{}, func() {}, struct{ a []int }{}, [1]func(){}} {
		if got, want := errorOf(func() { nilinterhash(unsafe.Pointer(&v), 0) }), "runtime error: hash of unhashable type "+reflect.TypeOf(v).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := errorOf(func() { nilinterequal(unsafe.Pointer(&v), unsafe.Pointer(&v)) }), errorOf(func() { _ = v == v }); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	x, y := any(&mixed{}), any(&mixed{})
	if nilinterequal(unsafe.Pointer(&x), unsafe.Pointer(&y)) || !nilinterequal(unsafe.Pointer(&x), unsafe.Pointer(&x)) {
		t.Error("pointers")
	}
}

func TestNumbers(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 10, 12345, math.MaxInt64, math.MinInt64} {
		if got := itoa(v); got != strconv.FormatInt(v, 10) {
			t.Errorf("itoa(%d) = %q", v, got)
		}
	}
	for s, want := range map[string]int{"0": 0, "17": 17, "": -1, "-1": -1, "1x": -1, "9999999999": -1} {
		n, ok := atoi(s)
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("atoi(%q) = %d, %v", s, n, ok)
		}
	}
	written = nil
	printindented("a\nb\n")
	if string(written) != "a\n\tb\n\t" {
		t.Errorf("%q", written)
	}
}
