//go:build ignore

package main

func main() {
	var a struct {
		x int `tag`
	}
	var b struct{ x int }
	b = a
	println(b.x)
}

// CompileError:
// identity_tags_filetest.go:10:6: cannot use a (variable of type struct{x int "tag"}) as struct{x int} value in assignment
