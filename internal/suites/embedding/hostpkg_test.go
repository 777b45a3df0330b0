package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

var errNotFound = errors.New("no such key")

// hostKV is a host package with most kinds of functions.
func hostKV() gyr.HostPackage {
	store := map[string][]byte{"a": []byte("one"), "b": []byte("two")}
	return gyr.HostPackage{
		Path: "example.com/host/kv",
		Source: `// Package kv is a store.
package kv

import "time"

// ErrNotFound says that there is no such key.
var ErrNotFound error

// Limit is the most keys.
const Limit = 100

// An Item is a key and its value.
type Item struct {
	Key   string
	Value []byte
	Tags  []string
}

// Add adds.
func Add(a, b int) int

// Half halves.
func Half(float64) (float64, bool)

// Get returns the value of a key.
func Get(key string) ([]byte, error)

// Put stores.
func Put(item Item) error

// Sum adds up.
func Sum(format string, list ...int) string

// Walk calls f for each key, until it returns false.
func Walk(f func(key string, n int) (bool, error)) (n int, err error)

// Fail panics.
func Fail(how string)

func (i Item) Len() int

// Mix takes and returns what needs the guest's help.
func Mix(m map[string]int, v any, at time.Time, err error) (map[string][]int, any, time.Time, error)

// Each calls f with maps.
func Each(f func(map[int]string) (map[string]any, error)) int
`,
		Funcs: map[string]any{
			"Add": gyr.Fast(func(_ context.Context, a *struct{ A, B int }, r *struct{ Sum int }) error {
				r.Sum = a.A + a.B
				return nil
			}),
			"Half": func(x float64) (float64, bool) { return x / 2, x > 1 },
			"Get": func(_ context.Context, key string) ([]byte, error) {
				if v, ok := store[key]; ok {
					return v, nil
				}
				if key == "wrapped" {
					return nil, fmt.Errorf("kv: %w", errNotFound)
				}
				if key == "other" {
					return nil, errors.New("other")
				}
				return nil, errNotFound
			},
			"Put": func(i struct {
				Key   string
				Value []byte
				Tags  []string
			}) error {
				store[i.Key] = append(i.Value, strings.Join(i.Tags, "+")...)
				return nil
			},
			"Sum": func(format string, list ...int) string {
				n := 0
				for _, x := range list {
					n += x
				}
				return fmt.Sprintf(format, n)
			},
			"Walk": func(f func(string, int) (bool, error)) (int, error) {
				for i, k := range []string{"x", "yy", "zzz"} {
					more, err := f(k, i)
					if err != nil {
						return i, fmt.Errorf("walk: %w", err)
					}
					if !more {
						return i, nil
					}
				}
				return 3, nil
			},
			"Fail": gyr.HostFunc{Func: func(how string) { panic("host: " + how) }, OnPanic: gyr.GuestPanic},
			"Mix": func(m map[string]int, v any, at time.Time, err error) (map[string][]int, any, time.Time, error) {
				out := map[string][]int{}
				for k, n := range m {
					out[k] = make([]int, n)
				}
				return out, []any{v, fmt.Sprintf("%T", v), errors.Is(err, errNotFound)}, at.Add(time.Hour), err
			},
			"Each": func(f func(map[int]string) (map[string]any, error)) int {
				n := 0
				for i := range 3 {
					m, err := f(map[int]string{i: "i", -1: "minus"})
					if err != nil {
						return n
					}
					n += len(m)
				}
				return n
			},
			"Item.Len": func(i struct {
				Key   string
				Value []byte
				Tags  []string
			}) int {
				return len(i.Key)
			},
		},
		Errors: map[string]error{"ErrNotFound": errNotFound},
	}
}

func compileHost(t testing.TB, source string, exports bool, hosts ...gyr.HostPackage) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(source)}}, Exports: exports},
		&gyr.CompileOptions{Host: hosts})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHostPackage(t *testing.T) {
	p := compileHost(t, `package main

import (
	"errors"
	"fmt"
	"time"

	"example.com/host/kv"
)

func main() {
	fmt.Println(kv.Add(2, 3), kv.Limit)
	fmt.Println(kv.Half(3))
	for _, key := range []string{"a", "zz", "wrapped", "other"} {
		v, err := kv.Get(key)
		fmt.Printf("%q %v %v %v\n", v, err, err == kv.ErrNotFound, errors.Is(err, kv.ErrNotFound))
	}
	fmt.Println(kv.Put(kv.Item{Key: "c", Value: []byte("C"), Tags: []string{"t", "u"}}))
	v, _ := kv.Get("c")
	fmt.Printf("%s\n", v)
	fmt.Println(kv.Sum("%d!", 1, 2, 3), kv.Sum("%d"), kv.Item{Key: "four"}.Len())
	fmt.Println(kv.Walk(func(key string, n int) (bool, error) {
		fmt.Println(" ", key, n, kv.Add(n, 1))
		return n < 1, nil
	}))
	fmt.Println(kv.Walk(func(key string, n int) (bool, error) { return true, kv.ErrNotFound }))
	m, a, at, err := kv.Mix(map[string]int{"one": 1, "two": 2}, map[string]any{"k": 1.5}, time.Unix(0, 0).UTC(), fmt.Errorf("mixed: %w", kv.ErrNotFound))
	fmt.Println(m, a, at, err, errors.Is(err, kv.ErrNotFound))
	fmt.Println(kv.Each(func(m map[int]string) (map[string]any, error) {
		if m[2] != "" {
			return nil, errors.New("enough")
		}
		return map[string]any{m[-1]: m, "err": kv.ErrNotFound}, nil
	}))
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		kv.Walk(func(key string, n int) (bool, error) { panic("in a callback") })
	}()
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		kv.Fail("x")
	}()
}
`, false, hostKV())
	want := `5 100
1.5 true
"one" <nil> false false
"" no such key true true
"" kv: no such key false true
"" other false false
<nil>
Ct+u
6! 0 4
  x 0 1
  yy 1 2
1 <nil>
0 walk: no such key
map[one:[0] two:[0 0]] [map[k:1.5] map[string]interface {} true] 1970-01-01 01:00:00 +0000 UTC mixed: no such key true
4
recovered: in a callback
recovered: kv.Fail: kv.Fail panicked: host: x
`
	for _, tier := range tiers() {
		var out strings.Builder
		in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Tier: tier, Gas: 1 << 40})
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil {
			t.Error(err)
		}
		if out.String() != want {
			t.Errorf("%s: output\n%swant\n%s", tier, out.String(), want)
		}
		t.Log(in.Stats().Gas)
		in.Close()
	}
}
