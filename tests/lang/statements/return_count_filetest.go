//go:build ignore

package main

func f() (int, string) { return 1 }
func g()               { return 1 }
func h() int           { return }

func main() {}

// CompileError:
// return_count_filetest.go:5:33: not enough return values
// 	have (number)
// 	want (int, string)
// return_count_filetest.go:6:33: too many return values
// 	have (number)
// 	want ()
// return_count_filetest.go:7:26: not enough return values
// 	have ()
// 	want (int)
