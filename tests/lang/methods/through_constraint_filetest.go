//go:build ignore && go1.27

// A type parameter has the methods of its constraint only, and those are never generic.
package main

type T struct{ f int }

func (T) M[P any](P) {}
func (T) N()         {}

func f[X T](x X) {
	x.M(1)
	x.N()
	X.M[int](x, 1)
}

func g[X interface{ *T }](x X) { x.M(1) }

func h[X interface{ M(int) }](x X) { x.M[int](1) }

func main() {
	f(T{})
	g(&T{})
	h(T{})
}

// CompileError:
// through_constraint_filetest.go:12:4: x.M undefined (type X has no field or method M)
// through_constraint_filetest.go:13:4: x.N undefined (type X has no field or method N)
// through_constraint_filetest.go:14:4: X.M undefined (type X has no field or method M)
// through_constraint_filetest.go:17:36: x.M undefined (type X has no field or method M)
// through_constraint_filetest.go:19:38: cannot index x.M (value of type func(int))
// through_constraint_filetest.go:24:2: in call to h, X (type T) does not satisfy interface{M(int)} (wrong type for method M)
// 		have M[P any](P)
// 		want M(int)
