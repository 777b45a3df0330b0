//go:build ignore && go1.27

// Generic methods of the standard library: (*rand.Rand).N of several types.
package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

type die int8

type source struct {
	*rand.Rand
	rolls int
}

func (s *source) Roll[N ~int | ~int8 | ~int64](n N) N { s.rolls++; return s.N(n) + 1 }

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Println(r.N(10), r.N(int64(1<<40)), r.N(uint8(200)), r.N(10*time.Second), r.N(die(6)), r.N[uint32](7))
	f, g := r.N[int], (*rand.Rand).N[time.Duration]
	fmt.Println(f(100), f(100), g(r, time.Minute))
	s := &source{Rand: r}
	fmt.Println(s.N(50), s.Roll(6), s.Roll(die(20)), s.rolls)
	var fns []func(uint16) uint16
	for range 3 {
		fns = append(fns, rand.New(rand.NewPCG(3, 4)).N[uint16])
	}
	fmt.Println(fns[0](1000), fns[1](1000), fns[2](1000), fns[0](1000))
	var x any = r
	_, ok := x.(interface{ N(int) int })
	_, intn := x.(interface{ IntN(int) int })
	fmt.Println(ok, intn)
	defer func() { fmt.Println(recover()) }()
	r.N(die(0))
}

// Output:
// 7 743155035244 156 7.965965784s 1 0
// 49 44 7.967960326s
// 9 4 9 2
// 881 881 881 914
// false true
// invalid argument to N
