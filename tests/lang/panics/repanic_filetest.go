//go:build ignore

package main

func main() {
	defer func() {
		r := recover()
		println("saw", r.(string))
		panic(r)
	}()
	panic("again")
}

// Stderr:
// saw again

// Error:
// panic: again [recovered, repanicked]
