// Package budget says how much compiling one program may take.
//
// The limits are counted in units of source and of IR, never in bytes of the host or in
// time, so that every machine refuses the same source with the same error. They exist
// because parts of a compilation cannot be interrupted: go/parser, go/types and go/ssa look
// at no context, and a goroutine whose stack overflows takes the process along. What
// they are about to do is bounded from the source before they are called (package
// bounds); what we do ourselves is counted where it is done.
package budget

import (
	"fmt"
	"reflect"
)

// Limits bound what compiling one program may take. They count what is the program's own: of
// the standard library only what the program has instantiated and what is lowered for it. A
// field that is 0 has the value of [Default], which is far above what real programs need;
// [Untrusted] is for sources of strangers.
type Limits struct {
	// SourceBytes are those of all files of the program's own packages. A file counts
	// as 1 KiB at least.
	SourceBytes int64
	// EmbedBytes are those of all files that go:embed names.
	EmbedBytes int64
	// Nesting is how deep syntax may be nested: brackets, operands, blocks. A
	// function literal counts as 16 levels.
	Nesting int64
	// ConstantBytes are those of all constant strings that are made by operators,
	// in one package.
	ConstantBytes int64
	// ConstantWork is the sum over all operations with untyped numbers, in one
	// package, of the bits of their operands, where a constant declaration without
	// values repeats the operations of the one before.
	ConstantWork int64
	// TypeSize are the bytes of a value of one type. The default is that of the language.
	TypeSize int64
	// TypeExpansion is how many parts the types that a package declares have, written out: fields
	// and elements, of types inside of them too, and type arguments.
	TypeExpansion int64
	// CheckWork is an estimate of the steps that type checking a package takes, above all where they grow faster than
	// the source: branches of one function, cases of a type switch with one another, selectors with the fields and
	// methods of the largest type, conversions to the largest interface.
	CheckWork int64
	// Instances are those of generic functions and types.
	Instances int64
	// Functions are those of the program as it is lowered: declared, literals, instances, and what
	// the engine makes for methods and types; those of the base are not counted.
	Functions int64
	// Operations are those of the IR of all these functions.
	Operations int64
}

// Default returns the limits that hold where none are given.
func Default() Limits {
	return Limits{
		SourceBytes: 1 << 30, EmbedBytes: 256 << 20, Nesting: 10_000, ConstantBytes: 1 << 28, ConstantWork: 1 << 36,
		TypeSize:      1 << 50,
		TypeExpansion: 1 << 26, CheckWork: 1 << 38, Instances: 1 << 16, Functions: 1 << 22, Operations: 1 << 30,
	}
}

// Untrusted returns limits for sources that nobody knows: uploads, submissions, plugins. A
// program of a thousand kilobytes compiles under them, if no function of it has more than about
// 5,000 branches; no source takes more than some seconds and some hundred megabytes to be
// compiled or refused.
func Untrusted() Limits {
	return Limits{
		SourceBytes: 1 << 20, EmbedBytes: 16 << 20, Nesting: 1000, ConstantBytes: 16 << 20, ConstantWork: 1 << 28,
		TypeSize:      1 << 32,
		TypeExpansion: 1 << 18, CheckWork: 1 << 28, Instances: 1 << 12, Functions: 1 << 16, Operations: 1 << 22,
	}
}

// Filled returns the limits with the defaults in place of zeros, or an error for a
// negative one.
func (l Limits) Filled() (Limits, error) {
	v, d := reflect.ValueOf(&l).Elem(), reflect.ValueOf(Default())
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Int() < 0:
			return l, fmt.Errorf("Limits.%s is %d: a limit cannot be negative", v.Type().Field(i).Name, f.Int())
		case f.Int() == 0:
			f.SetInt(d.Field(i).Int())
		}
	}
	return l, nil
}

// Huge is more than any limit. Sums and products of counts stop there.
const Huge = 1 << 60

// Add and Mul are the sum and the product, at most Huge, of numbers that are not negative.
func Add(a, b int64) int64 {
	if a > Huge-b {
		return Huge
	}
	return a + b
}

func Mul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > Huge/b {
		return Huge
	}
	return a * b
}
