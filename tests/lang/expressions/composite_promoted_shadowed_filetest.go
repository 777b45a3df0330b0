//go:build ignore && go1.27

// A key is the shallowest field of its name.
package main

import "fmt"

type Deep struct{ x, y, z int }

type Mid struct {
	Deep
	x string
}

type Top struct {
	Mid
	y float64
}

type Both struct {
	Mid
	Other
}

type Other struct{ x, w bool }

func main() {
	fmt.Printf("%+v\n", Top{x: "mid", y: 1.5, z: 3})
	fmt.Printf("%+v\n", Top{Deep: Deep{x: 1, y: 2}, x: "m", y: 2.5})
	fmt.Printf("%+v\n", Both{y: 1, w: true, z: 2})
}

// Output:
// {Mid:{Deep:{x:0 y:0 z:3} x:mid} y:1.5}
// {Mid:{Deep:{x:1 y:2 z:0} x:m} y:2.5}
// {Mid:{Deep:{x:0 y:1 z:2} x:} Other:{x:false w:true}}
