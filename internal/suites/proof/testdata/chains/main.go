// Command chains builds values that hold a value of their own kind, and so on,
// as deep as its second argument says. Each copy is of one level.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type (
	one  [1]any
	pair [2]any
	rec  struct{ v any }
	big  struct {
		pad [50]int
		v   any
	}
	shower interface{ depth() int }
	link   struct {
		next shower
		n    int
	}
	tree struct {
		a [2]any
		s string
	}
)

func (l link) depth() int { return l.n }

var sink any

//go:noinline
func wrap(v one) one { return one{v} }

//go:noinline
func id(v any) any { return v }

func unwrapped(v any) (n int) {
	for {
		o, ok := v.(one)
		if !ok {
			return n
		}
		v = o[0]
		n++
	}
}

var chains = map[string]func(n int){
	"array": func(n int) {
		var x any
		for range n {
			x = [1]any{x}
		}
		sink = x
	},
	"named": func(n int) {
		var x any
		for range n {
			x = one{x}
		}
		if unwrapped(x) != n {
			panic("depth")
		}
	},
	"variable": func(n int) {
		var x [1]any
		for range n {
			x = [1]any{x}
		}
		y := x
		y[0] = 1
		sink = y
	},
	"pair": func(n int) {
		var x any
		for range n {
			x = pair{x, x}
		}
		sink = x
	},
	"struct": func(n int) {
		var x any
		for range n {
			x = rec{x}
		}
		sink = x
	},
	"big": func(n int) {
		var x big
		for range n {
			x = big{v: x}
		}
		sink = x
	},
	"interface": func(n int) {
		var x shower = link{}
		for range n {
			x = link{x, x.depth() + 1}
		}
		if x.depth() != n {
			panic("depth")
		}
	},
	"nested": func(n int) {
		var x any
		for range n {
			x = tree{[2]any{x, nil}, "s"}
		}
		sink = x
	},
	"calls": func(n int) {
		var x one
		for range n {
			x = wrap(x)
			sink = id(x)
		}
	},
	"slice": func(n int) {
		var x any
		for range n {
			x = []any{x, [1]any{x}}
		}
		sink = x
	},
	"map": func(n int) {
		x := map[int]one{0: {}}
		for range n {
			x[0] = one{x[0]}
		}
		sink = x[0]
	},
	"channel": func(n int) {
		c := make(chan one, 1)
		c <- one{}
		for range n {
			c <- one{<-c}
		}
		sink = <-c
	},
	"closures": func(n int) {
		f := func() one { return one{} }
		for range n {
			v := one{f}
			f = func() one { return v }
		}
		sink = f()
	},
	"equal": func(n int) {
		var x, y any
		for range n {
			x, y = one{x}, one{y}
		}
		if x != y {
			panic("not equal")
		}
		m := map[any]int{x: 1}
		if m[y] != 1 {
			panic("not found")
		}
	},
	"assertion": func(n int) {
		var x any
		for range n {
			x = one{x}
		}
		for range n {
			v := x.(one)
			v[0] = nil
			sink = v
		}
	},
}

func main() {
	if os.Args[1] == "list" {
		for name := range chains {
			fmt.Println(name)
		}
		return
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	chains[os.Args[1]](n)
}
