//go:build ignore

package main

func main() {
	switch 1 {
	case 1:
		if true {
			fallthrough
		}
	case 2:
		fallthrough
	}
	switch any(1).(type) {
	case int:
		fallthrough
	case string:
	}
}

// CompileError:
// switch_fallthrough_bad_filetest.go:9:4: fallthrough statement out of place
// switch_fallthrough_bad_filetest.go:12:3: cannot fallthrough final case in switch
// switch_fallthrough_bad_filetest.go:16:3: cannot fallthrough in type switch
