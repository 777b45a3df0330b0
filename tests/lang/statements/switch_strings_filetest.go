//go:build ignore

package main

func f(s string) int {
	switch s {
	case "alpha":
		return 1
	case "beta", "gamma":
		return 2
	case "":
		return 3
	case "alphabet":
		return 4
	}
	return 0
}

func main() {
	n := 0
	for _, s := range []string{"alpha", "beta", "gamma", "", "alphabet", "alp", "zeta"} {
		n = n*10 + f(s)
	}
	println(n)
}

// Gas: 277

// Stderr:
// 1223400
