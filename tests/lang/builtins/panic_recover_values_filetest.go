//go:build ignore

package main

import "strings"

func try(v any) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			println("nil")
		case string:
			println("string", r)
		case int:
			println("int", r)
		case error:
			println("error", strings.TrimPrefix(r.Error(), "runtime error: ")) // which it begins with since Go 1.27
		}
	}()
	panic(v)
}

func main() {
	try("a")
	try(5)
	try(nil)
	defer func() { println(recover() == nil) }()
}

// Stderr:
// string a
// int 5
// error panic called with nil argument
// true
