//go:build ignore

package main

func main() int { return 1 }

// CompileError:
// main_signature_filetest.go:5:6: func main must have no arguments and no return values
