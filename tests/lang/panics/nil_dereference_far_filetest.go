//go:build ignore

package main

type T struct {
	big [1 << 20]byte
	n   int
}

func try(f func()) {
	defer func() { println(recover().(error).Error()) }()
	f()
}

func main() {
	var p *T
	var q **int
	var s *[]int
	try(func() { p.n = 1 })
	try(func() { println(**q) })
	try(func() { println((*s)[0]) })
	try(func() { *p = T{} })
	try(func() { _ = p.big[1000] })
}

// Stderr:
// runtime error: invalid memory address or nil pointer dereference
// runtime error: invalid memory address or nil pointer dereference
// runtime error: invalid memory address or nil pointer dereference
// runtime error: invalid memory address or nil pointer dereference
// runtime error: invalid memory address or nil pointer dereference
