//go:build ignore

package main

func init() {}

func main() { init() }

// CompileError:
// init_called_filetest.go:7:15: undefined: init
