// Package vet runs the passes of go vet over packages: what gyr vet does, and what gyr test does before it runs tests.
//
// # From packages to findings
//
// Packages are loaded as units (load.Units): with full bodies and comments, and their tests, for the target that gyr
// compiles for. The passes are those of the Go release whose standard library gyr runs (package passes), so they find
// what its go vet finds. They run in this process, those of a unit one after the other, several units at a time
// (unit.go). A pass that panics has an error of its own that names it, and the others go on.
//
// # Facts
//
// Two passes know facts of functions in imported packages: which are wrappers of printf, and which never return. Those of
// the standard library are in a table, since its packages are types without bodies here (stdfacts.go, and a test that
// says whether the table is right). Those of other packages come from running the two passes over them, and are kept
// (facts.go).
//
// # What is remembered
//
// In the directory of the compiled programs there is an entry for each unit, with its facts and, if it was one that somebody
// named, what was found (key.go). The name of the entry is a hash of all that decides these: the passes, the unit's files,
// and the names of the entries of the units that it imports. So a package that did not change is not analysed again, in
// whatever program it is. An entry for the whole request, with the list of what was read, saves even the parsing.
package vet
