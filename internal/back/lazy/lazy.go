// Package lazy compiles functions at their first call, for every tier.
//
// A tier's program keeps its code in a [Table], a place for each function. A caller that finds no
// code for a function asks [Table.Compile] for it. One compilation runs at a time; others wait for
// it, or until their run ends. The code of a base's functions is in the base's table, once for all
// programs that continue the base.
package lazy

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
)

// Bodies say what happens to a function before its code is made. The zero value does nothing.
type Bodies struct {
	// Body, if set, makes the body of a function, unless it is there already or the function
	// has none at all.
	Body func(*ir.Func) error

	// Prepare, if set, fixes roots and frame and runs the passes that only make code faster. It
	// ends with cancel.ErrStopped when done is closed.
	Prepare func(f *ir.Func, done <-chan struct{}) error
}

// A Maker makes code of the kind C. One goroutine at a time calls its methods, except Enter.
type Maker[C any] interface {
	// Stored returns code that an earlier process made, already entered in the table; nil if
	// none is stored.
	Stored(i int32) (*C, error)
	// Make compiles a function whose body is ready. It asks stop now and then, and ends with an
	// error or a panic of cancel.ErrStopped once that returns true.
	Make(f *ir.Func, stop func() bool) (*C, error)
	// Missing returns the stand-in for a function that has no body; f is nil if the module has
	// no such function.
	Missing(i int32, f *ir.Func) (*C, error)
	// Place puts new code where it can run.
	Place(c *C) error
	// Enter lets calls of the maker's program find the code of a function, which may be the base's.
	Enter(i int32, c *C)
}

// A Table holds the code of the functions of a module, except those of its base.
type Table[C any] struct {
	Mod  *ir.Module
	Sigs *ir.SigNumbers

	// Busy is held by whoever compiles a function, or looks at all of them.
	Busy cancel.Lock

	base   *Table[C] // nil: the module stands alone
	first  int       // number of the first function that is not the base's
	code   []atomic.Pointer[C]
	bodies *Bodies
	maker  Maker[C]
	what   string // what it makes, for people

	made atomic.Int64 // functions
	took atomic.Int64 // nanoseconds spent on making them
}

// Work is the cost of compiling in this process, in the tables of a module and of its bases.
// Functions with stored code do not count. Other goroutines may compile meanwhile.
type Work struct {
	Functions int
	Time      time.Duration
}

// Work returns the cost of compiling so far.
func (t *Table[C]) Work() (w Work) {
	for ; t != nil; t = t.base {
		w.Functions += int(t.made.Load())
		w.Time += time.Duration(t.took.Load())
	}
	return w
}

// Init makes the table of a module without any code. what names it. base is the table of the
// module's base, nil if it stands alone. The bodies are read only when a function is compiled.
func (t *Table[C]) Init(what string, maker Maker[C], base *Table[C], mod *ir.Module, bodies *Bodies) error {
	if base == nil && mod.Base != nil || base != nil && mod.Base != base.Mod {
		return errors.New(what + ": the program of the module's base is needed")
	}
	var sigs *ir.SigNumbers
	if base != nil {
		if base.Mod.Sigs == nil {
			return errors.New(what + ": the module of the base does not tell its signatures (Module.Sigs)")
		}
		sigs = base.Sigs
	}
	*t = Table[C]{
		Mod: mod, Sigs: ir.NewSigNumbers(sigs), Busy: cancel.NewLock(),
		base: base, first: mod.FirstOwn(), code: make([]atomic.Pointer[C], mod.NumFuncs()-mod.FirstOwn()),
		bodies: bodies, maker: maker, what: what,
	}
	return nil
}

// First returns the number of the first function that is not the base's.
func (t *Table[C]) First() int { return t.first }

// Code returns the code of function number i, nil if it was never called.
func (t *Table[C]) Code(i int32) *C {
	if int(i) < t.first {
		return t.base.Code(i)
	}
	return t.code[int(i)-t.first].Load()
}

// Set gives function number i its code and lets calls find it.
func (t *Table[C]) Set(i int32, c *C) {
	t.code[int(i)-t.first].Store(c)
	t.maker.Enter(i, c)
}

// Compile returns the code of function number i and makes it if it has none. It ends with
// cancel.ErrStopped when done is closed.
func (t *Table[C]) Compile(i int32, done <-chan struct{}) (*C, error) {
	if int(i) < t.first {
		c, err := t.base.Compile(i, done)
		if err == nil {
			t.maker.Enter(i, c)
		}
		return c, err
	}
	if c := t.Code(i); c != nil {
		return c, nil
	}
	if !t.Busy.Lock(done) {
		return nil, cancel.ErrStopped
	}
	defer t.Busy.Unlock()
	if c := t.Code(i); c != nil {
		return c, nil
	}
	if c, err := t.maker.Stored(i); c != nil || err != nil {
		return c, err
	}
	start := time.Now()
	c, err := t.make(i, done)
	if err == nil {
		err = t.maker.Place(c)
	}
	if err != nil {
		return nil, err
	}
	t.made.Add(1)
	t.took.Add(int64(time.Since(start)))
	t.Set(i, c)
	return c, nil
}

// make makes code of a function. A panic in it becomes an error: see package failure.
func (t *Table[C]) make(i int32, done <-chan struct{}) (c *C, err error) {
	f := t.Mod.Func(int(i))
	if f != nil && t.bodies.Body != nil {
		if err := t.bodies.Body(f); err != nil {
			return nil, err
		}
	}
	if f == nil || f.Entry == nil {
		return t.maker.Missing(i, f)
	}
	defer func() {
		switch r := recover(); r {
		case nil:
		case cancel.ErrStopped:
			c, err = nil, cancel.ErrStopped
		default:
			c, err = nil, failure.New("compiling to "+t.what, r, failure.Of(f))
		}
	}()
	if t.bodies.Prepare != nil {
		if err := t.bodies.Prepare(f, done); err != nil {
			return nil, err
		}
	}
	f.Settle()
	failure.At("compiling " + t.what)
	return t.maker.Make(f, func() bool { return cancel.Asked(done) })
}
