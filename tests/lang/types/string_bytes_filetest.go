//go:build ignore

package main

func main() {
	s := "héllo"
	println(len(s), s[1], s[2], s[0:1]+s[3:])
	b := []byte(s)
	b[0] = 'j'
	println(s, string(b))
}

// Stderr:
// 6 195 169 hllo
// héllo jéllo
