//go:build ignore

package main

import "fmt"

type I interface{ M() }
type T struct{}

func (T) M() {}

func main() {
	var x any = 7
	i := x.(int)
	s, ok := x.(string)
	fmt.Println(i, s == "", ok)
	x = T{}
	_, isI := x.(I)
	_, isS := x.(fmt.Stringer)
	fmt.Println(isI, isS)
	x = nil
	_, ok = x.(any)
	fmt.Println(ok)
}

// Output:
// 7 true false
// true false
// false
