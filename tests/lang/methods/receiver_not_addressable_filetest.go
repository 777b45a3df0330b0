//go:build ignore && go1.27

// A pointer method needs an operand with an address.
package main

type T struct{}

func (*T) M[P any](P) {}

func main() {
	T{}.M(1)
	map[int]T{}[0].M[string]("")
	_ = T.M[int]
	f := func() T { return T{} }
	f().M(1)
	(&T{}).M(1)
	_ = (*T).M[int]
}

// CompileError:
// receiver_not_addressable_filetest.go:11:6: cannot call pointer method M on T
// receiver_not_addressable_filetest.go:12:17: cannot call pointer method M on T
// receiver_not_addressable_filetest.go:13:8: invalid method expression T.M (needs pointer receiver (*T).M)
// receiver_not_addressable_filetest.go:15:6: cannot call pointer method M on T
