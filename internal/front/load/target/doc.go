// Package target decides which files belong to a build for the target that gyr poses as:
// GOOS=wasip1 GOARCH=wasm, with the tags purego and math_big_pure_go, which leave no assembly to
// run.
//
// match.go looks at file names and build constraints. assembly.go says whether an assembly file has
// code, and which tag would leave it out.
package target
