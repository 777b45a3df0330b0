//go:build ignore

package main

func g(s string) int { print(s); return len(s) }

func main() {
	a := []int{0, 0, 0, 0}
	a[g("ab")] = g("c") + g("def")
	println(a[2])
	m := map[int]int{g("x"): g("yy"), g("zzz"): g("wwww")}
	println(len(m))
	x, y := g("1"), g("22")
	x, y = y, x
	println(x, y)
}

// Stderr:
// abcdef4
// xyyzzzwwww2
// 1222 1
