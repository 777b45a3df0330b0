//go:build ignore

package main

type Bytes []byte
type Str string

func main() {
	println(string(rune(65)), string(rune(-1)) == "\uFFFD", string(rune(0x65e5)))
	println(string([]byte{'h', 'i'}), string([]rune{0x767d, 0x9d6c}), string(Bytes("x"))+string(Str("y")))
	b := []byte("héy")
	r := []rune("héy")
	println(len(b), len(r), r[1])
	s := string(b)
	b[0] = 'X'
	println(s, string([]byte(nil)) == "")
}

// Gas: 1177

// Stderr:
// A true 日
// hi 白鵬 xy
// 4 3 233
// héy true
