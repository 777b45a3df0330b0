//go:build ignore

package main

func f(x int) string {
	switch x {
	case 1, 2, 3:
		return "small"
	case 10:
		fallthrough
	case 11:
		return "ten or eleven"
	default:
		return "other"
	case 100:
		return "hundred"
	}
}

func main() { println(f(2), f(10), f(11), f(100), f(50)) }

// Gas: 298

// Stderr:
// small ten or eleven ten or eleven hundred other
