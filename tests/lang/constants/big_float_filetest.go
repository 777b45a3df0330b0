//go:build ignore

package main

func main() {
	const huge = 1e300 * 1e300
	println(huge/1e299 == 1e301)
	const tiny = 1.0 / huge
	println(tiny*huge == 1)
}

// Stderr:
// true
// true
