//go:build ignore

package main

type Namer interface{ Name() string }

type dog struct{}

func (dog) Name() string { return "dog" }

type loud struct{ Namer }

func (l loud) Name() string { return l.Namer.Name() + "!" }

func main() {
	var n Namer = loud{dog{}}
	println(n.Name(), loud{n}.Name())
}

// Stderr:
// dog! dog!!
