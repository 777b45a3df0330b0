package probe

import (
	"bytes"
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"testing"
	"time"
)

// A shelf keeps what it is given where its callers see it.
type shelf struct{ Data []float64 }

func (s *shelf) put(x []float64) { s.Data = x }

// TestMustRead: an element counts if the answer depends on it, not if the answer contains it.
func TestMustRead(t *testing.T) {
	numbers := make([]float64, 1000)
	for i := range numbers {
		numbers[i] = float64(i * i % 997)
	}
	text := bytes.Repeat([]byte("abcd"), 1000)
	text[3000] = '!'
	for _, x := range []struct {
		name   string
		f      interface{}
		input  []interface{}
		lo, hi float64
	}{
		{"a sum", func(x []float64) (s float64) {
			for _, v := range x {
				s += v
			}
			return s
		}, []interface{}{numbers}, 0.9, 1},
		{"the largest", func(x []float64) float64 { return slices.Max(x) }, []interface{}{numbers}, 0.9, 1},
		{"the first", func(x []float64) float64 { return x[0] }, []interface{}{numbers}, 0, 0.05},
		{"the length", func(s string) int { return len(s) }, []interface{}{string(text)}, 0, 0},
		{"a part", func(x []float64) []float64 { return x[:500] }, []interface{}{numbers}, 0, 0},
		{"a copy of a half", func(x []float64) []float64 { return slices.Clone(x[:500]) }, []interface{}{numbers}, 0.3, 0.6},
		{"a search", bytes.IndexByte, []interface{}{text, byte('!')}, 0.55, 0.8},
		{"one is set", func(x []float64) { x[0] = 1 }, []interface{}{numbers}, 0, 0.05},
		{"all are cleared", func(x []float64) { clear(x) }, []interface{}{numbers}, 0, 0},
		{"squares in place", func(x []float64) {
			for i := range x {
				x[i] *= x[i]
			}
		}, []interface{}{numbers}, 0.9, 1},
		{"sorted in place", slices.Sort[[]float64], []interface{}{numbers}, 0.9, 1},
		{"written elsewhere", func(dst, src []float64) { copy(dst, src) }, []interface{}{make([]float64, 1000), numbers}, 0.3, 0.6},
		{"kept", (*shelf).put, []interface{}{&shelf{}, numbers}, 0, 0},
		{"by the clock", func(x []float64) int64 { return time.Now().UnixNano() }, []interface{}{numbers}, 0, 0},
	} {
		var seed []reflect.Value
		for _, v := range x.input {
			seed = append(seed, reflect.ValueOf(v))
		}
		c := &callee{name: x.name, f: reflect.ValueOf(x.f), method: x.name == "kept", rest: newSettler()}
		if got := (&worker{}).mustRead(c, seed, newBudget(time.Minute)); got < x.lo || got > x.hi {
			t.Errorf("%s: %.2f", x.name, got)
		}
	}
}

// TestFloor: calls of the setup do not count, and calls by other functions do not count twice.
func TestFloor(t *testing.T) {
	numbers := make([]float64, 1000)
	sum := func(x []float64) (s float64) {
		defer Enter("sum", false, &x)(&s)
		for _, v := range x {
			s += v
		}
		return s
	}
	w := &worker{pkg: &Package{Functions: map[string]interface{}{"sum": sum}}, suite: &Suite{}}
	var out bytes.Buffer
	w.out = json.NewEncoder(&out)
	w.suite.Named = func([]Test, func(pattern, name string) bool) {
		testing.RunBenchmarks(func(pattern, name string) (bool, error) { return pattern == name, nil }, []testing.InternalBenchmark{
			{Name: "BenchmarkSum", F: func(b *testing.B) {
				sum(make([]float64, 50_000))
				for range b.N {
					sum(numbers)
					sum(numbers)
				}
			}},
			{Name: "BenchmarkOther", F: func(b *testing.B) { t.Error("another benchmark runs") }},
		})
	}
	count := flag.Lookup("test.count") // of this run, for benchmarks too
	defer flag.Set(count.Name, count.Value.String())
	flag.Set(count.Name, "1")
	w.floor("BenchmarkSum")
	r := &Report{}
	if err := json.NewDecoder(&out).Decode(r); err != nil {
		t.Fatal(err)
	}
	if got := r.Reads["sum"]; got < 14_000 || got > 16_000 {
		t.Errorf("%v", r.Reads)
	}
}
