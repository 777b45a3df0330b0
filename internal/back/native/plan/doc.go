// Package plan compiles functions of the IR to machine code, as far as that is the same for all
// processors.
//
// The processor-specific part is in other packages. A [CPU] describes its processor by a [Desc],
// which is plain data. It has a [Writer], which writes what operations compute, and an [Assembler], of
// whose small steps all other code consists. No register or instruction of a particular processor has a
// name here. Packages amd64 and arm64 have one CPU each. The tests of package native have an imaginary
// one, as different from both as possible.
//
// # The steps of a compilation
//
// [Compile] takes a function whose roots and frame size package ir has computed. There are four
// steps:
//
//   - order.go puts the blocks in an order: loops stand together, likely successors follow at once,
//     cold blocks come last. Selection and register allocation follow it.
//   - Selection turns operations into instructions with virtual registers. Each is an [Inst], which
//     says what is computed, with a regalloc.Inst, which says where its operands may be. Some
//     operations need no instruction of their own, and the selector finds them first (uses.go):
//     comparisons that only a branch, a check or a select reads, loads that become the memory
//     operand of their only reader (fold.go), and sums that become part of an address (address.go).
//     An estimate of how often the blocks run (frequency.go) decides where late charges are paid
//     (owe.go).
//   - Package regalloc assigns registers and spill slots to the values.
//   - An [Emitter] decides the final order of the blocks (place.go), by the same estimate: the most
//     frequent ways need no jump, and an iteration of a loop takes one. It writes each instruction,
//     with the Assembler or by the Writer (write.go). It also collects what accompanies the code.
//     Sites describe the places where code is left, with their maps of roots (sites.go). Constants
//     and jump tables follow the code (pool.go), as does code out of line ([Emitter.Later]). Notes
//     are for listings (notes.go).
//
// # Where things are
//
//   - The interface to a processor: cpu.go (Desc, CPU, Writer), assembler.go (Assembler) and inst.go
//     (the instructions).
//   - Selection by kind of operation, from select.go: integers.go, floats.go, compare.go, divide.go
//     (by the steps of reciprocal.go), memory.go, calls.go, gas.go and count.go (coverage).
//     blocks.go numbers the blocks, with one for each critical edge, and selects their ends.
//   - Writing: emit.go, and write.go, which has the table of kinds. frame.go makes frames and removes
//     them; leave.go leaves for the handler, alloc.go allocates; charge.go charges gas; trap.go has
//     checks and calls, nan.go stores of floats. switch.go writes switches as trees of comparisons and
//     jump tables. buffer.go holds code and its labels.
//   - stubs.go writes the code that all functions share; routine.go calls routines.
//   - arena.go has memory that the next compilation uses again. decode.go is what listings need of
//     a disassembler. tally.go counts executed instructions.
//
// # What a description says
//
// Registers: Desc says which registers hold values and which carry arguments. Two more hold a
// called function value and its function's index.
//
// Operands: [Desc.Ops] says for each operation whether the result overwrites an operand, which
// registers the operation demands (the count of a shift, a dividend), which it destroys, how many
// temporaries it takes, and whether an operand may be in memory. For operations with a constant
// [Desc.ImmOps] says the same, and [Desc.Fits] tells which constants may be part of an instruction.
// So one function selects an operation for all processors, and only the table differs.
//
// Addresses: Desc has the scales of an index and the largest displacement. These tell selection
// which addresses are cheap. An Assembler must still be able to take any address of 32 bits.
//
// Missing operations: [Desc.Lacks] names operations of the IR without code. A function with one of
// them is not compiled, and the error [NoCode] names the operations.
//
// # What a Writer must do
//
// It must be able to write each [Kind] that is not among those of write.go, with each [Op], except those
// that the description excludes. A result of 32 bits has zeros in the upper half of its register, and
// later operations rely on that. The upper bits of a narrower result are arbitrary.
//
// Writer and Assembler own the registers that are in neither [Desc.Ints] nor [Desc.Floats]: no value
// lives in them. An instruction may change any of these that they use as scratch. Of the other
// registers it changes only those that the Inst and the description name. The allocator's moves
// need one scratch register, which they name [regalloc.Scratch].
//
// Code calls a stub to continue in Go. Before the call it saves the live registers on the stack
// below the frame ([Saving]). A site at the return address says which words hold roots.
// Package abi has the contract between code and Go.
//
// # A new processor
//
// It takes an encoder that is an Assembler, a description and a Writer, in a package beside amd64. It also
// takes the assembly that enters and leaves code, and a file that names both (native/cpu_amd64.go).
// TestSeam of package native shows that the rest depends on no processor.
package plan
