//go:build ignore && go1.27

// Calls whose results nobody uses, of methods with several results and no use of their parameters.
package main

type T struct{ n int }

type R struct{}

func (t *T) F[S ~string](S) (R, bool) { t.n++; return R{}, false }

func (t *T) Many[A, B, C any]() (a A, b B, c C, err error) { t.n += 10; return }

func (t T) Nothing[P any]() {}

func main() {
	t := &T{}
	t.F("foo")
	_, _ = t.F("bar")
	t.Many[int, string, [9]R]()
	go t.Nothing[int]()
	defer t.Many[R, R, R]()
	for range 2 {
		t.F[string]("")
	}
	if _, ok := t.F("x"); !ok {
		println(t.n)
	}
	_, s, _, _ := t.Many[int, string, R]()
	println(len(s), t.n)
}

// Stderr:
// 15
// 0 25
