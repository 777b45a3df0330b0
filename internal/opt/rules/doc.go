// Package rules is the language of the optimiser's algebra, and its generator. The rules are in the
// files *.rules in this folder. `go generate ./internal/opt` makes the matcher of package opt from
// them, and package prove shows that each of them is right. There is no other copy.
//
// A rule has a unique name, a pattern, perhaps a condition, and a replacement:
//
//	add-const-const: (add (add x C) D) => (add x [C+D])
//	remu-pow2:       (remu x C) if pow2(u(C)) => (and x [int64(u(C)-1)])
//
// A pattern is a term over the operations of package ir, by their names there:
//
//	x            any value; the same name stands for the same value
//	C            a name in capitals: any constant; the same name stands for equal constants
//	0  -1        that constant
//	k@K          what K matches, with the name k for the replacement
//	(op …)       an operation; (op{A B} …) with its Aux and Aux2, names or numbers
//	(op:i8 …)    of this type; also after a name: x:int. Types are i8 to i64, f32, f64,
//	             ptr, the classes int and float, and names, which stand for one type:
//	             (zext:t (trunc x:t))
//	v            the name of the whole
//
// A condition is a Go expression over the constants. A constant is an int64, as in Aux:
// sign-extended, but zero-extended for pointers and floats. A condition may call
//
//	u(C)         the constant, zero-extended from its type: a uint64
//	trunc(x, e)  the number e cut to the type of x, sign-extended; an int64
//	zext(x, e)   the number e cut to the type of x, zero-extended; a uint64
//	width(x)     the bits of the type of x; a uint64
//	ones(x)      the number with all of them set; a uint64
//	pow2(u)      whether u is a power of two
//	log2(u)      the zero bits at its end; an int64
//	is(x, op…)   whether x is one of these operations
//	constant(x)  whether x is a constant
//
// and the functions called facts. The proofs assume what facts claim (opt/facts.go; its tests show
// that the claims hold):
//
//	bits(x)      only these bits of x can be one
//	umax(x)      no unsigned x is larger
//	smin(x), smax(x)   no signed x is outside
//	bool(x)      x is 0 or 1
//	nonnil(x)    x is not 0
//	inobject(p, C)     p + C is within the object of p: it does not wrap
//	early        the rule runs before the escape analysis
//
// A replacement is a value, a constant expression in brackets, a term of these, which becomes the
// value's operation, or the word nothing. Constants get the type of their place, and are cut to it.
// Rules are tried in the order of their files and lines.
//
// A rule that is not an equation has its code in Go, as a method of the simplifier:
//
//	code phi-same phi: what the rule does and which test shows it
//
// A block with a table of texts stands for its lines once for each column:
//
//	with OP = eq ne; YES = 1 0 {
//	$OP-same: ($OP x x) => $YES
//	}
//
// The line "sampled: THEOREM" after a rule says that no solver finds an answer. Then every small
// width is tried exhaustively, many operands of the real widths are sampled, and the theorem is
// cited.
//
// rules.go has the types of rules and their inference, parse.go reads the files, expr.go checks
// conditions, print.go prints rules, matcher.go generates the matcher.
package rules
