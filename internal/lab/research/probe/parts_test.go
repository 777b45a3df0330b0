package probe

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

type leaf struct {
	Word  string
	Subs  []*leaf
	Rates map[string]float64
	any   interface{}
}

var (
	byAddress = map[*float64]float64{}
	noLeaf    = &leaf{}
	buffer    []float64
)

func sum(xs []float64) (n float64) {
	for _, x := range xs {
		n += x
	}
	return n
}

func sumOnce(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	n, ok := byAddress[&xs[0]]
	if !ok {
		n = sum(xs)
		byAddress[&xs[0]] = n
	}
	return n
}

func sumInBuffer(xs []float64) float64 {
	buffer = append(buffer[:0], xs...)
	return sum(buffer)
}

func newLeaf(s string) *leaf { return &leaf{} }
func oneLeaf(s string) *leaf { return noLeaf }

func words(s string) (out [][]byte) {
	for _, w := range strings.Fields(s) {
		out = append(out, []byte(w))
	}
	return out
}

func wordsTogether(s string) (out [][]byte) {
	all := []byte(s)
	for _, w := range strings.Fields(s) {
		n := copy(all, w)
		out, all = append(out, all[:n]), all[n:]
	}
	return out
}

func aliasOf(s string) []byte    { return []byte(s)[:len(s):len(s)] }
func sameMemory(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// examine runs a part for a function with one input.
func examine(part func(*worker, *Report, *callee), f interface{}, input ...interface{}) *Report {
	process.home = reflect.TypeOf(leaf{}).PkgPath()
	c := &callee{name: "f", f: reflect.ValueOf(f), benches: 1, rest: newSettler()}
	var list []reflect.Value
	for _, x := range input {
		v := reflect.New(reflect.TypeOf(x)).Elem()
		v.Set(reflect.ValueOf(x))
		list = append(list, v)
	}
	c.origins = [][]reflect.Value{list}
	r := &Report{Name: "part f"}
	part(&worker{pkg: &Package{}, order: Order{News: []int64{5000}, Words: []string{"new"}}}, r, c)
	return r
}

// TestDisturbed: courses tell functions apart that only differ when memory is used again.
func TestDisturbed(t *testing.T) {
	numbers := []float64{0.5, 0.25, 3, 4, 5, 6, 7}
	for _, x := range []struct {
		name  string
		right interface{}
		other interface{}
		input interface{}
		equal bool
	}{
		{"a cache by address", sum, sumOnce, numbers, false},
		{"a buffer", sum, sumInBuffer, numbers, true},
		{"one for all", newLeaf, oneLeaf, "x", false},
		{"beside each other", words, wordsTogether, "some words here", false},
		{"a copy", func(s string) []byte { return []byte(s) }, aliasOf, "text", true},
		{"no copy", func(b []byte) string { return string(b) }, sameMemory, []byte("text"), false},
	} {
		a, b := examine((*worker).disturbed, x.right, x.input), examine((*worker).disturbed, x.other, x.input)
		if len(a.Cases) < 4 || len(a.Cases) != len(b.Cases) {
			t.Errorf("%s: %d and %d cases", x.name, len(a.Cases), len(b.Cases))
			continue
		}
		equal := true
		for i := range a.Cases {
			equal = equal && a.Cases[i].Out == b.Cases[i].Out
		}
		if equal != x.equal {
			t.Errorf("%s: equal is %v", x.name, equal)
		}
	}
}

// TestDerived: inputs derive from all parts of an input, and nothing but them.
func TestDerived(t *testing.T) {
	origin := &leaf{Word: "word", Subs: []*leaf{{Word: "inner", Rates: map[string]float64{"a": 0.5, "b": 2}}, nil}, any: 1}
	r := examine((*worker).derived, func(l *leaf, n int, list []float64, b []byte, x interface{}) {}, origin, 7, []float64{1, 2, 3}, []byte("bytes"), interface{}(true))
	all := map[string]bool{}
	for _, c := range r.Cases {
		all[c.Args] = true
	}
	text := ""
	for args := range all {
		text += args + "\n"
	}
	for _, part := range []string{"nil, 7", "Word:\"new\"", "NaN", "+Inf", "[3 2 1]", "[1 2 3 1]", "Word:\"inne\"", "false"} {
		if !strings.Contains(text, part) {
			t.Errorf("no input has %s", part)
		}
	}
	if len(all) < 200 {
		t.Errorf("%d inputs", len(all))
	}
	n := 0
	for _, x := range newDeriver(&worker{order: Order{News: []int64{5000}}}, []reflect.Value{reflect.ValueOf(make([]float64, 100))}, rand.New(rand.NewSource(1))).whole {
		list := cloneAll([]reflect.Value{reflect.ValueOf(make([]float64, 100))})
		apply(list[0], x.path[1:], x.do)
		if list[0].Len() > 5000 {
			n++
		}
	}
	if n == 0 {
		t.Error("no input is larger than the limit in the difference")
	}
}

// TestKinds: a text's inputs have a character of each kind that package unicode tells apart.
func TestKinds(t *testing.T) {
	tests := []func(rune) bool{unicode.IsControl, unicode.IsDigit, unicode.IsGraphic, unicode.IsLetter, unicode.IsLower, unicode.IsMark, unicode.IsNumber,
		unicode.IsPrint, unicode.IsPunct, unicode.IsSpace, unicode.IsSymbol, unicode.IsTitle, unicode.IsUpper,
		func(r rune) bool { return unicode.ToUpper(r) != r }, func(r rune) bool { return unicode.ToLower(r) != r }}
	kind := func(r rune) (k int) {
		for i, is := range tests {
			if is(r) {
				k |= 1 << i
			}
		}
		return k
	}
	reached := map[int]bool{}
	examine((*worker).derived, func(s string) {
		for _, r := range s {
			reached[kind(r)] = true
		}
	}, "some text")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if k := kind(r); utf8.ValidRune(r) && !reached[k] {
			t.Errorf("no input has a character like %q", r)
			reached[k] = true
		}
	}
}
