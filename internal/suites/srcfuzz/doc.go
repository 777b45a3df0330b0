// Package srcfuzz makes Go programs that nobody would write out of those that somebody wrote, for
// a compiler to take or refuse.
//
// A program of a corpus is parsed and type-checked, and a few changes are made to its syntax tree.
// Each knows the types, so that many results are programs again: expressions are wrapped in what
// gives the same value (function literals, conversions, composite literals, channels, generics), or
// replaced by others of their type; constants become boundaries; statements are doubled, left out,
// exchanged and wrapped; declarations come from another file. The rest are programs that are
// wrong in one place, which have to be refused.
//
// All is a function of the corpus and the random numbers: a seed gives the same programs everywhere.
package srcfuzz
