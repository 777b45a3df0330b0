//go:build ignore

package main

import "fmt"
import fmt "os"

func fmt() {}

func main() {}

// CompileError:
// import_redeclared_filetest.go:5:8: "fmt" imported and not used
// import_redeclared_filetest.go:6:8: fmt redeclared in this block
// 	import_redeclared_filetest.go:5:8: other declaration of fmt
// import_redeclared_filetest.go:6:8: "os" imported as fmt and not used
// import_redeclared_filetest.go:8:6: fmt already declared through import of package fmt ("fmt")
// 	import_redeclared_filetest.go:5:8: other declaration of fmt
