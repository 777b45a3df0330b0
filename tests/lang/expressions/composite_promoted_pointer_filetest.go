//go:build ignore && go1.27

// A key may not go through an embedded pointer.
package main

type Base struct{ x int }

type Mid struct{ Base }

type P struct {
	*Mid
	y int
}

type Q struct{ P }

func main() {
	_ = P{x: 1}
	_ = P{Base: Base{1}}
	_ = Q{x: 1, y: 2}
	_ = Q{Mid: &Mid{x: 3}, y: 4}
	_ = &P{y: 1, x: 2}
	_ = []Q{{x: 1}}
}

// CompileError:
// composite_promoted_pointer_filetest.go:18:8: invalid implicit pointer indirection to reach x
// composite_promoted_pointer_filetest.go:19:8: invalid implicit pointer indirection to reach Base
// composite_promoted_pointer_filetest.go:20:8: invalid implicit pointer indirection to reach x
// composite_promoted_pointer_filetest.go:22:15: invalid implicit pointer indirection to reach x
// composite_promoted_pointer_filetest.go:23:11: invalid implicit pointer indirection to reach x
