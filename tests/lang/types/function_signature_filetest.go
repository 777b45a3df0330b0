//go:build ignore

package main

type (
	plain    func(a, _ int, z float32) bool
	grouped  func(a, b int, z float64, opt ...any) (success bool)
	returner func(n int) func(p *int)
)

func main() {
	var p plain = func(int, int, float32) bool { return true }
	var g grouped = func(_, _ int, _ float64, opt ...any) bool { return len(opt) == 2 }
	var r returner = func(n int) func(*int) { return func(p *int) { *p = n } }
	x := 0
	r(5)(&x)
	println(p(1, 2, 3), g(1, 2, 3, "a", "b"), x)
}

// Stderr:
// true true 5
