//go:build ignore

package main

func main() {
	c := make(chan int)
	select {
	case c:
	case 5:
	case x := c:
	}
}

// CompileError:
// select_bad_filetest.go:6:2: declared and not used: c
// select_bad_filetest.go:8:7: select case must be send or receive (possibly with assignment)
// select_bad_filetest.go:9:7: select case must be send or receive (possibly with assignment)
// select_bad_filetest.go:10:7: select case must be send or receive (possibly with assignment)
