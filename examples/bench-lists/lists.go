// Package lists asks six times: is a list of fixed length faster to allocate than a growing one?
//
// Every stage of the answer is here, even the wrong ones, in the order in which people come to it:
//
//  1. clock_test.go: the clock is read around ten lists at a time
//  2. plain_test.go: a loop over b.N
//  3. generated_test.go: a function with a directive, whose loop gyr makes
//  4. a profile of stage 3: gyr bench -profile -bench Generated
//  5. its machine code: gyr bench asm GeneratedFixed
//  6. kept_test.go: the functions return the list, and are not inlined
//
// In stages 2 to 5 no list is left, and gyr bench says so. docs/bench-lists.md tells the story.
// Shorter questions of the same kind are in append_test.go, channel_test.go and closure_test.go.
package lists

// Size is the number of elements of the lists.
const Size = 32

// Fixed is a list whose length is part of its type: one object.
type Fixed [Size]any

// NewFixed makes a Fixed.
func NewFixed() *Fixed { return new(Fixed) }

// Growable is a list that can get more elements: an object that points to another.
type Growable struct{ elems []any }

// NewGrowable makes a Growable.
func NewGrowable() *Growable { return &Growable{make([]any, Size)} }
