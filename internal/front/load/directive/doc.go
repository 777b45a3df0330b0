// Package directive reads the compiler directives of source files, which go/ast drops. It also has
// the list of symbols that programs may take from the standard library by go:linkname.
//
//   - directive.go finds directives in a text or among comments, and parses them ([Pragma],
//     [Linkname]);
//   - symbol.go splits link symbols;
//   - pulls.go is the list ([Answers]); leaves.go spells the layouts by which a program's
//     declaration is compared with the list's.
package directive
