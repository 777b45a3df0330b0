//go:build ignore

package main

func safe(f func()) (msg string) {
	defer func() {
		if e := recover(); e != nil {
			msg = e.(string)
		}
	}()
	f()
	return "fine"
}

func main() {
	println(safe(func() {}), safe(func() { panic("bad") }))
	println(safe(func() { safe(func() { panic("inner") }); panic("outer") }))
}

// Gas: 946

// Stderr:
// fine bad
// outer
