//go:build ignore

package main

type T struct{ M int }

func (T) M()  {}
func (T) F()  {}
func (*T) F() {}

func main() {}

// CompileError:
// method_duplicate_filetest.go:7:10: field and method with the same name M
// 	method_duplicate_filetest.go:5:16: other declaration of M
// method_duplicate_filetest.go:9:11: method T.F already declared at method_duplicate_filetest.go:8:10
