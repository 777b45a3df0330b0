package main

// The example prints what it says.
func Example() {
	if err := run("discount"); err != nil {
		panic(err)
	}
	// Output:
	// ada: 0.00 off
	// bob: 11.20 off
	// eve: refused: the order of eve is empty
}
