//go:build ignore

package main

func main() {
	println(undefinedName)
	var t undefinedType
	missing.F(t)
}

// CompileError:
// undefined_filetest.go:6:10: undefined: undefinedName
// undefined_filetest.go:7:8: undefined: undefinedType
// undefined_filetest.go:8:2: undefined: missing
