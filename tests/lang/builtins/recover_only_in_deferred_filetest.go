//go:build ignore

package main

func helper() any { return recover() }

func main() {
	defer func() { println("outer", recover() != nil) }()
	func() {
		defer func() {
			println("through a helper", helper() == nil)
			func() { println("nested literal", recover() == nil) }()
		}()
		println("not deferred", recover() == nil)
		panic("p")
	}()
}

// Stderr:
// not deferred true
// through a helper true
// nested literal true
// outer true
