//go:build ignore && go1.27

// The message of an assertion that fails for want of an ordinary method.
package main

import "fmt"

type T struct{}

func (T) M[P any](x P) P { return x }

type I interface{ M(int) int }

func main() {
	func() {
		defer func() { fmt.Println(recover()) }()
		var x any = &T{}
		_ = x.(I)
	}()
	var x any = T{}
	x.(I).M(1)
}

// Output:
// interface conversion: *main.T is not main.I: missing method M

// Error:
// panic: interface conversion: main.T is not main.I: missing method M
