package native

import (
	"errors"
	"fmt"
	"runtime"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Module is an ir.Module on its way into machine code: every function is compiled at its first
// call. Any number of machines may use a Module at once.
//
// Any number of programs may continue one other program, their base (ir.Module.Base). The base
// compiles its functions, once for all of them, into its arena. Each program has its own table for
// all functions. Code calls a known function through the table of the program that the code belongs
// to, so a function of the base calls others of it regardless of the running program. A function
// value is called through the table of the running machine; the context has its address. A program
// keeps its base alive.
type Module struct {
	Mod  *ir.Module
	Opts Options
	base *Module // may be nil

	host  *host
	env   plan.Env
	arena *Arena
	stubs *plan.Stubs
	start uintptr // address of the stubs' code
	table uintptr // of code addresses, by function; the numbers of signatures follow

	code   lazy.Table[code]
	tell   []func(Published) error
	stored stored
	index  atomic.Pointer[[]*code] // all code but the base's, by address

	compiled atomic.Int32
	bytes    atomic.Int64 // of machine code
}

// Options say where bodies of functions come from, and what code trusts.
type Options struct {
	lazy.Bodies
	// Verify proves each function's allocation of registers: a debugging aid.
	Verify bool
	// Checked says that guest memory may hold anything.
	Checked bool
	// Tally, if set, makes code count what it executes: see Machine.Executed. The base has the
	// same one, and neither takes stored code.
	Tally *plan.Tally
}

// code is the published code of a function, or (Fn nil) the stubs.
type code struct {
	*abi.Func
	start, end uintptr
}

const anySig = 1<<32 - 1

// Check reports why code cannot run here, nil if it can: the processor lacks a feature, or memory
// for code is denied.
func Check() error {
	if err := thisHost.ready(); err != nil {
		return err
	}
	a, err := NewArena(0, 1<<16)
	if err != nil {
		return err
	}
	return a.Close()
}

// ready is Check without the check of memory.
func (h *host) ready() error {
	if h.cpu == nil {
		return errors.New("native: there is no machine code for this processor")
	}
	if lacks := h.cpu.Missing(); lacks != "" {
		return fmt.Errorf("native: the processor lacks %s", lacks)
	}
	if err := handleFaults(); err != nil {
		return fmt.Errorf("native: a handler for faults: %w", err)
	}
	return nil
}

// NewModule prepares a module. base is the module that it continues, nil if it has none. The
// options are about the module's own functions; the base's options apply to the base's. It fails if
// memory for code is denied.
func NewModule(base *Module, mod *ir.Module, opts Options) (*Module, error) {
	return thisHost.program(base, mod, opts)
}

func (h *host) program(base *Module, mod *ir.Module, opts Options) (*Module, error) {
	if err := h.ready(); err != nil {
		return nil, err
	}
	if base != nil && opts.Checked && !base.Opts.Checked {
		return nil, errors.New("native: the base's code trusts what memory holds")
	}
	if base != nil && opts.Tally != base.Opts.Tally {
		return nil, errors.New("native: the base's code is counted otherwise")
	}
	p := &Module{Mod: mod, Opts: opts, base: base, host: h}
	var below *lazy.Table[code]
	if base != nil {
		below = &base.code
	}
	if err := p.code.Init("machine code", maker{p}, below, mod, &p.Opts.Bodies); err != nil {
		return nil, err
	}
	arena, err := NewArena((mod.NumFuncs()+1)*12, h.cpu.Desc().ArenaBytes)
	if err != nil {
		return nil, err
	}
	arena.Trap = h.cpu.Desc().Trap
	p.arena = arena
	p.env = plan.Env{Checked: opts.Checked, Verify: opts.Verify, Tally: opts.Tally, SigID: p.code.Sigs.Of, Trap: func(t ir.Trap) int32 {
		if f := mod.Runtime[ir.Traps[t].Func]; f != nil {
			return f.Index
		}
		return 0
	}}
	entry := int32(0)
	if mod.Entry != nil {
		entry = mod.Entry.Index
	}
	p.stubs = plan.NewStubs(p.host.cpu, &p.env, entry)
	data := arena.Data()
	p.table = uintptr(unsafe.Pointer(&data[0]))
	stubs := &code{Func: p.stubs.Func}
	p.index.Store(&[]*code{})
	if err := p.publish(stubs); err != nil {
		arena.Close()
		return nil, err
	}
	p.start = stubs.start
	p.fillTable()
	runtime.AddCleanup(p, func(a *Arena) { a.Close() }, arena)
	return p, nil
}

// fillTable writes the table that calls go through: the code that the base has, else the stub that
// compiles the function. The base's stub is as good as this program's.
func (p *Module) fillTable() {
	n := p.Mod.NumFuncs()
	entries, sigs := unsafe.Slice(p.entry(0), n+1), unsafe.Slice(p.sig(0), n+1)
	for i := range p.code.First() {
		entries[i] = atomic.LoadUint64(p.base.entry(int32(i)))
	}
	if p.base != nil {
		copy(sigs, unsafe.Slice(p.base.sig(0), p.code.First()))
	}
	p.code.Sigs.Know(p.Mod)
	for i := p.code.First(); i <= n; i++ {
		entries[i] = uint64(p.start) + uint64(p.stubs.Compile)
	}
	p.code.Sigs.Fill(p.Mod, anySig, sigs[p.code.First():])
}

// publish puts code into the arena and makes it known.
func (p *Module) publish(batch ...*code) error {
	list := make([][]byte, len(batch))
	for i, c := range batch {
		list[i] = c.Code
	}
	at, err := p.arena.Publish(list, func(i int, b []byte, at uintptr) {
		for _, r := range batch[i].Relocs {
			var to uintptr
			switch r.Kind {
			case abi.RelTable:
				to = p.table + 8*uintptr(r.N)
			case abi.RelStub:
				to = p.start + uintptr(p.stubs.Exit)
			case abi.RelYield:
				to = p.start + uintptr(p.stubs.Yield)
			case abi.RelBulk:
				to = p.start + uintptr(p.stubs.Routine[r.N])
			}
			p.host.cpu.Relocate(b, r, at, to)
		}
	})
	if err != nil {
		return err
	}
	known := *p.index.Load() // addresses only grow, and readers know only their own length
	for i, c := range batch {
		c.start, c.end = at[i], at[i]+uintptr(len(c.Code))
		known = append(known, c)
		p.bytes.Add(int64(len(c.Code)))
	}
	p.index.Store(&known)
	return nil
}

// at returns the code that contains an address (a return address: the place after a call), nil if
// none does. The code may be the base's.
func (p *Module) at(pc uintptr) *code {
	for p.base != nil && !p.arena.Contains(pc) {
		p = p.base
	}
	list := *p.index.Load()
	i := sort.Search(len(list), func(i int) bool { return list[i].start >= pc }) - 1
	if i < 0 || pc > list[i].end {
		return nil
	}
	return list[i]
}

// site returns the site of a return address, nil if it has none.
func (c *code) site(pc uintptr) *abi.Site {
	off := int32(pc - c.start)
	i := sort.Search(len(c.Sites), func(i int) bool { return c.Sites[i].PC >= off })
	if i == len(c.Sites) || c.Sites[i].PC != off {
		return nil
	}
	return &c.Sites[i]
}

// line returns the position of the instruction at an address.
func (c *code) line(pc uintptr) ir.Pos {
	off := int32(pc - c.start)
	i := sort.Search(len(c.Lines), func(i int) bool { return c.Lines[i].PC > off })
	if i == 0 {
		return c.Fn.Pos
	}
	return c.Lines[i-1].Pos
}

// owed returns the late charges that the instruction at an address has not made yet.
func (c *code) owed(pc uintptr) int64 {
	off := int32(pc - c.start)
	i := sort.Search(len(c.Owed), func(i int) bool { return c.Owed[i].PC > off })
	if i == 0 {
		return 0
	}
	return int64(c.Owed[i-1].Units)
}

// entry returns the table entry of function number i.
func (p *Module) entry(i int32) *uint64 {
	return (*uint64)(pointer(p.table + 8*uintptr(i)))
}

// sigTable returns the address of the numbers of signatures, by function; sig returns one of them.
func (p *Module) sigTable() uintptr { return p.table + 8*uintptr(p.Mod.NumFuncs()+1) }

func (p *Module) sig(i int32) *uint32 {
	return (*uint32)(pointer(p.sigTable() + 4*uintptr(i)))
}

// pointer makes a pointer of an address outside of Go's heap.
//
//go:nocheckptr
func pointer(a uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), a) }

// Code returns the code of function number i, nil if it was never called.
func (p *Module) Code(i int32) *abi.Func {
	if c := p.code.Code(i); c != nil {
		return c.Func
	}
	return nil
}

// Compiled returns how many functions were compiled, without those with stored code, and the bytes
// of all code in memory. The base's do not count.
func (p *Module) Compiled() (funcs int, bytes int64) {
	return int(p.compiled.Load()), p.bytes.Load()
}

// Work returns what the compilation to machine code has cost, for this module and its bases.
func (p *Module) Work() lazy.Work { return p.code.Work() }

// Compile compiles function number i if it has no code yet, and returns its code.
func (p *Module) Compile(i int32) (*abi.Func, error) {
	c, err := p.code.Compile(i, nil)
	if err != nil {
		return nil, err
	}
	return c.Func, nil
}

// A maker makes machine code for a program's table.
type maker struct{ p *Module }

func (m maker) Stored(i int32) (*code, error) { return m.p.restore(i) }

func (m maker) Make(f *ir.Func, stop func() bool) (*code, error) {
	m.p.env.Stop = stop
	fc, err := plan.Compile(m.p.host.cpu, f, &m.p.env)
	return &code{Func: fc}, err
}

func (maker) Missing(i int32, f *ir.Func) (*code, error) {
	if f == nil {
		return nil, fmt.Errorf("function %d does not exist", i)
	}
	return nil, fmt.Errorf("function %s has no body", f.Name)
}

func (m maker) Place(c *code) error {
	if err := m.p.publish(c); err != nil {
		return err
	}
	for _, tell := range m.p.tell {
		if err := tell(c.published(m.p.Mod)); err != nil {
			return err
		}
	}
	m.p.compiled.Add(1)
	return nil
}

func (m maker) Enter(i int32, c *code) { atomic.StoreUint64(m.p.entry(i), uint64(c.start)) }

// Published is code at its final address; Fn is nil for the stubs.
type Published struct {
	*abi.Func
	Start uintptr
	Bytes []byte // as in memory; must not be changed
	Mod   *ir.Module
}

func (c *code) published(mod *ir.Module) Published {
	return Published{c.Func, c.start, unsafe.Slice((*byte)(pointer(c.start)), len(c.Code)), mod}
}

// Observe calls tell for all code except the base's: for the present code now, and for future code
// before it runs. Code then has notes (abi.Func.Notes). An error fails the compilation. To learn of
// the base's code, observe the base, once for all programs on it.
func (p *Module) Observe(tell func(Published) error) error {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	for _, c := range *p.index.Load() {
		if err := tell(c.published(p.Mod)); err != nil {
			return err
		}
	}
	p.env.Notes = true
	p.tell = append(p.tell, tell)
	return nil
}
