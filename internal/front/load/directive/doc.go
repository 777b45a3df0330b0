// Package directive reads the compiler directives of source files, which go/ast drops, and has the list of what
// programs may take from the standard library by go:linkname.
//
//   - directive.go finds directives in a text or among comments, and says what they ask ([Pragma], [Linkname]);
//   - symbol.go takes link symbols apart;
//   - pulls.go is the list ([Answers]); leaves.go spells the layouts by which a program's declaration is compared with
//     the list's.
package directive
