//go:build ignore && go1.27

// Keys of a struct literal may be promoted fields, at any depth.
package main

import "fmt"

type Base struct{ x, y int }

type Mid struct {
	Base
	name string
}

type Top struct {
	Mid
	flag bool
}

func main() {
	t := Top{x: 1, name: "n", flag: true}
	fmt.Printf("%+v\n", t)
	fmt.Printf("%+v %+v %+v\n", Top{y: 2}, Mid{y: 3, x: 4}, Top{name: "only"})
	fmt.Printf("%+v\n", Top{Base: Base{5, 6}, flag: true})
	fmt.Printf("%+v\n", Top{Base: Base{x: 7}, name: "both"})
	fmt.Println(Top{x: 1} == Top{Mid: Mid{Base: Base{x: 1}}}, Top{x: 1} == Top{y: 1})
	p := &Top{y: 8}
	p.x++
	fmt.Printf("%+v\n", *p)
	fmt.Printf("%+v\n", struct {
		Top
		z []int
	}{x: 9, z: []int{1}, flag: true})
}

// Output:
// {Mid:{Base:{x:1 y:0} name:n} flag:true}
// {Mid:{Base:{x:0 y:2} name:} flag:false} {Base:{x:4 y:3} name:} {Mid:{Base:{x:0 y:0} name:only} flag:false}
// {Mid:{Base:{x:5 y:6} name:} flag:true}
// {Mid:{Base:{x:7 y:0} name:both} flag:false}
// true false
// {Mid:{Base:{x:1 y:8} name:} flag:false}
// {Top:{Mid:{Base:{x:9 y:0} name:} flag:true} z:[1]}
