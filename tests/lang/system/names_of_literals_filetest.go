//go:build ignore

package main

import (
	"fmt"
	"runtime"
)

func where() string {
	pc, _, line, _ := runtime.Caller(1)
	return fmt.Sprint(runtime.FuncForPC(pc).Name(), " ", line)
}

//go:noinline
func g(a func() string, x int, b string) { fmt.Println(a(), x, b) }

//go:noinline
func call(f func() string) string { return f() }

var v = 1

func two() (func() string, string) {
	return func() string { v++; return where() }, call(func() string { return where() })
}

type T struct{ fs []func() string }

func main() {
	g(func() string { return where() }, v, call(func() string { v++; return where() }))
	a, b := two()
	fmt.Println(a(), b)
	t := T{}
	t.fs = append(t.fs, func() string { return where() })
	m := map[string]func() string{"a": func() string { return where() }, call(func() string { v++; return where() }): nil, "b": func() string { return where() }}
	for _, k := range []string{"a", "b"} {
		fmt.Println(m[k]())
	}
	fmt.Println(v+len(call(func() string { v++; return where() })), call(func() string { return where() }))
	switch {
	case v+len(call(func() string { v++; return where() })) > 1000:
	case v > 0:
		fmt.Println(call(func() string { return where() }))
	}
	if v == len(call(func() string { v++; return where() })) || call(func() string { return where() }) == "x" {
	}
	fmt.Println(call(func() string { return where() }))
	for i := 0; i < v && v+len(call(func() string { v++; return where() })) < 40; i++ {
		fmt.Println(call(func() string { return where() }))
	}
}

func init() {
	for i := 0; i < 2; i += len(call(func() string { return where() })) {
		fmt.Println(i, call(func() string { return where() }))
	}
	switch v {
	default:
		fmt.Println(call(func() string { return where() }))
	case 7:
		fmt.Println(call(func() string { return where() }))
	case 8:
	}
	switch v = 7; v {
	default:
		fmt.Println(call(func() string { return where() }))
	case 7:
		fmt.Println(call(func() string { return where() }))
	}
	v = 1
}

// Output:
// 0 main.init.0.func2 55
// main.init.0.func3 59
// main.init.0.func6 68
// main.main.func1 30 2 main.main.func2 30
// main.two.func1 24 main.two.func2 24
// main.main.func4 35
// main.main.func6 35
// 23 main.main.func8 39
// main.main.func10 43
// main.main.func13 47
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
// main.main.func15 49
