//go:build ignore

package main

type T struct{ a int }

func (t T) Mv(n int) int  { return t.a + n }
func (t *T) Mp(n int) int { t.a = n; return n }

type I interface{ Mv(int) int }

func main() {
	t := T{1}
	f := T.Mv
	g := (*T).Mp
	h := (*T).Mv
	i := I.Mv
	println(f(t, 1), g(&t, 5), h(&t, 1), i(t, 2), t.a)
}

// Gas: 329

// Stderr:
// 2 5 6 7 5
