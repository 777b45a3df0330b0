// Package plan compiles functions of the IR to machine code, as far as that is the same for all processors.
//
// What a processor can do is a value, a [Desc], and what it has to do is an interface, a [CPU] with its [Writer].
// Nothing
// here names a register or an instruction of one. Package amd64 is a CPU, and the tests of package native
// have another, which does not exist and is as unlike it as fits.
//
// # The way of a function
//
// [Compile] takes a function whose roots and frame are fixed. There are four steps.
//
// Blocks get an order (order.go): loops stand together, likely successors follow at once, cold blocks stand last.
// It is the order in which registers are given out.
//
// Selection makes instructions with virtual registers of the operations: each is an [Inst], which says what is to be
// computed, and a regalloc.Inst, which says where its operands may be. Before, it finds out what makes no
// instruction of its own
// (uses.go): comparisons that a branch alone reads, loads that are the operand of one operation (fold.go), sums that
// are part of addresses (address.go).
//
// Package regalloc gives registers and slots to the values.
//
// An [Emitter] walks over the blocks in the order of the code, which turns loops so that an iteration takes one
// jump (place.go), and
// has the Writer write each instruction. It keeps what stands beside the code: sites and maps of roots (sites.go),
// constants and tables behind the code (pool.go), code out of line ([Emitter.Later]), notes for listings
// (notes.go).
//
// # Where things are
//
// cpu.go and inst.go are the seam: what a processor says, and what it is asked to write. Selection is select.go, with
// integers.go, floats.go, compare.go, divide.go (reciprocal.go), memory.go, calls.go, switch.go, gas.go and count.go by
// kind of operation. blocks.go numbers the blocks, and place.go orders them for the code. buffer.go holds code and its
// labels, arena.go memory that compilations use again. decode.go takes instructions apart for listings, tally.go counts
// what is executed.
//
// # What a processor says of itself
//
// Registers: which there are for values, which carry arguments, and which two a call of a function value has.
//
// Operands: [Desc.Ops] says for each operation whether the result overwrites an operand, which registers are
// demanded (the
// count of a shift, a dividend), what is destroyed, how many temporaries it takes, and whether an operand may
// be in memory. Operations with a constant have rows of their own, [Desc.ImmOps], and [Desc.Fits] says which
// constants.
// So an operation is selected by one function for all processors, and a row is all that differs.
//
// Addresses: scales, the largest displacement that is worth its place. A Writer has to write any address of 32
// bits, though:
// these numbers say what is good, not what may occur.
//
// Operations of the IR that there is no code for: [Desc.Lacks]. A function with one of them is not compiled, and
// its error says so ([NoCode]); nothing is left out in silence.
//
// # What a Writer owes
//
// It has a way to write each [Kind], for each [Op] that its description does not exclude. Results of 32 bits have
// zeros above them: later operations count on that. Narrower ones have anything there.
//
// Between two instructions of a block it may change any register that [Desc.Ints] and [Desc.Floats] do not have,
// and no others but
// those that the instruction says. Moves go through a register of its own ([regalloc.Scratch]).
//
// Code leaves for Go by calling a stub, with the registers that live on saved below the frame
// ([Emitter.SavingAt]), and a site behind the call that says which words are roots. Package abi tells what both
// sides know.
//
// # A new processor
//
// An encoder, a description, a Writer and the stubs, in a package beside amd64; the way into code and back in
// assembly, and a file
// that names both (native/cpu_amd64.go). TestSeam of package native shows how little the rest needs.
package plan
