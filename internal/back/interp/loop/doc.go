// Package loop is the language in which the interpreter's run loop is written, and its generator.
// The *.ops files beside this one are the loop. `go generate ./internal/back/interp` makes Go code
// (run_generated.go) from them and from the table of operations in package bytecode. No other copy
// exists.
//
// An operation is its name in package bytecode, a colon and its code: one statement of Go, or
// several on lines of their own. Names with commas between them share their code.
//
//	Add: A = B + C
//	Gas:
//		gas -= IMM
//		CHARGED
//
// Every operation has code, except those from bytecode.FirstSlow on: the loop leaves them to Go
// functions. The code has the variables
//
//	pc         address of the next word: after the instruction's first
//	fp         address of the frame's slot 0
//	base       host address of guest offset 0
//	gas        what may be charged until something has to happen
//	w          the instruction's first word
//	m          the machine
//
// and names in capitals, which stand for other text. The slots are
//
//	A B C          the slot that the field a, b or c of the instruction names, a uint64; &A is the address of A
//	D E F          the slot that the field d, e or f of the extension word names; the code has the word in e
//	FA FB FC FD    the same slots as float64
//
// The code must read and write exactly the slots that the operation's form in package bytecode
// names; an operation that traps may leave some to the trap. The files define all other names in
// capitals:
//
//	def PTR(p) = uint64(uint32(p))
//	def CHARGED
//		EXITIF(gas < m.Plim, exitGas)
//
// A definition of several lines is used on a line of its own. Definitions are text: an operand of a
// lower precedence than its place needs parentheses.
//
// A block with a table stands for its lines once for each row. In them $name is the text of that
// column. Two or more spaces separate columns, and _ is no text:
//
//	with $s $type
//		8S  int8
//		8U  uint8
//	do
//	Load$s: A = uint64(MEM($type, ADDR(B)))
//	done
//
// A mode is a loop of its own that does more than execute (modes.ops). A line that begins with //
// is a comment.
package loop
