//go:build ignore

package main

func f() int { println("called"); return 1 }

func main() {
	f()
	(f())
	c := make(chan int, 1)
	c <- 1
	<-c
	(<-make(chan int, 1) == 0 || true) && f() == 1
}

// CompileError:
// expression_statement_filetest.go:13:2: (<-make(chan int, 1) == 0 || true) && f() == 1 (untyped bool value) is not used
