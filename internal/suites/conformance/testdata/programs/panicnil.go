// The setting panicnil: panic(nil) is a panic whose value is nil.

//go:debug panicnil=1
package main

func try() (done bool) {
	defer func() {
		println(recover() == nil, done)
	}()
	panic(nil)
}

func main() {
	println(try())
	defer println("deferred")
}
