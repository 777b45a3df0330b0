//go:build ignore && go1.27

// What a call does not tell must be written.
package main

type T struct{}

func (T) M[P any]()          {}
func (T) Two[A, B any](A)    {}
func (T) S[S ~[]E, E any](S) {}

func main() {
	var t T
	t.M()
	t.Two(1)
	t.Two[int](1)
	t.S(nil)
	T.M(t)
	f := t.M
	_ = f
}

// CompileError:
// cannot_infer_filetest.go:14:2: in call to t.M, cannot infer P (declared at cannot_infer_filetest.go:8:12)
// cannot_infer_filetest.go:15:2: in call to t.Two, cannot infer B (declared at cannot_infer_filetest.go:9:17)
// cannot_infer_filetest.go:16:2: in call to t.Two[int], cannot infer B (declared at cannot_infer_filetest.go:9:17)
// cannot_infer_filetest.go:17:2: in call to t.S, cannot infer S (declared at cannot_infer_filetest.go:10:12)
// cannot_infer_filetest.go:18:2: in call to T.M, cannot infer P (declared at cannot_infer_filetest.go:8:12)
// cannot_infer_filetest.go:19:7: cannot use generic function t.M without instantiation
