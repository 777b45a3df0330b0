//go:build ignore

package main

type Key struct{ a, b int }

func main() {
	m := map[Key]string{{1, 2}: "x", {3, 4}: "y"}
	delete(m, Key{1, 2})
	delete(m, Key{9, 9})
	_, ok := m[Key{1, 2}]
	println(len(m), ok)
	defer func() { println(recover().(error).Error()) }()
	e := map[any]int{}
	delete(e, []int{})
}

// Stderr:
// 1 false
// hash of unhashable type: []int
