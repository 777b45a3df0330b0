package bytecode

import (
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Module is an ir.Module on its way into register code: every function is compiled at its first
// call. Any number of machines may use a Module at once.
//
// Any number of programs may continue one other program, their base (ir.Module.Base). The base
// compiles its functions, for all of them. Code names functions by number and finds them in the
// table of the running machine, so a function of the base need not know which program calls it.
// function of the base which program calls it.
type Module struct {
	Mod  *ir.Module
	base *Module // may be nil

	// table holds the address of each function's first instruction. At first that is a Compile
	// instruction. Entries change once, atomically.
	table []unsafe.Pointer
	stubs []uint64

	code     lazy.Table[FuncCode]
	compiled atomic.Int32 // how many functions have code

	memory  codeMemory
	scratch compiler // memory of the last compilation, to be used again
	Opts    Options
	boot    *FuncCode
}

// Options say where bodies of functions come from; the others are debugging aids. None of them
// changes what a program computes.
type Options struct {
	lazy.Bodies
	NoFuse     bool // no superinstructions
	NoCoalesce bool // phi operands keep slots of their own
	Lowered    bool // loops run as lowered, without copies of rounds
}

// Header is the content of the two words before a function's first instruction.
//
//	word -1: bits 0..31 bytes of stack that the frame needs, 32..63 guest size of the frame
//	word -2: bits 0..31 number of the signature, 32..63 gas charged at entry
const HeaderWords = 2

const stubWords = HeaderWords + 1

// NewModule prepares a module. base is the module that it continues, nil if it has none. The base's
// Opts decide what happens to the base's functions. It fails if an address of code would not fit a
// frame's link word.
func NewModule(base *Module, mod *ir.Module) (*Module, error) { return newProgram(base, mod, nil) }

// newProgram prepares a module. If the signatures are known by their numbers, its functions may
// lack their bodies.
func newProgram(base *Module, mod *ir.Module, keys []string) (*Module, error) {
	n, first := mod.NumFuncs(), mod.FirstOwn()
	p := &Module{
		Mod:   mod,
		base:  base,
		table: make([]unsafe.Pointer, n+1),
		stubs: make([]uint64, (n+1-first)*stubWords),
	}
	var below *lazy.Table[FuncCode]
	if base != nil {
		below = &base.code
	}
	if err := p.code.Init("register code", maker{p}, below, mod, &p.Opts.Bodies); err != nil {
		return nil, err
	}
	for i := range first { // code, or the stub that compiles it: every program can use it
		p.table[i] = atomic.LoadPointer(&base.table[i])
	}
	if !p.code.Sigs.Restore(keys) {
		return nil, errStored
	}
	p.code.Sigs.Know(mod)
	sigs := make([]uint32, n-first+1)
	p.code.Sigs.Fill(mod, AnySig, sigs)
	for i := first; i <= n; i++ {
		s := p.stubs[(i-first)*stubWords:][:stubWords]
		s[0] = uint64(sigs[i-first]) // BadSig: there is no function
		s[1] = 64
		s[2] = word(Compile, 0, 0, 0) | uint64(uint32(i))<<32
		p.table[i] = unsafe.Pointer(&s[2])
	}
	if err := checkAddress(p.table[n]); err != nil {
		return nil, err
	}
	switch {
	case keys != nil, mod.Sigs != nil:
	default:
		for _, f := range mod.Own() {
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

// Boot returns the addresses at which an execution stack begins: one calls the module's entry, the
// other the closure in slot 2.
func (p *Module) Boot() (main, closure unsafe.Pointer) { return p.boot.At(2), p.boot.At(4) }

// FarReturn is the address of a FarReturn instruction.
func (p *Module) FarReturn() uintptr { return uintptr(p.boot.At(7)) }

// BadSig is a signature number that no call expects.
const BadSig = ir.BadSig

// AnySig is the signature number of functions that any call may name: those made by reflection,
// whose code the call's shape selects, and those that take no arguments and do not return.
const AnySig = 1<<32 - 1

func (p *Module) sigID(s *ir.Sig) uint32 { return p.code.Sigs.Of(s) }

// entrySig is the signature number that calls of f are checked against.
func (p *Module) entrySig(f *ir.Func) uint32 { return p.code.Sigs.OfFunc(f, AnySig) }

// Table returns the table of entry addresses, indexed by function, and its
// length. Entries must be loaded atomically.
func (p *Module) Table() (unsafe.Pointer, int) {
	return unsafe.Pointer(&p.table[0]), p.Mod.NumFuncs()
}

// Code returns the code of function number i, which has been called before.
func (p *Module) Code(i int32) *FuncCode { return p.code.Code(i) }

// Compile returns the code of function number i and compiles it if it has none yet.
func (p *Module) Compile(i int32) (*FuncCode, error) { return p.code.Compile(i, nil) }

// CompileUntil is Compile, but ends with cancel.ErrStopped when done is closed.
func (p *Module) CompileUntil(i int32, done <-chan struct{}) (*FuncCode, error) {
	return p.code.Compile(i, done)
}

// A maker makes register code for a program's table.
type maker struct{ p *Module }

// Stored returns nothing: stored register code is complete from the start, see [Restore].
func (maker) Stored(int32) (*FuncCode, error) { return nil, nil }

func (m maker) Make(f *ir.Func, stop func() bool) (*FuncCode, error) {
	whole := false
	defer func() {
		if !whole {
			m.p.scratch = compiler{} // interrupted halfway
		}
	}()
	fc := compile(m.p, f, stop)
	whole = true
	return fc, nil
}

// Missing returns code that ends the run: a program may name a function that it never calls.
func (maker) Missing(i int32, f *ir.Func) (*FuncCode, error) {
	return &FuncCode{Fn: f, Code: []uint64{BadSig, 64, word(Missing, 0, 0, 0) | uint64(uint32(i))<<32}}, nil
}

func (m maker) Place(fc *FuncCode) error {
	err := m.p.memory.add(fc)
	if err == nil {
		m.p.compiled.Add(1)
	}
	return err
}

func (m maker) Enter(i int32, fc *FuncCode) { atomic.StorePointer(&m.p.table[i], fc.Entry()) }

// FrameSize is the size of a frame of f in guest units, which the stack limit counts. It depends
// only on what phase B may not change.
func FrameSize(f *ir.Func) int64 {
	f.FixFrame()
	return f.Frame
}
