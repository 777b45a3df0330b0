// Package load turns Go source into built SSA. It is the first stage, and the only package that reads
// source files.
//
// [Load] takes package patterns and returns a [Packages]. A program goes through these steps, one file
// each:
//
//   - goroot.go finds the Go installation that supplies the standard library and refuses one of
//     another release;
//   - origin.go decides from where a package was loaded whether it is the standard library's, and lets
//     no other package have its path;
//   - module.go and resolve.go find the directory of an import path: GOROOT/src, the overlay, the main
//     module, a vendor directory, a replaced directory or the module cache; vendor.go compares
//     vendor/modules.txt with go.mod; modcache.go reads the module cache, sum.go compares what is there
//     with go.sum, treesum.go sums the files of a module, goenv.go reads the settings of the go command;
//   - shown.go names files for those who may not know where the host has them;
//   - match.go selects files by name and build constraint, for the target that we pose as: GOOS=wasip1
//     GOARCH=wasm with the tags purego and math_big_pure_go, which leaves no assembly to run; purego.go takes
//     purego back where it would be of no use;
//   - parse.go reads and parses, several files at a time; directive.go collects the compiler
//     directives that go/ast drops (linkname, wasmimport, embed, noinline);
//   - prune.go removes, before anything is type-checked, the bodies of standard library functions that
//     the program cannot reach according to names alone (mention.go), and variables that nothing
//     mentions (purevars.go);
//   - godebug.go computes the GODEBUG settings that the main module's language version implies;
//   - package rewrite changes syntax that go/ssa would build otherwise than gc: order of evaluation, method
//     expressions, deferred calls;
//   - check.go type-checks with go/types and builds SSA with go/ssa;
//   - link.go finds the function or variable that a link symbol names; linkname.go ties the program's own directives
//     together, and answers.go lists what they may take from the standard library;
//   - initorder.go puts the packages in the order of their initialisation;
//   - base.go replaces packages of the standard library by their types, for programs that continue a
//     standard library that was compiled before.
//
// units.go loads packages for those who analyse sources instead of running them: [LoadUnits].
//
// # What is fixed
//
// The five packages of [Overlay] are replaced whole by sources of our own; every other package of the
// standard library is GOROOT's, unmodified.
//
// The result depends on the sources and the configuration alone. Positions do not depend on the order
// in which files were parsed: a file's base in the token.FileSet is a function of its name (see
// fileBase).
//
// # What user code may not do
//
// Packages outside the standard library may not use unsafe and go:linkname (unless Options.Unsafe lets them), cgo,
// assembly with code (assembly.go), package plugin, go:wasmimport and go:wasmexport. Each use is an error that gives its
// position.
package load
