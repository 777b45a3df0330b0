//go:build ignore

package main

func main() {
	s := []int{1, 2, 3, 4}
	a := [4]int(s)
	p := (*[2]int)(s)
	a[0] = 100
	p[1] = 20
	println(s[0], s[1], a[0], len(p), (*[0]int)([]int(nil)) == nil, (*[0]int)([]int{}) == nil)
	defer func() { println(recover().(error).Error()) }()
	_ = [5]int(s)
}

// Stderr:
// 1 20 100 2 true false
// runtime error: cannot convert slice with length 4 to array or pointer to array with length 5
