package bytecode

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Program is a module on its way into register code: every function is
// compiled when it is first called. A Program may be used by any number of
// machines at once.
//
// Any number of programs may go on where another one ends, their base (ir.Module.Base). The functions
// of the base are compiled by it, for all of them. Code names functions by
// number and finds them in the table of the machine that runs, so it does not matter to a
// function of the base which program calls it.
type Program struct {
	Mod  *ir.Module
	base *Program // may be nil

	// table holds the address of each function's first instruction; it starts as
	// that of a Compile instruction. Entries change once, atomically.
	table []unsafe.Pointer
	stubs []uint64

	sigs     *ir.SigNumbers
	first    int                        // number of the first function that is not the base's
	funcs    []atomic.Pointer[FuncCode] // from there on
	compiled atomic.Int32               // how many are not nil

	busy    cancel.Lock // of who compiles a function
	memory  codeMemory
	scratch compiler // memory of the last compilation, to be used again
	Opts    Options
	boot    *FuncCode
}

// Options are debugging aids; none of them changes what a program computes.
type Options struct {
	NoFuse     bool // no superinstructions
	NoCoalesce bool // phi operands keep slots of their own

	// Body, if set, is called before a function is compiled: it makes the body,
	// unless the function has one or none at all.
	Body func(*ir.Func) error

	// Prepare, if set, is called before a function is compiled: it fixes roots and
	// frame and runs the passes that only make code faster.
	Prepare func(f *ir.Func, done <-chan struct{}) error
}

// Header is what the two words before a function's first instruction hold.
//
//	word -1: bits 0..31 bytes of stack that the frame needs, 32..63 guest size of the frame
//	word -2: bits 0..31 number of the signature, 32..63 gas charged at entry
const HeaderWords = 2

const stubWords = HeaderWords + 1

// Canonical NaNs: the bits that a NaN shows where it becomes visible.
const (
	CanonNaN64 = 0x7FF8000000000001
	CanonNaN32 = 0x7FC00000
)

// NewProgram prepares a module. Base is the program of the module's base, nil if it has none; what becomes of the
// base's functions follows from the base's Opts. It fails when an address of code would not fit a frame's link word.
func NewProgram(base *Program, mod *ir.Module) (*Program, error) { return newProgram(base, mod, nil) }

// newProgram prepares a module. If the signatures are known by their numbers, its
// functions may lack their bodies.
func newProgram(base *Program, mod *ir.Module, keys []string) (*Program, error) {
	if base == nil && mod.Base != nil || base != nil && (mod.Base != base.Mod || base.base != nil) {
		return nil, errors.New("bytecode: the program of the module's base is needed")
	}
	if base != nil && base.Mod.Sigs == nil {
		return nil, errors.New("bytecode: the module of the base does not tell its signatures (Module.Sigs)")
	}
	n, first := len(mod.Funcs), mod.FirstOwn()
	p := &Program{
		Mod:   mod,
		base:  base,
		table: make([]unsafe.Pointer, n+1),
		stubs: make([]uint64, (n+1-first)*stubWords),
		first: first,
		funcs: make([]atomic.Pointer[FuncCode], n+1-first),
		busy:  cancel.NewLock(),
	}
	if base == nil {
		p.sigs = ir.NewSigNumbers(nil)
	} else {
		p.sigs = ir.NewSigNumbers(base.sigs)
		for i := range first { // code, or what compiles it, which every program can use
			p.table[i] = atomic.LoadPointer(&base.table[i])
		}
	}
	if !p.sigs.Restore(keys) {
		return nil, errStored
	}
	for i := first; i <= n; i++ {
		s := p.stubs[(i-first)*stubWords:][:stubWords]
		s[0] = uint64(BadSig)
		if i < n && mod.Funcs[i] != nil {
			s[0] = uint64(p.entrySig(mod.Funcs[i]))
		}
		s[1] = 64
		s[2] = word(Compile, 0, 0, 0) | uint64(uint32(i))<<32
		p.table[i] = unsafe.Pointer(&s[2])
	}
	if err := checkAddress(p.table[n]); err != nil {
		return nil, err
	}
	switch {
	case keys != nil:
	case mod.Sigs != nil:
		for i := range mod.Sigs {
			p.sigID(&mod.Sigs[i])
		}
	default:
		for _, f := range mod.Funcs[first:] {
			if f == nil {
				continue
			}
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					if v.Sig != nil {
						p.sigID(v.Sig)
					}
				}
			}
		}
	}
	void := uint64(p.sigID(&ir.Sig{}))
	entry := uint64(0)
	if mod.Entry != nil {
		entry = uint64(uint32(mod.Entry.Index))
	}
	p.boot = &FuncCode{Slots: bootSlots, Code: []uint64{
		BadSig, 64 * 8,
		word(Call, bootSlots, 0, 0) | entry<<32,
		word(StackEnd, 0, 0, 0),
		word(CallC, bootSlots, 2, 0), void,
		word(StackEnd, 0, 0, 0),
		word(FarReturn, 0, 0, 0),
		word(Unreachable, 0, 0, 0),
	}, Sites: []Site{{PC: 3}, {PC: 6}}}
	return p, p.memory.add(p.boot)
}

const bootSlots = 4

// Boot returns the addresses at which an execution stack begins: one calls the
// module's entry, the other the closure in slot 2.
func (p *Program) Boot() (main, closure unsafe.Pointer) { return p.boot.At(2), p.boot.At(4) }

// FarReturn is the address of a FarReturn instruction.
func (p *Program) FarReturn() uintptr { return uintptr(p.boot.At(7)) }

// BadSig is a signature number that no call expects.
const BadSig = 0

// AnySig is the signature number of functions that any call may name: those made
// by reflection, whose code the call's shape selects, and those that take no
// arguments and do not return.
const AnySig = 1<<32 - 1

func (p *Program) sigID(s *ir.Sig) uint32 { return p.sigs.Of(s) }

// entrySig is the signature number that calls of f are checked against.
func (p *Program) entrySig(f *ir.Func) uint32 { return p.sigs.OfFunc(f, AnySig) }

// Table returns the table of entry addresses, indexed by function, and its
// length. Entries must be loaded atomically.
func (p *Program) Table() (unsafe.Pointer, int) {
	return unsafe.Pointer(&p.table[0]), len(p.Mod.Funcs)
}

// Code returns the code of function number i, which somebody has called.
func (p *Program) Code(i int32) *FuncCode {
	if int(i) < p.first {
		return p.base.Code(i)
	}
	return p.funcs[int(i)-p.first].Load()
}

// Compile returns the code of function number i, compiling it if nobody has yet.
func (p *Program) Compile(i int32) (*FuncCode, error) { return p.CompileUntil(i, nil) }

// CompileUntil is Compile; it ends with cancel.ErrStopped when done is closed.
func (p *Program) CompileUntil(i int32, done <-chan struct{}) (*FuncCode, error) {
	if int(i) < p.first {
		fc, err := p.base.CompileUntil(i, done)
		if err == nil {
			atomic.StorePointer(&p.table[i], fc.Entry())
		}
		return fc, err
	}
	if fc := p.Code(i); fc != nil {
		return fc, nil
	}
	if !p.busy.Lock(done) {
		return nil, cancel.ErrStopped
	}
	defer p.busy.Unlock()
	if fc := p.Code(i); fc != nil {
		return fc, nil
	}
	f := p.Mod.Funcs[i]
	if f != nil && p.Opts.Body != nil {
		if err := p.Opts.Body(f); err != nil {
			return nil, err
		}
	}
	var fc *FuncCode
	if f == nil || f.Entry == nil {
		fc = &FuncCode{Fn: f, Code: []uint64{BadSig, 64, word(Missing, 0, 0, 0) | uint64(uint32(i))<<32}}
	} else {
		var err error
		if fc, err = p.compileFunc(f, done, func() bool { return cancel.Asked(done) }); err != nil {
			return nil, err
		}
	}
	return fc, p.publish(i, fc)
}

// compileFunc optimises and compiles a function, until done is closed or stop says
// yes. A panic of the compiler is an error: see package failure.
func (p *Program) compileFunc(f *ir.Func, done <-chan struct{}, stop func() bool) (fc *FuncCode, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.scratch = compiler{} // left in the middle of something
			if r == cancel.ErrStopped {
				fc, err = nil, cancel.ErrStopped
				return
			}
			fc, err = nil, failure.New("compiling to register code", r, failure.Of(f))
		}
	}()
	if p.Opts.Prepare != nil {
		if err := p.Opts.Prepare(f, done); err != nil {
			return nil, err
		}
	}
	f.FixRoots()
	f.FixFrame()
	f.SettleKeeps()
	failure.At("compiling register code")
	return compile(p, f, stop)
}

// FrameSize is the size of a frame of f in guest units, which the stack limit
// counts. It depends only on what phase B may not change.
func FrameSize(f *ir.Func) int64 {
	f.FixFrame()
	return f.Frame
}
