// Package srcfuzz makes unusual Go programs out of existing ones, for a compiler to accept or
// refuse.
//
// It parses and type-checks a program of a corpus, and makes a few changes to its syntax tree. Each
// change knows the types, so that many results are programs again. Expressions are wrapped so that
// they keep their value (in function literals, conversions, composite literals, channels,
// generics), or replaced by others of their type. Constants become boundaries. Statements are
// duplicated, left out, exchanged and wrapped. Declarations come from another file. The remaining
// results are programs with one mistake, which must be refused.
//
// Everything is a function of the corpus and the random numbers: a seed gives the same programs
// everywhere.
//
// checker_test.go has the checker and the mutator, kinds_test.go the kinds of changes.
// types_test.go draws declarations of types, most of them wrong.
package srcfuzz
