//go:build ignore && go1.27

// The compiler refuses assertions that no type with a generic method can fulfil.
package main

type I interface{ m(int) int }

type T struct{}

func (T) m[P any](x P) P { return x }

func (T) other() {}

func main() {
	var i I
	_, _ = i.(T)
	var o interface{ other() }
	_, _ = o.(T)
	switch i.(type) {
	case T:
	case *T:
	}
}

// CompileError:
// assertion_impossible_filetest.go:16:9: impossible type assertion: i.(T)
// 	T does not implement I (wrong type for method m)
// 		have m[P any](P) P
// 		want m(int) int
// assertion_impossible_filetest.go:20:7: impossible type switch case: T
// 	i (variable of interface type I) cannot have dynamic type T (wrong type for method m)
// 		have m[P any](P) P
// 		want m(int) int
// assertion_impossible_filetest.go:21:7: impossible type switch case: *T
// 	i (variable of interface type I) cannot have dynamic type *T (wrong type for method m)
// 		have m[P any](P) P
// 		want m(int) int
