package plan

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// A CPU is a kind of processor that has code. Several goroutines may call its methods at once.
type CPU interface {
	// Desc describes the processor. It always returns the same description, which does not
	// change.
	Desc() *Desc
	// Features names the instructions that the code needs, for stored code.
	Features() string
	// Missing names the features that this processor lacks; empty if code can run.
	Missing() string
	// NewWriter makes a Writer, which writes functions one after another.
	NewWriter() Writer
	// NewAssembler makes an Assembler, for stubs.
	NewAssembler() Assembler
	// Relocate fills in a place in the code, which begins at an address: to is the target of r.
	Relocate(code []byte, r abi.Reloc, at, to uintptr)
}

// A Writer writes what needs to know the function that the code is for, of one function after another.
type Writer interface {
	// Begin begins a function and returns the Assembler, with an empty buffer, for its code.
	Begin(e *Emitter) Assembler
	// Inst writes an instruction, of a kind that package plan does not write, whose operands have
	// places.
	Inst(r *regalloc.Inst, in *Inst)
	// Branch jumps to a label if a comparison holds, or (not yes) if it does not.
	Branch(r *regalloc.Inst, c *Comparison, yes bool, to Label)
	// Pool loads a float constant.
	Pool(d Reg, size Size, bits uint64)
	// Computed returns a register with the bits of a value that is computed again: Desc.Carrier, or
	// one that always holds them. ComputeTo stores them to a slot, and MoveSlot copies a slot.
	Computed(v regalloc.VReg) Reg
	ComputeTo(to Address, v regalloc.VReg)
	MoveSlot(to, from Address)
	// TrapArgs puts up to two integers into the first two argument registers.
	TrapArgs(args []TrapArg)
	// End patches the references to labels. All of them are bound. It reports false if the code
	// must be written again, in a longer form: then Begin follows for the same function.
	End() bool
}

// A Desc describes a processor. It is everything about it that a plan depends on.
type Desc struct {
	Name string

	// Ints and Floats are the registers for values: below 64, and the two classes are disjoint.
	Ints, Floats regalloc.RegSet
	// IntArgs and FloatArgs carry arguments and results, in order.
	IntArgs, FloatArgs []regalloc.Reg
	// Closure holds the called function value, Index the index of its function. Neither is an
	// argument.
	Closure, Index regalloc.Reg
	// ReturnClobber is destroyed by a return that leaves a shadow frame.
	ReturnClobber regalloc.RegSet
	// Base, Stack and Gas hold what package abi says, and no values. Yield has the return address
	// for Stubs.Yield.
	Base, Stack, Gas, Yield Reg
	// MoveScratch and Carrier hold no values: a float for moves of the allocator, and 64 bits of any
	// class between two places in memory. Spare is such a register for integers, NoReg if there is none.
	MoveScratch, Carrier, Spare Reg
	// EndTemps are free where a function ends. The second carries no argument, so it is free where
	// the function begins, too.
	EndTemps [2]Reg

	// Ops are the demands of operations, ImmOps those of KImmOp. Temps are how many temporaries
	// for integers the instructions of a kind always have. Fits reports whether a constant may
	// be part of an instruction: of KImmOp, of a comparison (Cmp) or of KStoreImm (Store).
	// Counts of shifts always may.
	Ops, ImmOps [NumOps]Operands
	Temps       [NumKinds]uint8
	Fits        func(op Op, x int64) bool

	// Sums says that KLea computes sums, like addresses.
	Sums bool
	// LowBits says that there are DropLow and KeepLow.
	LowBits bool
	// Scales has a bit for each scale of an index that addresses may have; 1 is always among them.
	Scales uint16
	// MaxDisp is the largest displacement after a pointer that an access may have, at most
	// memory.MaxDisplacement; MaxAddress is the largest constant address.
	MaxDisp, MaxAddress int64
	// MaxBaseDisp is the largest displacement of an address that has the base and a pointer. Accesses
	// with a larger one take the host address.
	MaxBaseDisp int64
	// WideCompares says that there are comparisons of 32 and 64 bits only: narrower operands are
	// extended before.
	WideCompares bool
	// Updates says that memory may be the target of Add, Sub, And, Or and Xor.
	Updates bool
	// TwoFlags says that equality of floats takes two flags: its KSet has a temporary, and it
	// has no KSelect.
	TwoFlags bool

	// MemoryNaN says that arithmetic gives a NaN the bits ir.MemoryNaN64 or ir.MemoryNaN32 if no
	// operand is a NaN with others.
	MemoryNaN bool

	// NoFMA says that the processor has no FMA: code leaves for the handler.
	NoFMA bool

	// MoveBytes and ClearBytes bound the bytes of KMove and KClear. Routines handle larger
	// sizes and leave their results in RoutineResult; operations on bulk memory and kernels
	// without a routine leave for the handler.
	MoveBytes, ClearBytes int64
	Routines              []Routine
	RoutineResult         regalloc.Reg

	// Link is how many bytes a call, or the callee before it makes its frame, pushes on the
	// stack; the return address is lowest.
	Link int32
	// Fill is how many bytes a frame may be larger than it needs, so that entering the function need not
	// move the limit.
	Fill int64
	// Trap fills space that is never executed.
	Trap byte
	// RelocBytes is how many bytes Relocate writes from Reloc.PC on, or the end of them, by kind.
	RelocBytes [abi.NumRelocs]int32
	// ArenaBytes is the address space for the code of a program: as much as jumps reach.
	ArenaBytes int
	// Lacks are operations of the IR that have no code: Compile fails with a NoCode.
	Lacks [ir.NumOps]bool
}

// Operands say what an operation demands of its operands and its result. Otherwise they are in any
// registers of their class.
type Operands struct {
	Use              [2]Where // of the first operands
	Result           Where
	Same             bool // the result takes the place of the first operand
	Early            bool // the result is written before all operands are read
	Swap             bool // for AndNot: use 0 is the second operand
	Load             bool // the second operand may be in memory
	Clobber, Reserve regalloc.RegSet
	Temps            uint8
	FloatTemps       uint8
}

// A Where is a demanded register, 0 if any will do.
type Where uint8

// In demands a register.
func In(r regalloc.Reg) Where { return Where(r) + 1 }

func (w Where) reg() regalloc.Reg { return regalloc.Reg(w) - 1 }

func (d *Desc) hasScale(x int64) bool { return x >= 1 && x < 16 && d.Scales>>x&1 != 0 }

func (d *Desc) inDisp(x int64) bool { return x >= 0 && x <= d.MaxDisp }

// A NoCode is the error of a function with operations that have no code.
type NoCode struct {
	CPU string
	Ops []ir.Op
}

func (e *NoCode) Error() string {
	var names []string
	for _, op := range e.Ops {
		names = append(names, op.String())
	}
	return fmt.Sprintf("%s: no code for %s", e.CPU, strings.Join(names, ", "))
}

// lacking returns, as an error, the operations of a function that have no code.
func (d *Desc) lacking(f *ir.Func) error {
	var seen [ir.NumOps]bool
	var e *NoCode
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !d.Lacks[v.Op] || seen[v.Op] {
				continue
			}
			if seen[v.Op] = true; e == nil {
				e = &NoCode{CPU: d.Name}
			}
			e.Ops = append(e.Ops, v.Op)
		}
	}
	if e == nil {
		return nil
	}
	return e
}

// Env is what a function's code depends on besides the function and the processor.
type Env struct {
	Checked bool // memory may hold anything: all code is checked, not only functions with ir.Unsafe
	Notes   bool // fill in abi.Func.Notes, for listings

	Verify bool // prove the allocation of registers

	Tally *Tally // counts what is executed; nil: does not count

	// Stop, if not nil, is called repeatedly during a compilation. Once it returns true, the
	// compilation ends soon, with cancel.ErrStopped.
	Stop func() bool

	SigID func(*ir.Sig) uint32 // number of a signature, for checked calls
	Trap  func(ir.Trap) int32  // function that raises a trap, 0: none

	arenas *arenas // of the last compilation, to be used again
}
