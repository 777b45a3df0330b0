//go:build ignore

package main

type T struct{ n int }

func (t T) Get() int   { return t.n }
func (t *T) Set(n int) { t.n = n }

type GetSet interface {
	Get() int
	Set(int)
}

func main() {
	var g GetSet = &T{}
	g.Set(4)
	println(g.Get())
	var t T
	t.Set(5)
	println(t.Get(), (&t).Get())
	_, ok := any(t).(GetSet)
	_, ok2 := any(&t).(GetSet)
	println(ok, ok2)
}

// Stderr:
// 4
// 5 5
// false true
