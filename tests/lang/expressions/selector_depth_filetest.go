//go:build ignore

package main

type T0 struct{ x int }

func (*T0) M0() string { return "M0" }

type T1 struct{ y int }

func (T1) M1() string { return "M1" }

type T2 struct {
	z int
	T1
	*T0
}

func (*T2) M2() string { return "M2" }

type Q *T2

func main() {
	t := T2{z: 1, T1: T1{2}, T0: &T0{3}}
	p := &t
	var q Q = p
	println(t.z, p.y, p.x, q.x, (*q).x, q.T0.x)
	println(p.M0(), p.M1(), p.M2(), t.M2(), (*q).M0())
}

// Stderr:
// 1 2 3 3 3 3
// M0 M1 M2 M2 M0
