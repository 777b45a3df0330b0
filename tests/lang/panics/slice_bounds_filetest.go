//go:build ignore

package main

func try(f func()) {
	defer func() { println(recover().(error).Error()) }()
	f()
}

func main() {
	s := make([]int, 3, 5)
	str := "hello"
	a := [4]int{}
	n, m, neg := 6, 4, -1
	try(func() { _ = s[:n] })
	try(func() { _ = s[m:] })
	try(func() { _ = s[m:2] })
	try(func() { _ = s[neg:] })
	try(func() { _ = str[n:] })
	try(func() { _ = str[:n] })
	try(func() { _ = str[m:2] })
	try(func() { _ = a[:n] })
	try(func() { _ = s[1:2:n] })
	try(func() { _ = s[1:m:3] })
	try(func() { _ = s[m:3:3] })
	try(func() { _ = str[neg] })
}

// Stderr:
// runtime error: slice bounds out of range [:6] with capacity 5
// runtime error: slice bounds out of range [4:3]
// runtime error: slice bounds out of range [4:2]
// runtime error: slice bounds out of range [-1:]
// runtime error: slice bounds out of range [6:5]
// runtime error: slice bounds out of range [:6] with length 5
// runtime error: slice bounds out of range [4:2]
// runtime error: slice bounds out of range [:6] with length 4
// runtime error: slice bounds out of range [::6] with capacity 5
// runtime error: slice bounds out of range [:4:3]
// runtime error: slice bounds out of range [4:3:]
// runtime error: index out of range [-1]
