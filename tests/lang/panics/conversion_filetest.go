//go:build ignore

package main

func main() {
	s := []int{1}
	defer func() {
		println(recover().(error).Error())
		p := (*[1]int)(s)
		println(p[0])
	}()
	_ = (*[2]int)(s)
}

// Stderr:
// runtime error: cannot convert slice with length 1 to array or pointer to array with length 2
// 1
