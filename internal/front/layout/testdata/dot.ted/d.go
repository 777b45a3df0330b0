// Package dotted has a path that link strings escape.
package dotted

// T is a type of it.
type T struct{ A, B int }
