package gyr

import "github.com/gyrvm/gyr/internal/engine"

// An UnsafePolicy says which packages of a program, outside the standard library, may import unsafe and have
// go:linkname directives. All of a guest's memory is in its sandbox, with unsafe and without: what the policy decides is
// whether the program is compiled, and whether it can be relied on to be the same on other versions of gyr
// (docs/determinism.md). A value that is none of these constants is as NoUnsafe.
type UnsafePolicy uint8

const (
	// NoUnsafe refuses every program of which a package imports unsafe.
	NoUnsafe = UnsafePolicy(engine.UnsafeOff)
	// UnsafeDependencies lets packages of other modules than the main ones import unsafe, vendored ones among them.
	UnsafeDependencies = UnsafePolicy(engine.UnsafeDeps)
	// UnsafeAll lets all packages import unsafe.
	UnsafeAll = UnsafePolicy(engine.UnsafeAll)
)
