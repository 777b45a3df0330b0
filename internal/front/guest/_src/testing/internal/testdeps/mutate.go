package testdeps

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
	_ "unsafe" // for go:linkname
)

// Inputs are changed a little, several times over: mostly once or twice, now and then more.

//go:linkname runtimeRand runtime.rand
func runtimeRand() uint64

// A random is a generator of its own, so that what the target draws changes nothing.
// It is SplitMix64.
type random uint64

func newRandom() random { return random(runtimeRand()) }

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a number from 0 up to n, n excluded. n is positive.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// few returns a number from 1 to n, mostly a small one.
func (r *random) few(n int) int { return 1 + r.below(1+r.below(max(n, 1))) }

// maxMutations is how often an input is changed at most.
const maxMutations = 5

// mutate changes values, which are the callee's; what they refer to is not.
func (z *fuzzer) mutate(values []any) []any {
	r := &z.rand
	for range r.few(maxMutations) {
		i := r.below(len(values))
		values[i] = z.mutateValue(values[i])
	}
	return values
}

func (z *fuzzer) mutateValue(v any) any {
	r := &z.rand
	switch v := v.(type) {
	case string:
		return string(z.mutateBytes([]byte(v)))
	case []byte:
		return z.mutateBytes(bytes.Clone(v))
	case bool:
		return !v
	}
	x, t := reflect.ValueOf(v), reflect.TypeOf(v)
	out := reflect.New(t).Elem()
	switch {
	case x.CanInt():
		out.SetInt(int64(r.number(uint64(x.Int())))) // cut to the type
	case x.CanUint():
		out.SetUint(r.number(x.Uint()))
	default:
		out.SetFloat(r.float(x.Float(), t.Bits()))
	}
	return out.Interface()
}

// number changes an integer, whose upper bits do not matter.
func (r *random) number(n uint64) uint64 {
	switch r.below(5) {
	case 0:
		return n + uint64(r.few(100))
	case 1:
		return n - uint64(r.few(100))
	case 2:
		return n ^ 1<<r.below(64)
	case 3:
		return interesting[r.below(len(interesting))]
	}
	return r.next() >> r.below(64)
}

// interesting are numbers at which programs tend to differ; most of them are bounds of types.
var interesting = [...]uint64{
	0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 4095, 4096, 4097,
	32767, 32768, 32769, 65535, 65536, 65537, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1,
	^uint64(0), ^uint64(1), ^uint64(127), ^uint64(128), ^uint64(32767), ^uint64(32768), 0xffffffff80000000, 0xffffffff7fffffff,
}

// float changes a floating-point number of a type of the given bits.
func (r *random) float(x float64, bits int) float64 {
	switch r.below(6) {
	case 0:
		return x + float64(r.few(1000))
	case 1:
		return -x
	case 2:
		return x * (1 + float64(r.few(100))/float64(r.few(100)))
	case 3:
		special := [...]float64{0, math.Copysign(0, -1), 1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, 1 << 53, 1 << 24}
		return special[r.below(len(special))]
	case 4:
		return float64(int64(r.number(uint64(int64(x)))))
	}
	if bits == 32 {
		return float64(math.Float32frombits(math.Float32bits(float32(x)) ^ 1<<r.below(32)))
	}
	return math.Float64frombits(math.Float64bits(x) ^ 1<<r.below(64))
}

// maxInput bounds the bytes of a string or slice that mutations make.
const maxInput = 1 << 16

// mutateBytes changes bytes, which are the callee's.
func (z *fuzzer) mutateBytes(b []byte) []byte {
	r := &z.rand
	if len(b) == 0 {
		return r.bytes(r.few(16))
	}
	// A part of b, where one is needed.
	at := r.below(len(b))
	n := r.few(len(b) - at)
	part := b[at : at+n]
	room := maxInput - len(b)
	switch op := r.below(14); op {
	case 0: // leave out
		return append(b[:at], b[at+n:]...)
	case 1: // insert random bytes
		return insert(b, at, r.bytes(r.few(16)), room)
	case 2: // insert one byte over and over
		return insert(b, at, bytes.Repeat([]byte{byte(r.next())}, r.few(64)), room)
	case 3: // repeat
		return insert(b, r.below(len(b)+1), bytes.Clone(part), room)
	case 4: // copy over another place
		copy(b[r.below(len(b)):], bytes.Clone(part))
	case 5: // flip a bit
		b[at] ^= 1 << r.below(8)
	case 6: // another byte
		b[at] = byte(r.next())
	case 7: // a little more or less
		b[at] += byte(r.few(35))
	case 8:
		b[at] -= byte(r.few(35))
	case 9: // swap
		to := r.below(len(b))
		b[at], b[to] = b[to], b[at]
	case 10: // shuffle
		for i := range part {
			j := i + r.below(len(part)-i)
			part[i], part[j] = part[j], part[i]
		}
	case 11: // a number of 1, 2, 4 or 8 bytes, in either order
		size := 1 << r.below(4)
		if at+size <= len(b) {
			x, high := interesting[r.below(len(interesting))], r.below(2)
			for i := range size {
				k := i
				if high > 0 {
					k = size - 1 - i
				}
				b[at+k] = byte(x >> (8 * i))
			}
		}
	case 12: // decimal digits
		return insert(b, at, fmt.Append(nil, int64(interesting[r.below(len(interesting))])), room)
	case 13: // splice with another input
		if other := z.otherBytes(); len(other) > 0 {
			i := r.below(len(other))
			return insert(b, at, other[i:i+r.few(len(other)-i)], room)
		}
	}
	return b
}

// otherBytes returns bytes of some input of the corpus, if it has any.
func (z *fuzzer) otherBytes() []byte {
	values := z.corpus[z.rand.below(len(z.corpus))]
	b, _ := bytesOf(values[z.rand.below(len(values))])
	return b
}

func (r *random) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.next())
	}
	return b
}

// insert puts p, or as much of it as there is room for, into b.
func insert(b []byte, at int, p []byte, room int) []byte {
	p = p[:max(0, min(len(p), room))]
	out := make([]byte, 0, len(b)+len(p))
	return append(append(append(out, b[:at]...), p...), b[at:]...)
}

// marshalCorpus writes values as a file of a corpus has them.
func marshalCorpus(values []any) []byte {
	b := append([]byte(corpusVersion), '\n')
	for _, v := range values {
		b = append(appendValue(b, v), '\n')
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case []byte:
		return fmt.Appendf(b, "[]byte(%q)", v)
	case string:
		return fmt.Appendf(b, "string(%q)", v)
	case byte:
		return fmt.Appendf(b, "byte(%q)", v)
	case rune:
		if utf8.ValidRune(v) {
			return fmt.Appendf(b, "rune(%q)", v)
		}
	case float32: // a number cannot tell one NaN from another
		if v != v && math.Float32bits(v) != math.Float32bits(float32(math.NaN())) {
			return fmt.Appendf(b, "math.Float32frombits(0x%x)", math.Float32bits(v))
		}
	case float64:
		if v != v && math.Float64bits(v) != math.Float64bits(math.NaN()) {
			return fmt.Appendf(b, "math.Float64frombits(0x%x)", math.Float64bits(v))
		}
	}
	return fmt.Appendf(b, "%T(%v)", v, v)
}
