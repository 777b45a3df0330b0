//go:build ignore

package main

func main() {
outer:
	for {
		func() {
			break outer
		}()
	}
}

// CompileError:
// label_outer_function_filetest.go:6:1: label outer defined and not used
// label_outer_function_filetest.go:9:10: invalid break label outer
