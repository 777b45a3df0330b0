//go:build ignore

package main

func main() {
	s := []int{1, 2, 3}
	for i, v := range s {
		if i == 0 {
			s = append(s, 4)
			s[1] = 20
		}
		print(i, ":", v, " ")
	}
	for i := range s {
		s[i] = -s[i]
	}
	for range s {
		print(".")
	}
	println(s[3])
}

// Gas: 968

// Stderr:
// 0:1 1:2 2:3 ....-4
