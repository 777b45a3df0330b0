//go:build ignore

package main

import "runtime"

func main() {
	defer func() {
		err, ok := recover().(runtime.Error)
		println(ok, err.Error())
		var e error = err
		_, ok = e.(interface{ RuntimeError() })
		println(ok)
	}()
	var m map[string]int
	m["x"] = 1
}

// Stderr:
// true assignment to entry in nil map
// true
