//go:build gc && (amd64 || arm64) && !go1.27

package gofunc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"
)

var errTest = errors.New("an error")

// prepare returns variables for f's parameters and results, and the result of Prepare for them.
func prepare(f reflect.Value) (args, results []reflect.Value, call func() error) {
	t := f.Type()
	for i := range t.NumIn() {
		args = append(args, reflect.New(t.In(i)).Elem())
	}
	n := t.NumOut()
	if n > 0 && t.Out(n-1) == reflect.TypeFor[error]() {
		n--
	}
	for i := range n {
		results = append(results, reflect.New(t.Out(i)).Elem())
	}
	return args, results, Prepare(f, args, results)
}

type point struct {
	X, Y float32
	Name string
}

// deep uses much stack, so that it grows, and runs the collector.
func deep(n int, s string) int {
	var room [1024]byte
	room[n] = 1
	if n == 0 {
		runtime.GC()
		return len(s)
	}
	return deep(n-1, s) + int(room[n]) - 1
}

// TestPrepare calls compiled functions: arguments and results arrive.
func TestPrepare(t *testing.T) {
	at := time.Unix(7, 8)
	number := 5
	for i, c := range []struct {
		f       any
		args    []any
		results []any
		err     error
	}{
		{func() {}, nil, nil, nil},
		{func() error { return errTest }, nil, nil, errTest},
		{func(a, b int) int { return a - b }, []any{7, 3}, []any{4}, nil},
		{func(a int8, b uint16, c bool, d int32, e uint64) (bool, int8, uint32) {
			return !c, a, uint32(b) + uint32(d) + uint32(e)
		}, []any{int8(-3), uint16(9), true, int32(-4), uint64(1)}, []any{false, int8(-3), uint32(6)}, nil},
		{func(x float64, n int, y float32) (float32, int, float64) { return y, n, x }, []any{1.5, 4, float32(2.5)}, []any{float32(2.5), 4, 1.5}, nil},
		{func(z complex128) (complex64, error) { return complex64(z), errTest }, []any{3 + 4i}, []any{complex64(3 + 4i)}, errTest},
		{func(s string, p []byte) (string, error) { return s + string(p), nil }, []any{"a", []byte("b")}, []any{"ab"}, nil},
		{func(s string) (string, bool, error) { deep(40, s); return s + "!", true, errTest }, []any{"abc"}, []any{"abc!", true}, errTest},
		{func(s ...string) []string { deep(40, ""); return append(s, "x") }, []any{[]string{"a", "b"}}, []any{[]string{"a", "b", "x"}}, nil},
		{func(m map[string]int, p *int) (map[string]int, error) { deep(40, ""); m["p"] = *p; return m, nil }, []any{map[string]int{"a": 1}, &number}, []any{map[string]int{"a": 1, "p": 5}}, nil},
		{func(p point, n int) string { return fmt.Sprint(p, n) }, []any{point{1, 2, "n"}, 3}, []any{"{1 2 n} 3"}, nil},
		{func(at time.Time, d time.Duration) (any, float64) { return at.Add(d), 1 }, []any{at, time.Second}, []any{at.Add(time.Second), 1.0}, nil},
		{func(ctx context.Context, s string) string { deep(40, s); return ctx.Value(number).(string) + s }, []any{context.WithValue(t.Context(), number, "v"), "w"}, []any{"vw"}, nil},
		{func(n int) (int, int, int, error) { return n, n + 1, n + 2, errTest }, []any{1}, []any{1, 2, 3}, errTest},
		{func(x, y, z, u float64) (float64, float64, error) { return x + y, z + u, nil }, []any{1.0, 2.0, 3.0, 4.0}, []any{3.0, 7.0}, nil},
	} {
		args, results, call := prepare(reflect.ValueOf(c.f))
		if call == nil {
			t.Errorf("%d: %T is left to reflect", i, c.f)
			continue
		}
		for i, a := range c.args {
			args[i].Set(reflect.ValueOf(a))
		}
		if err := call(); err != c.err {
			t.Errorf("%d: %T: error %v", i, c.f, err)
		}
		for i, r := range c.results {
			if got := results[i].Interface(); !reflect.DeepEqual(got, r) {
				t.Errorf("%d: %T: result %d is %#v, want %#v", i, c.f, i, got, r)
			}
		}
	}
	// Functions that do not fit are left to reflect.
	for _, f := range []any{
		func([2]int) {}, func(struct{}) {}, func(a, b, c []int, d int) {}, func(a, b, c, d, e float64) {},
		func() (a, b, c, d int) { return }, func() (int, string) { return 0, "" }, func() (s string, a, b int) { return },
		func() (x, y, z float64) { return }, func() point { return point{} },
	} {
		if _, _, call := prepare(reflect.ValueOf(f)); call != nil {
			t.Errorf("%T is called by registers", f)
		}
	}
}

// TestPreparedSignatures calls functions of random types that package reflect made, which has its
// own knowledge of the ABI.
func TestPreparedSignatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := []reflect.Type{reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint8](), reflect.TypeFor[int16](), reflect.TypeFor[uint32](),
		reflect.TypeFor[int](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64]()}
	others := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]string](), reflect.TypeFor[*int](),
		reflect.TypeFor[map[int]int](), reflect.TypeFor[any](), reflect.TypeFor[error]()}
	structs := []reflect.Type{reflect.TypeFor[point](), reflect.TypeFor[time.Time](), reflect.TypeFor[struct {
		A int8
		B int64
		C int8
		S struct{ P *int }
	}]()}
	draw := func(lists ...[]reflect.Type) reflect.Type {
		list := lists[rng.IntN(len(lists))]
		return list[rng.IntN(len(list))]
	}
	var value func(ty reflect.Type) reflect.Value
	value = func(ty reflect.Type) reflect.Value {
		v := reflect.New(ty).Elem()
		switch ty.Kind() {
		case reflect.Bool:
			v.SetBool(rng.IntN(2) == 0)
		case reflect.Int8, reflect.Int16, reflect.Int, reflect.Int64:
			v.SetInt(int64(rng.Uint64()) >> (64 - ty.Bits()))
		case reflect.Uint8, reflect.Uint32, reflect.Uint64:
			v.SetUint(rng.Uint64() >> (64 - ty.Bits()))
		case reflect.Float32, reflect.Float64:
			v.SetFloat(float64(float32(rng.NormFloat64())))
		case reflect.Complex64:
			v.SetComplex(complex(rng.Float64(), math.Inf(1)))
		case reflect.String:
			v.SetString(fmt.Sprint("s", rng.IntN(1000)))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(ty, rng.IntN(3), 5))
		case reflect.Pointer:
			v.Set(reflect.New(ty.Elem()))
		case reflect.Map:
			v.Set(reflect.MakeMap(ty))
		case reflect.Interface:
			v.Set(reflect.ValueOf(fmt.Errorf("e%d", rng.IntN(1000))))
		case reflect.Struct:
			if ty == reflect.TypeFor[time.Time]() {
				v.Set(reflect.ValueOf(time.Unix(rng.Int64N(1000), rng.Int64N(1000))))
				break
			}
			for i := range ty.NumField() {
				v.Field(i).Set(value(ty.Field(i).Type))
			}
		}
		return v
	}
	served := 0
	for range 3000 {
		var in, out []reflect.Type
		for range rng.IntN(6) {
			in = append(in, draw(numbers, others, structs))
		}
		for i := range rng.IntN(4) {
			if i == 0 {
				out = append(out, draw(numbers, others))
			} else {
				out = append(out, draw(numbers))
			}
		}
		if rng.IntN(2) == 0 {
			out = append(out, reflect.TypeFor[error]())
		}
		var got, give []reflect.Value
		for _, ty := range out {
			give = append(give, value(ty))
		}
		f := reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
			got = args
			return give
		})
		args, results, call := prepare(f)
		if call == nil {
			continue
		}
		served++
		for i, a := range args {
			a.Set(value(in[i]))
		}
		err := call()
		for i, a := range args {
			if !reflect.DeepEqual(a.Interface(), got[i].Interface()) {
				t.Errorf("%s: argument %d is %#v, was %#v", f.Type(), i, got[i], a)
			}
		}
		for i, r := range results {
			if !reflect.DeepEqual(r.Interface(), give[i].Interface()) {
				t.Errorf("%s: result %d is %#v, was %#v", f.Type(), i, r, give[i])
			}
		}
		if len(give) > len(results) && err != give[len(results)].Interface() {
			t.Errorf("%s: error %v", f.Type(), err)
		}
	}
	if served < 1000 {
		t.Errorf("only %d functions were called by registers", served)
	}
}

func BenchmarkPrepare(b *testing.B) {
	args, _, call := prepare(reflect.ValueOf(func(a, b int) int { return a + b }))
	args[0].SetInt(1)
	for b.Loop() {
		call()
	}
}
