// Package gcproof shows what gc, the Go compiler, left of a benchmark in its measured loop. It is
// package proof for native Go: gc reports nothing about its passes, so the machine code tells.
//
// # Twins
//
// A loop costs something itself: a counter, a comparison, a load of b.N, the code of b.Loop. To know
// what, twin.go makes an empty twin of each function with a measured loop: the same function, with
// nothing in the bodies of its measured loops. The go command compiles the twins in a binary of
// their own. What the loop has and its twin has not is the payload. A generic function names its twin,
// so that gc compiles both for the same types. A label that only the body uses is not in the twin. The
// loops of functions declared with //gyr:bench are in a generated file, and are treated alike. A loop
// without a twin says why.
//
// # The loop's code
//
// The table of lines and the inlined calls in DWARF tell which instructions belong to the lines of
// a loop. Those of them that are on a cycle are executed in each iteration (code.go). They are
// counted by what they do (count.go): calls, loads, stores, and computations. Loads of constants,
// moves between registers and the stack, comparisons and jumps support work and are none. Nor is a
// store at a fixed address. Code of package testing, and blocks that report a failure, do not count.
//
// # What is proved
//
// A loop whose source has work and whose payload has none measures nothing (proof.go). An addition of
// a constant in the loop's own lines is no work if the source does more than that: it is what is left
// of sum += f(2). A call whose result the source drops is gone if no instruction of the function
// belongs to its lines any more. What only might be gone is not reported: an object in the frame, or
// a function that was folded in part.
//
// The result has the form of package proof, so its rules make the diagnoses.
package gcproof
