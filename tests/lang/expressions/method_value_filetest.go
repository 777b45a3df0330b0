//go:build ignore

package main

type T struct{ n int }

func (t T) Get() int { return t.n }
func (t *T) Inc()    { t.n++ }

type I interface{ Get() int }

func main() {
	t := T{1}
	get := t.Get // copies t
	inc := t.Inc
	inc()
	inc()
	println(get(), t.Get())
	var i I = t
	f := i.Get
	i = T{9}
	println(f(), i.Get())
}

// Gas: 392

// Stderr:
// 1 3
// 3 9
