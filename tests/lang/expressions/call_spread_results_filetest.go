//go:build ignore

package main

func f(a int, s ...string) int { return a + len(s) }

func g() (int, string, string)   { return 1, "a", "b" }
func h() (s []string, err error) { return []string{"q"}, nil }

func two(s []string, err error) int { return len(s) }

func main() { println(f(g()), two(h())) }

// Stderr:
// 3 1
