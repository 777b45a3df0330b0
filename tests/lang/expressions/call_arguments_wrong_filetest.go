//go:build ignore

package main

func f(a int, b string) {}

func main() {
	f(1)
	f(1, "a", 2)
	f("a", 1)
	x := f(1, "b")
}

// CompileError:
// call_arguments_wrong_filetest.go:8:5: not enough arguments in call to f
// 	have (number)
// 	want (int, string)
// call_arguments_wrong_filetest.go:9:12: too many arguments in call to f
// 	have (number, string, number)
// 	want (int, string)
// call_arguments_wrong_filetest.go:10:4: cannot use "a" (untyped string constant) as int value in argument to f
// call_arguments_wrong_filetest.go:10:9: cannot use 1 (untyped int constant) as string value in argument to f
// call_arguments_wrong_filetest.go:11:2: declared and not used: x
// call_arguments_wrong_filetest.go:11:7: f(1, "b") (no value) used as value
