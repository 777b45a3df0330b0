//go:build unix && amd64

package native

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/amd64"
)

// A Program is a module on its way into machine code: every function is compiled
// when it is first called. A Program may be used by any number of machines at
// once.
type Program struct {
	Mod  *ir.Module
	Opts Options

	env   amd64.Env
	arena *Arena
	stubs *amd64.Stubs
	base  uintptr // address of the stubs' code
	table uintptr // of code addresses, by function; behind it the numbers of signatures

	sigMu sync.Mutex
	sigs  map[string]uint32

	busy   cancel.Turn // of who compiles a function or looks at all of them
	tell   []func(Published) error
	stored stored
	funcs  []atomic.Pointer[code]
	index  atomic.Pointer[[]*code] // all code, by address

	compiled atomic.Int32
	bytes    atomic.Int64 // of machine code
}

// Options say how bodies of functions come about; see bytecode.Options.
type Options struct {
	Body    func(*ir.Func) error
	Prepare func(f *ir.Func, done <-chan struct{}) error
	// Verify proves each function's allocation of registers: a debugging aid.
	Verify bool
	// Checked says that guest memory may hold anything.
	Checked bool
}

// code is the published code of a function, or (Fn nil) the stubs.
type code struct {
	*abi.Func
	start, end uintptr
}

// arenaSize is the address space for a program's code.
const arenaSize = 256 << 20

const anySig = 1<<32 - 1

// Check reports why code cannot run here, nil if it can: the processor lacks something,
// or memory for code is denied.
func Check() error {
	if err := ready(); err != nil {
		return err
	}
	a, err := NewArena(0, 1<<16)
	if err != nil {
		return err
	}
	return a.Close()
}

// ready is Check without memory.
func ready() error {
	if !amd64.Supported() {
		return fmt.Errorf("native: the processor lacks %s", amd64.Missing())
	}
	if err := handleFaults(); err != nil {
		return fmt.Errorf("native: a handler for faults: %w", err)
	}
	return nil
}

// NewProgram prepares a module. It fails where memory for code is denied.
func NewProgram(mod *ir.Module, opts Options) (*Program, error) {
	if err := ready(); err != nil {
		return nil, err
	}
	n := len(mod.Funcs)
	arena, err := NewArena((n+1)*12, arenaSize)
	if err != nil {
		return nil, err
	}
	p := &Program{busy: cancel.NewTurn(), Mod: mod, Opts: opts, arena: arena, sigs: map[string]uint32{}, funcs: make([]atomic.Pointer[code], n)}
	p.env = amd64.Env{NumFuncs: n, Checked: opts.Checked, Verify: opts.Verify, SigID: p.sigID, Trap: func(t ir.Trap) int32 {
		if f := mod.Runtime[ir.Traps[t].Func]; f != nil {
			return f.Index
		}
		return 0
	}}
	entry := int32(0)
	if mod.Entry != nil {
		entry = mod.Entry.Index
	}
	p.stubs = amd64.MakeStubs(&p.env, entry)
	data := arena.Data()
	p.table = uintptr(unsafe.Pointer(&data[0]))
	stubs := &code{Func: p.stubs.Func}
	p.index.Store(&[]*code{})
	if err := p.publish(stubs); err != nil {
		arena.Close()
		return nil, err
	}
	p.base = stubs.start
	for i := range n + 1 {
		binary.LittleEndian.PutUint64(data[8*i:], uint64(p.base)+uint64(p.stubs.Compile))
		sig := uint32(0)
		if i < n && mod.Funcs[i] != nil {
			sig = anySig
			if f := mod.Funcs[i]; f.Flags&(ir.MakeFuncStub|ir.AnySignature) == 0 {
				sig = p.sigID(&f.Sig)
			}
		}
		binary.LittleEndian.PutUint32(data[8*(n+1)+4*i:], sig)
	}
	runtime.AddCleanup(p, func(a *Arena) { a.Close() }, arena)
	return p, nil
}

// sigID numbers signatures from 1 on.
func (p *Program) sigID(s *ir.Sig) uint32 {
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	k := s.Key()
	id := p.sigs[k]
	if id == 0 {
		id = uint32(len(p.sigs)) + 1
		p.sigs[k] = id
	}
	return id
}

// publish puts code into the arena and makes it known.
func (p *Program) publish(batch ...*code) error {
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
				to = p.base + uintptr(p.stubs.Exit)
			case abi.RelYield:
				to = p.base + uintptr(p.stubs.Yield)
			case abi.RelBase:
				to = p.table
			case abi.RelBulk:
				to = p.base + uintptr(p.stubs.Bulk[r.N])
			case abi.RelSigs:
				to = p.table + 8*uintptr(len(p.Mod.Funcs)+1)
			}
			end := at + uintptr(r.PC) + 4
			binary.LittleEndian.PutUint32(b[r.PC:], uint32(to-end))
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

// enter lets calls find code that was published.
func (p *Program) enter(c *code) {
	i := c.Fn.Index
	p.funcs[i].Store(c)
	atomic.StoreUint64(p.entry(i), uint64(c.start))
}

// at returns the code that contains an address (a return address: the place
// behind a call), nil if there is none.
func (p *Program) at(pc uintptr) *code {
	list := *p.index.Load()
	i := sort.Search(len(list), func(i int) bool { return list[i].start >= pc }) - 1
	if i < 0 || pc > list[i].end {
		return nil
	}
	return list[i]
}

// site returns the site of a return address, nil if there is none.
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

// entry returns the address in the table of function number i.
func (p *Program) entry(i int32) *uint64 {
	return (*uint64)(pointer(p.table + 8*uintptr(i)))
}

// pointer makes a pointer of an address outside of Go's heap.
//
//go:nocheckptr
func pointer(a uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), a) }

// Code returns the code of function number i, nil if nobody has called it.
func (p *Program) Code(i int32) *abi.Func {
	if c := p.funcs[i].Load(); c != nil {
		return c.Func
	}
	return nil
}

// Compiled returns how many functions were compiled, without those whose code was
// stored, and the bytes of all code in memory.
func (p *Program) Compiled() (funcs int, bytes int64) {
	return int(p.compiled.Load()), p.bytes.Load()
}

// Compile compiles function number i if nobody has yet, and returns its code.
func (p *Program) Compile(i int32) (*abi.Func, error) {
	c, err := p.compile(i, nil)
	if err != nil {
		return nil, err
	}
	return c.Func, nil
}

// compile returns the code of a function, and makes it if nobody has. It waits until another
// compilation is over, and ends with cancel.ErrStopped when done is closed.
func (p *Program) compile(i int32, done <-chan struct{}) (*code, error) {
	if c := p.funcs[i].Load(); c != nil {
		return c, nil
	}
	if !p.busy.Take(done) {
		return nil, cancel.ErrStopped
	}
	defer p.busy.Give()
	if c := p.funcs[i].Load(); c != nil {
		return c, nil
	}
	p.env.Stop = func() bool { return cancel.Asked(done) }
	f := p.Mod.Funcs[i]
	if f == nil {
		return nil, fmt.Errorf("function %d does not exist", i)
	}
	if c, err := p.restore(i); c != nil || err != nil {
		return c, err
	}
	if p.Opts.Body != nil {
		if err := p.Opts.Body(f); err != nil {
			return nil, err
		}
	}
	if f.Entry == nil {
		return nil, fmt.Errorf("function %s has no body", f.Name)
	}
	fc, err := p.compileFunc(f, done)
	if err != nil {
		return nil, err
	}
	c := &code{Func: fc}
	if err := p.publish(c); err != nil {
		return nil, err
	}
	for _, tell := range p.tell {
		if err := tell(c.published(p.Mod)); err != nil {
			return nil, err
		}
	}
	p.compiled.Add(1)
	p.enter(c)
	return c, nil
}

// Published is code where it runs; Fn is nil for the stubs.
type Published struct {
	*abi.Func
	Start uintptr
	Bytes []byte // as they stand there; not to be changed
	Mod   *ir.Module
}

func (c *code) published(mod *ir.Module) Published {
	return Published{c.Func, c.start, unsafe.Slice((*byte)(pointer(c.start)), len(c.Code)), mod}
}

// Observe has all code told to a function: what is there now, and what comes,
// before it runs. That has notes (abi.Func.Notes). An error fails the compilation.
func (p *Program) Observe(tell func(Published) error) error {
	p.busy.Take(nil)
	defer p.busy.Give()
	for _, c := range *p.index.Load() {
		if err := tell(c.published(p.Mod)); err != nil {
			return err
		}
	}
	p.env.Notes = true
	p.tell = append(p.tell, tell)
	return nil
}

// compileFunc optimises and compiles a function. A panic of the compiler, which a
// function from an image may cause, is an error.
func (p *Program) compileFunc(f *ir.Func, done <-chan struct{}) (fc *abi.Func, err error) {
	defer func() {
		if r := recover(); r != nil {
			buf := make([]byte, 4096)
			buf = buf[:runtime.Stack(buf, false)]
			fc, err = nil, fmt.Errorf("function %s: internal compiler error: %v\n%s", f.Name, r, buf)
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
	return amd64.Compile(f, &p.env)
}
