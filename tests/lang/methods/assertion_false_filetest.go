//go:build ignore && go1.27

// At run time a generic method is in no method set.
package main

import "fmt"

type T struct{}

func (T) M[P any](x P) P { return x }
func (T) N() int         { return 1 }

type P struct{ *T }

func main() {
	for _, x := range []any{T{}, &T{}, P{}, struct{ T }{}} {
		_, m := x.(interface{ M(int) int })
		_, n := x.(interface{ N() int })
		_, e := x.(interface{ M() })
		switch x.(type) {
		case interface{ M(any) any }:
			fmt.Print("M(any) ")
		case interface {
			N() int
			M(string) string
		}:
			fmt.Print("both ")
		case interface{ N() int }:
			fmt.Print("N ")
		}
		fmt.Printf("%T %v %v %v\n", x, m, n, e)
	}
}

// Output:
// N main.T false true false
// N *main.T false true false
// N main.P false true false
// N struct { main.T } false true false
