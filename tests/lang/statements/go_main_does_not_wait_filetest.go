//go:build ignore

package main

func main() {
	go func() {
		for {
		}
	}()
	println("done")
}

// Stderr:
// done
