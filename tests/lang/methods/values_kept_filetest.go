//go:build ignore && go1.27

// Instantiated methods are values as any function: in maps, slices, structs, channels and interfaces.
package main

import "fmt"

type Acc struct{ sum float64 }

func (a *Acc) Add[N ~int | ~float64](n N) float64 { a.sum += float64(n); return a.sum }

func (a *Acc) Sub[N ~int | ~float64](n N) float64 { a.sum -= float64(n); return a.sum }

type op[N any] func(N) float64

type table[N any] struct {
	ops  map[string]op[N]
	last op[N]
}

func (t *table[N]) put(name string, f op[N]) { t.ops[name], t.last = f, f }

func twice[N any](f func(N) float64, n N) float64 { f(n); return f(n) }

func main() {
	var a Acc
	ints := table[int]{ops: map[string]op[int]{}}
	ints.put("add", a.Add[int])
	ints.put("sub", a.Sub)
	fmt.Println(ints.ops["add"](5), ints.ops["sub"](2), ints.last(1))
	fmt.Println(twice(a.Add[float64], 0.25), twice(a.Sub, 1), twice[int](a.Add, 2))
	ch := make(chan func(int) float64, 2)
	ch <- a.Add[int]
	ch <- a.Sub[int]
	fmt.Println((<-ch)(100), (<-ch)(50))
	var x any = a.Add[int]
	_, named := x.(op[int])
	fmt.Println(x.(func(int) float64)(1), named)
	x = op[int](a.Add[int])
	_, named = x.(op[int])
	fmt.Println(x.(op[int])(1), named)
	list := []func(float64) float64{a.Add[float64], a.Sub[float64], (&Acc{9}).Add[float64]}
	for _, f := range list {
		fmt.Print(f(1.5), " ")
	}
	fmt.Println()
}

// Output:
// 5 3 2
// 2.5 0.5 4.5
// 104.5 54.5
// 55.5 false
// 56.5 true
// \"58 56.5 10.5 "
