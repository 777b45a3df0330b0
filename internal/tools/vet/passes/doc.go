// Package passes holds the passes of go vet as the Go release has them whose standard library gyr runs, made by
// generate.go from the sources of its own vet (GOROOT/src/cmd/vendor). The licence of these sources is in LICENSE.
//
// The module golang.org/x/tools has the same passes, of another day: they find other things than the release's go vet,
// and they do a good deal of work whenever a process starts, whether it is to vet or not. Each pass parses its
// documentation, and a table of all symbols of the standard library is made: 2 ms for all of them. The copies differ in
// this:
//
//   - the documentation of a pass is a constant;
//   - regular expressions are compiled when they are first used;
//   - the table of symbols has only those that package stdversion asks for, as text until somebody asks
//     (internal/stdlib, which is not a copy);
//   - packages that anybody can import are those of the module.
package passes

//go:generate go run generate.go
