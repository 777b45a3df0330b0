//go:build ignore && go1.27

// Promoted keys in elements of arrays, slices and maps whose types are left out.
package main

import "fmt"

type Base struct{ x, y int }

type T struct {
	Base
	n string
}

func main() {
	fmt.Println([]T{{x: 1}, {y: 2, n: "b"}, 4: {n: "e"}})
	fmt.Println([...]T{2: {x: 3}, 0: {y: 1}})
	for i, p := range []*T{{x: 1}, {y: 2}} {
		fmt.Println(i, *p)
	}
	fmt.Println(map[string]T{"a": {x: 1}, "b": {Base: Base{2, 3}}})
	fmt.Println(map[T][]T{{x: 1, n: "key"}: {{x: 2}, {y: 3}}})
	fmt.Println([][2]T{{{x: 1}, {y: 2}}, {1: {n: "z"}}})
	fmt.Println(map[T]int{{x: 1}: 1}[T{Base: Base{x: 1}}])
	type outer struct {
		T
		list []T
	}
	fmt.Println([]outer{{x: 1, list: []T{{y: 2}}}}, &outer{T: T{x: 1}, list: []T{1: {x: 2}}})
}

// Output:
// [{{1 0} } {{0 2} b} {{0 0} } {{0 0} } {{0 0} e}]
// [{{0 1} } {{0 0} } {{3 0} }]
// 0 {{1 0} }
// 1 {{0 2} }
// map[a:{{1 0} } b:{{2 3} }]
// map[{{1 0} key}:[{{2 0} } {{0 3} }]]
// [[{{1 0} } {{0 2} }] [{{0 0} } {{0 0} z}]]
// 1
// [{{{1 0} } [{{0 2} }]}] &{{{1 0} } [{{0 0} } {{2 0} }]}
