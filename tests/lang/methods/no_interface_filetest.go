//go:build ignore && go1.27

// A generic method implements no method of an interface, even with the same parameters.
package main

type I[P any] interface{ m(P) P }

type J interface{ m() }

type T struct{}

func (T) m[P any](x P) P { return x }

type U struct{}

func (U) m[_ any](x int) int { return x }

type V struct{}

func (*V) m[_ any]() {}

func need[X any](I[X]) {}

func constrained[X J](X) {}

func main() {
	var _ I[int] = T{}
	var _ I[int] = U{}
	var _ J = &V{}
	var _ J = V{}
	need(T{})
	constrained(&V{})
	_ = J(&V{})
	var i any = &V{}
	i.(J).m()
	var e interface{ x() } = &V{}
	_ = e
}

// CompileError:
// no_interface_filetest.go:27:17: cannot use T{} (value of struct type T) as I[int] value in variable declaration: T does not implement I[int] (wrong type for method m)
// 		have m[P any](P) P
// 		want m(int) int
// no_interface_filetest.go:28:17: cannot use U{} (value of struct type U) as I[int] value in variable declaration: U does not implement I[int] (wrong type for method m)
// 		have m[_ any](int) int
// 		want m(int) int
// no_interface_filetest.go:29:12: cannot use &V{} (value of type *V) as J value in variable declaration: *V does not implement J (wrong type for method m)
// 		have m[_ any]()
// 		want m()
// no_interface_filetest.go:30:12: cannot use V{} (value of struct type V) as J value in variable declaration: V does not implement J (method m has pointer receiver)
// no_interface_filetest.go:31:7: in call to need, type T of T{} does not match I[X] (cannot infer X)
// no_interface_filetest.go:32:2: *V does not satisfy J (wrong type for method m)
// 		have m[_ any]()
// 		want m()
// no_interface_filetest.go:33:8: cannot convert &V{} (value of type *V) to type J: *V does not implement J (wrong type for method m)
// 		have m[_ any]()
// 		want m()
// no_interface_filetest.go:36:27: cannot use &V{} (value of type *V) as interface{x()} value in variable declaration: *V does not implement interface{x()} (missing method x)
