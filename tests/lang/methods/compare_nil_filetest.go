//go:build ignore && go1.27

// Function values of generic methods are not nil; more cannot be compared.
package main

import "fmt"

type T struct{}

func (*T) M[P any](P) {}

func same[P any](f, g func(P)) bool { return (f == nil) == (g == nil) }

func main() {
	t := (*T)(nil)
	f := t.M[int]
	fmt.Println(f == nil, f != nil, t.M[string] == nil, nil == (*T).M[int], same(f, nil), same(f, t.M))
	f = nil
	fmt.Println(f == nil)
	defer func() { fmt.Println(recover()) }()
	var x, y any = t.M[int], t.M[int]
	fmt.Println(x == nil, x == any(1))
	fmt.Println(x == y)
}

// Output:
// false true false false false true
// true
// false false
// runtime error: comparing uncomparable type func(int)
