//go:build ignore

package main

import "fmt"

func Kind[T any](t T) string {
	switch any(t).(type) {
	case int:
		return "int"
	case []T:
		return "slice of T"
	case fmt.Stringer:
		return "stringer"
	}
	return fmt.Sprintf("%T", t)
}

type S struct{}

func (S) String() string { return "S" }

func main() { fmt.Println(Kind(1), Kind(S{}), Kind([]string{}), Kind(map[string]int{})) }

// Output:
// int stringer []string map[string]int
