//go:build ignore

package main

type E struct{ code int }

func (e E) Error() string { return string(rune('0' + e.code)) }

func f(n int) error {
	if n > 0 {
		return E{n}
	}
	return nil
}

func main() {
	println(f(0) == nil, f(3).Error(), f(3) == E{3}, f(3) == error(E{4}))
}

// Stderr:
// true 3 true false
