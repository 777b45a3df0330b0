package hostile

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// TestRuntimeByValue: calling functions of the runtime as values costs what calling them by name
// costs: from a table, through reflection and deferred. What they do is free of gas, and callers
// pay their price.
func TestRuntimeByValue(t *testing.T) {
	const head = `package main

import ("reflect"; "runtime"; "time")

var (
	collect = runtime.GC
	sleep   = time.Sleep
	_       = reflect.ValueOf
)

func main() {
	runtime.GC()
	for range 100 { `
	gas := func(body string) int64 {
		t.Helper()
		p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{"main.go"}, FS: fstest.MapFS{"main.go": {Data: []byte(head + body + " }\n}\n")}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.NewInstance(context.Background(), gyr.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return in.Stats().Gas
	}
	for by, values := range map[string][]string{
		"runtime.GC()": {"collect()", "reflect.ValueOf(collect).Call(nil)", "func() { defer collect() }()",
			`map[string]func(){"x": runtime.GC}["x"]()`},
		"time.Sleep(1)": {"sleep(1)", "func() { defer sleep(1) }()"},
	} {
		want := gas(by)
		for _, v := range values {
			if got := gas(v); got < want {
				t.Errorf("%s: %d units of gas, %s: %d", v, got, by, want)
			}
		}
	}
}
