//go:build ignore

// Comparisons of arrays and structs go from the first element to the last, and panic at interfaces that hold what cannot be compared if no
// element before them differs: t is true, f false, P a panic, for each pair of an uncomparable element and one that differs, with
// the operator for the type, for interfaces and in generic code.
package main

import "fmt"

type I interface{ M() }
type F func()

func (F) M() {}

type N int

func (N) M() {}

type X float64

func (X) M() {}

func try(f func() bool) (s string) {
	defer func() {
		if recover() != nil {
			s = "P"
		}
	}()
	if f() {
		return "t"
	}
	return "f"
}

//go:noinline
func eq[T comparable](a, b T) bool { return a == b }

// pairOf returns two values: the same, ones that differ, ones of two types, or ones of a type that cannot be compared.
func pairOf(k int) (any, any) {
	switch k {
	case 0:
		return N(1), N(1)
	case 1:
		return N(1), N(2)
	case 2:
		return N(1), X(1)
	}
	f := F(func() {})
	return f, f
}

func matrix[T comparable](name string, n int, kinds int, set func(x *T, i int, k int, second bool), direct func(a, b *T) bool) {
	fmt.Println(name)
	for i := range n {
		fmt.Print(" ")
		for j := range n {
			if i == j {
				continue
			}
			for k := 1; k < kinds; k++ {
				var a, b T
				for e := range n {
					set(&a, e, 0, false)
					set(&b, e, 0, true)
				}
				set(&a, i, 3, false)
				set(&b, i, 3, true)
				set(&a, j, k, false)
				set(&b, j, k, true)
				direct, dynamic, generic := try(func() bool { return direct(&a, &b) }), try(func() bool { return any(a) == any(b) }), try(func() bool { return eq(a, b) })
				if direct != dynamic || direct != generic {
					fmt.Print("(", direct, dynamic, generic, ")")
				}
				fmt.Print(direct)
			}
		}
	}
	fmt.Println()
}

func pick(k int, second bool) any {
	a, b := pairOf(k)
	if second {
		return b
	}
	return a
}

type S3 struct {
	a any
	b any
	c any
}
type SI struct {
	n int
	a any
	s string
	b I
	m int64
}
type AS struct {
	a [3]any
	n int
	b [2]any
}
type E struct {
	a any
	n int
}

func num(k int, second bool) int {
	if second && (k == 1 || k == 2) {
		return 2
	}
	return 1
}
func str(k int, second bool) string {
	if second && k == 1 {
		return "bb"
	}
	if second && k == 2 {
		return "xyz"
	}
	return "aa"
}

func main() {
	matrix("[2]any", 2, 4, func(x *[2]any, i, k int, s bool) { x[i] = pick(k, s) }, func(a, b *[2]any) bool { return *a == *b })
	matrix("[3]any", 3, 4, func(x *[3]any, i, k int, s bool) { x[i] = pick(k, s) }, func(a, b *[3]any) bool { return *a == *b })
	matrix("[4]any", 4, 4, func(x *[4]any, i, k int, s bool) { x[i] = pick(k, s) }, func(a, b *[4]any) bool { return *a == *b })
	matrix("[5]any", 5, 4, func(x *[5]any, i, k int, s bool) { x[i] = pick(k, s) }, func(a, b *[5]any) bool { return *a == *b })
	matrix("[9]I", 9, 4, func(x *[9]I, i, k int, s bool) { x[i] = pick(k, s).(I) }, func(a, b *[9]I) bool { return *a == *b })
	matrix("S3", 3, 4, func(x *S3, i, k int, s bool) {
		switch i {
		case 0:
			x.a = pick(k, s)
		case 1:
			x.b = pick(k, s)
		case 2:
			x.c = pick(k, s)
		}
	}, func(a, b *S3) bool { return *a == *b })
	matrix("SI", 5, 3, func(x *SI, i, k int, s bool) {
		switch i {
		case 0:
			x.n = num(k, s)
		case 1:
			x.a = pick(k, s)
		case 2:
			x.s = str(k, s)
		case 3:
			x.b = pick(k, s).(I)
		case 4:
			x.m = int64(num(k, s))
		}
	}, func(a, b *SI) bool { return *a == *b })
	matrix("AS", 6, 4, func(x *AS, i, k int, s bool) {
		switch {
		case i < 3:
			x.a[i] = pick(k, s)
		case i == 3:
			x.n = num(k, s)
		default:
			x.b[i-4] = pick(k, s)
		}
	}, func(a, b *AS) bool { return *a == *b })
	matrix("[3]E", 6, 4, func(x *[3]E, i, k int, s bool) {
		if i%2 == 0 {
			x[i/2].a = pick(k, s)
		} else {
			x[i/2].n = num(k, s)
		}
	}, func(a, b *[3]E) bool { return *a == *b })
	matrix("[2][2]any", 4, 4, func(x *[2][2]any, i, k int, s bool) { x[i/2][i%2] = pick(k, s) }, func(a, b *[2][2]any) bool { return *a == *b })
	matrix("[2]S3", 6, 4, func(x *[2]S3, i, k int, s bool) {
		switch i % 3 {
		case 0:
			x[i/3].a = pick(k, s)
		case 1:
			x[i/3].b = pick(k, s)
		case 2:
			x[i/3].c = pick(k, s)
		}
	}, func(a, b *[2]S3) bool { return *a == *b })
}

// Output:
// [2]any
//  PPP ffP
// [3]any
//  PPPPPP ffPPPP ffPffP
// [4]any
//  PPPPPPPPP ffPPPPPPP ffPffPPPP ffPffPffP
// [5]any
//  PPPPPPPPPPPP ffPPPPPPPPPP ffPffPPPPPPP ffPffPffPPPP ffPffPffPffP
// [9]I
//  PPPPPPPPPPPPPPPPPPPPPPPP ffPPPPPPPPPPPPPPPPPPPPPP ffPffPPPPPPPPPPPPPPPPPPP ffPffPffPPPPPPPPPPPPPPPP ffPffPffPffPPPPPPPPPPPPP ffPffPffPffPffPPPPPPPPPP ffPffPffPffPffPffPPPPPPP ffPffPffPffPffPffPffPPPP ffPffPffPffPffPffPffPffP
// S3
//  PPPPPP ffPPPP ffPffP
// SI
//  ffffffff ffPPPPPP ffffffff ffffffPP ffffffff
// AS
//  PPPPPPPPPPPPPPP ffPPPPPPPPPPPPP ffPffPPPPPPPPPP ffPffPffPffPffP ffPffPffPffPPPP ffPffPffPffPffP
// [3]E
//  PPPPPPPPPPPPPPP ffPffPfftffPfft ffPffPPPPPPPPPP ffPfftffPffPfft ffPffPffPffPPPP ffPfftffPfftffP
// [2][2]any
//  PPPPPPPPP ffPPPPPPP ffPffPPPP ffPffPffP
// [2]S3
//  PPPPPPPPPPPPPPP ffPPPPPPPPPPPPP ffPffPPPPPPPPPP ffPffPffPPPPPPP ffPffPffPffPPPP ffPffPffPffPffP
