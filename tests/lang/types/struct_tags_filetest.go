//go:build ignore

package main

import "reflect"

type A struct {
	X int `json:"x" xml:"-"`
	Y int "plain"
}

type B struct {
	X int
	Y int
}

func main() {
	t := reflect.TypeFor[A]()
	println(t.Field(0).Tag.Get("json"), string(t.Field(1).Tag))
	b := B(A{1, 2}) // tags are ignored
	println(b.Y)
}

// Stderr:
// x plain
// 2
