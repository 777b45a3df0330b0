//go:build ignore

package main

func main() {
	println("日本語" == "\u65e5本\U00008a9e", "日本語" == "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e")
	println(len("\n\"\\\a"), "\"quoted\"")
	println(len("\xff\u00FF"), "\101\102\103")
}

// Stderr:
// true true
// 4 "quoted"
// 3 ABC
