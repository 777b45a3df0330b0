//go:build ignore

package main

import (
	"fmt"
	"os"
	s "strings"
)

func main() { fmt.Println() }

// CompileError:
// import_unused_filetest.go:7:2: "os" imported and not used
// import_unused_filetest.go:8:2: "strings" imported as s and not used
