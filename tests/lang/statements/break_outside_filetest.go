//go:build ignore

package main

func main() {
	break
	continue
	if true {
		break
	}
	for {
		func() { continue }()
	}
}

// CompileError:
// break_outside_filetest.go:6:2: break is not in a loop, switch, or select
// break_outside_filetest.go:7:2: continue is not in a loop
// break_outside_filetest.go:9:3: break is not in a loop, switch, or select
// break_outside_filetest.go:12:12: continue is not in a loop
