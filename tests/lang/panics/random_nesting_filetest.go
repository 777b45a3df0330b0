//go:build ignore

// Random trees of calls, deferred calls, panics, calls of recover, ranges over functions that defer, and Goexit: each ends as in native Go.
package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
)

// A node is what a function does at a place.
type node struct {
	id   int
	kind int
	list []*node
}

var (
	rnd   *rand.Rand
	count int
	out   strings.Builder
	steps int
)

func gen(depth int) *node {
	count++
	n := &node{id: count}
	if depth == 0 {
		n.kind = []int{0, 1, 2}[rnd.IntN(3)]
		return n
	}
	n.kind = 3 + rnd.IntN(6)
	for range 1 + rnd.IntN(4) {
		n.list = append(n.list, gen(max(0, depth-1-rnd.IntN(2))))
	}
	return n
}

func say(s string, v any) {
	fmt.Fprint(&out, s, " ", v, "; ")
}

func seq(k int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer say("seq", k)
		for i := range k {
			if !yield(i) {
				return
			}
		}
	}
}

//go:noinline
func deep(n *node, k int) {
	if k > 0 {
		deep(n, k-1)
		return
	}
	run(n.list)
}

func run(list []*node) {
	for _, n := range list {
		if steps++; steps > 3000 {
			return
		}
		switch n.kind {
		case 0:
			say("panic", n.id)
			panic(n.id)
		case 1:
			say("recover", recover())
		case 2:
			say("mark", n.id)
			if goexits && n.id%7 == 0 {
				runtime.Goexit()
			}
		case 3:
			run(n.list)
		case 4:
			defer run(n.list)
		case 5:
			defer func() {
				run(n.list)
				say("after", n.id)
			}()
		case 6:
			for i := range seq(2) {
				defer run(n.list)
				if i == n.id%3 {
					break
				}
			}
		case 7:
			defer func() {
				say("closure", recover())
				run(n.list)
			}()
		case 8:
			deep(n, n.id%5)
		}
	}
}

var goexits bool

func main() {
	h, length := uint64(14695981039346656037), 0
	for seed := range 2000 {
		rnd = rand.New(rand.NewPCG(uint64(seed), 1))
		goexits = seed%3 == 0
		count, steps = 0, 0
		out.Reset()
		root := gen(5)
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() { say("end", recover()) }()
			run([]*node{root})
			say("returned", root.id)
		}()
		<-done
		length += out.Len()
		for _, c := range []byte(out.String()) {
			h = (h ^ uint64(c)) * 1099511628211
		}
		if seed%200 == 199 {
			fmt.Println(seed, length, h)
		}
	}
}

// Output:
// 199 59414 3587415957983131916
// 399 111796 2173667554628679242
// 599 160910 15948103011202879117
// 799 208016 11558886541612064440
// 999 268761 15872061166564623296
// 1199 309337 16792904350044144135
// 1399 365400 11279142267829514894
// 1599 415012 3183178332476774958
// 1799 464824 6818344368806403272
// 1999 523859 4058493992606994
