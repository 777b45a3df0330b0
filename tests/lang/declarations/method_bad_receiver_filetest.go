//go:build ignore

package main

type P *int

func (p P) M() {}

func (i int) N() {}

type I interface{ F() }

func (i I) G() {}

func main() {}

// CompileError:
// method_bad_receiver_filetest.go:7:9: invalid receiver type P (pointer or interface type)
// method_bad_receiver_filetest.go:9:9: cannot define new methods on non-local type int
// method_bad_receiver_filetest.go:13:9: invalid receiver type I (pointer or interface type)
