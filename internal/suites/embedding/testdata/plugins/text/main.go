package main

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

func main() {
	message.NewPrinter(language.German).Printf("%d %.2f\n", 1234567, 1234.5)
}
