//go:build ignore

package main

func main() {
	x := 1
	switch x {
	case 1:
	case 2, 1:
	}
	switch "a" {
	case "b", "b":
	}
	switch {
	default:
	default:
	}
}

// CompileError:
// switch_duplicate_filetest.go:9:10: duplicate case 1 (constant of type int) in expression switch
// 	switch_duplicate_filetest.go:8:7: previous case
// switch_duplicate_filetest.go:12:12: duplicate case "b" (constant of type string) in expression switch
// 	switch_duplicate_filetest.go:12:7: previous case
// switch_duplicate_filetest.go:16:2: multiple defaults (first at switch_duplicate_filetest.go:15:2)
