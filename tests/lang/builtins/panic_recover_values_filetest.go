//go:build ignore

package main

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
			println("error", r.Error())
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
