//go:build ignore

package main

import "fmt"

type Size float64

const (
	_       = iota
	KB Size = 1 << (10 * iota)
	MB
	GB
)

func (s Size) String() string {
	switch {
	case s >= GB:
		return fmt.Sprintf("%.1fG", float64(s/GB))
	case s >= MB:
		return fmt.Sprintf("%.1fM", float64(s/MB))
	}
	return fmt.Sprintf("%.1fK", float64(s/KB))
}

func main() { fmt.Println(KB, MB*3/2, Size(5e9)) }

// Output:
// 1.0K 1.5M 4.7G
