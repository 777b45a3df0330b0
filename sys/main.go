package main
import "ex.com/s/term"
func main(){println(term.Size())}
