//go:build ignore

package main

type Celsius float64
type Kelvin float64

func main() {
	var c Celsius = 20
	var k Kelvin = c
	println(c, k)
}

// CompileError:
// named_mismatch_filetest.go:10:17: cannot use c (variable of float64 type Celsius) as Kelvin value in variable declaration
