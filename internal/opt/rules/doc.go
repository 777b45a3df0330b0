// Package rules is the language in which the algebra of the optimiser is
// written, and its generator. The rules are the files *.rules beside this one;
// `go generate ./internal/opt` makes the matcher from them that package opt
// runs, and package prove shows that each of them is right. There is no other
// copy.
//
// A rule has a name that no other has, a pattern, perhaps a condition, and a
// replacement:
//
//	add-const-const: (add (add x C) D) => (add x [C+D])
//	remu-pow2:       (remu x C) if pow2(u(C)) => (and x [int64(u(C)-1)])
//
// A pattern is a term over the operations of package ir, by their names there:
//
//	x            any value; where a name stands twice, the same value
//	C            a name in capitals: any constant; where it stands twice, equal constants
//	0  -1        that constant
//	k@K          what K matches, which the replacement may name k
//	(op …)       an operation; (op{A B} …) with its Aux and Aux2, names or numbers
//	(op:i8 …)    of this type; so after a name: x:int. Types are i8 to i64, f32, f64,
//	             ptr, the classes int and float, and names, which stand for one type:
//	             (zext:t (trunc x:t))
//	v            is the name of the whole
//
// A condition is a Go expression over the constants. A constant is an int64, as
// Aux holds it: sign-extended, but zero-extended for pointers and floats. It may call
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
// and the functions that are called facts, since the proofs assume what
// they claim (opt/facts.go, whose tests show that they hold):
//
//	bits(x)      no other bits of x can be one
//	umax(x)      no unsigned x is larger
//	smin(x), smax(x)   no signed x is outside
//	bool(x)      x is 0 or 1
//	nonnil(x)    x is not 0
//	inobject(p, C)     p + C is within the object of p: it does not wrap
//	early        the rule runs before the escape analysis
//
// A replacement is a value, a constant expression in brackets, a term of
// such, which becomes the value's operation, or the word nothing. Constants get the type of their place,
// and are cut to it. Rules are tried in the order of their files and lines.
//
// What is no equation is a rule whose code is a method of the simplifier in Go:
//
//	code phi-same phi: what the rule does and which test shows it
//
// A block with a table of texts stands for its lines once for each column:
//
//	with OP = eq ne; YES = 1 0 {
//	$OP-same: ($OP x x) => $YES
//	}
//
// The line "sampled: THEOREM" behind a rule says that a solver finds no answer;
// then every small width is tried, many operands are, and the theorem is cited.
package rules
