//go:build ignore && go1.27

// A method calls its own instance, and others of it.
package main

import "fmt"

type Tree[K any] struct {
	key         K
	left, right *Tree[K]
}

func (t *Tree[K]) Fold[R any](zero R, f func(R, K, R) R) R {
	if t == nil {
		return zero
	}
	return f(t.left.Fold(zero, f), t.key, t.right.Fold(zero, f))
}

func (t *Tree[K]) Map[L any](f func(K) L) *Tree[L] {
	if t == nil {
		return nil
	}
	return &Tree[L]{f(t.key), t.left.Map(f), t.right.Map(f)}
}

type T int

func (t T) Down[P any](p P) string {
	if t == 0 {
		return fmt.Sprintf("%T", p)
	}
	switch any(p).(type) {
	case int:
		return "int " + (t - 1).Down("s")
	case string:
		return "string " + (t - 1).Down(1.5)
	}
	return "else " + (t - 1).Down(1)
}

func main() {
	t := &Tree[string]{"m", &Tree[string]{"a", nil, nil}, &Tree[string]{"zz", nil, &Tree[string]{"zzz", nil, nil}}}
	fmt.Println(t.Fold(0, func(l int, k string, r int) int { return l + len(k) + r }))
	fmt.Println(t.Fold("", func(l, k, r string) string { return "(" + l + k + r + ")" }))
	fmt.Println(t.Map(func(s string) int { return len(s) }).Fold(0, func(l, k, r int) int { return max(l, r) + 1 }))
	fmt.Println(T(5).Down(true))
}

// Output:
// 7
// ((a)m(zz(zzz)))
// 3
// else int string else int string
