//go:build ignore && go1.27

// Names: of a method twice, of a field and a method, of type parameters twice.
package main

type T struct{ f int }

func (T) m[P any](P)   {}
func (T) m(int)        {}
func (*T) f[P any]()   {}
func (T) p[P, P any]() {}

type G[E any] struct{}

func (G[E]) q[E any](E) {}
func (G[E]) r[P any](P) {}
func (*G[E]) r[P any]() {}

type I interface{ m() }

func (I) s[P any]() {}

func (int) u[P any]() {}

func main() {}

// CompileError:
// declared_twice_filetest.go:9:10: method T.m already declared at declared_twice_filetest.go:8:10
// declared_twice_filetest.go:10:11: field and method with the same name f
// 	declared_twice_filetest.go:6:16: other declaration of f
// declared_twice_filetest.go:11:15: P redeclared in this block
// 	declared_twice_filetest.go:11:12: other declaration of P
// declared_twice_filetest.go:15:15: E redeclared in this block
// 	declared_twice_filetest.go:15:9: other declaration of E
// declared_twice_filetest.go:17:14: method G.r already declared at declared_twice_filetest.go:16:13
// declared_twice_filetest.go:21:7: invalid receiver type I (pointer or interface type)
// declared_twice_filetest.go:23:7: cannot define new methods on non-local type int
