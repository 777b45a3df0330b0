//go:build ignore

package main

func t(s string) bool { print(s); return true }
func f(s string) bool { print(s); return false }

func main() {
	println(f("a") && t("b"))
	println(t("c") || f("d"))
	println(f("e") || t("f") && f("g"))
	println(!(t("h") && f("i")))
}

// Stderr:
// afalse
// ctrue
// efgfalse
// hitrue
