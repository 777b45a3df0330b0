package engine

import (
	"sync/atomic"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// A unit is an optimised module with its code: that of a program, or of a layer of a base. A
// function is made ready, and compiled, when it is first called.
type unit struct {
	mod       *ir.Module
	continued *unit // the module that this one continues, nil if it stands alone
	register  registerTier
	ready     readiness
	foreign   bool // from a portable image
	shared    bool // a layer of a base: other modules continue this one and need its signatures by number
}

// A registerTier is a unit's register code, made when the interpreter first needs it.
type registerTier struct {
	once     failure.Flight
	code     *bytecode.Module
	made     atomic.Bool
	stored   func() []byte // returns code of some functions that an earlier process made; may be nil
	restored int           // functions that have such code
}

// prepare makes a new unit runnable. Base is the unit that the module continues, nil if it stands
// alone.
func (u *unit) prepare(base *unit, cfg *opt.Options) {
	u.continued = base
	u.ready.init(u.mod, cfg, u.foreign)
}

// restore makes the unit from encoded parts: the image of its module, as of the end of phase A, and
// possibly register code of some of its functions. Bodies of functions are decoded on demand.
func (u *unit) restore(base *unit, im *image.Image, code func() []byte, cfg *opt.Options) (*image.Bodies, error) {
	mod, bodies, err := im.Module(base.module())
	if err != nil {
		return nil, err
	}
	u.mod = mod
	if u.shared {
		mod.Sigs = im.Sigs()
	}
	u.prepare(base, cfg)
	u.ready.read, u.register.stored = bodies.Decode, code
	return bodies, nil
}

// module returns the unit's module, nil for a nil unit.
func (u *unit) module() *ir.Module {
	if u == nil {
		return nil
	}
	return u.mod
}

// program returns the unit's register code, and nil for a nil unit.
func (u *unit) program() (*bytecode.Module, error) { return u.programWith(bytecode.Options{}) }

// programWith is program with options, which the first call decides.
func (u *unit) programWith(o bytecode.Options) (*bytecode.Module, error) {
	if u == nil {
		return nil, nil
	}
	t := &u.register
	err := t.once.Do(func() error {
		base, err := u.continued.program()
		if err != nil {
			return err
		}
		var stored []byte
		if t.stored != nil {
			stored = t.stored()
		}
		u.ready.busy.Lock(nil) // bodies must not change meanwhile
		defer u.ready.busy.Unlock()
		if len(stored) > 0 {
			t.code, err = bytecode.Restore(base, u.mod, stored)
		}
		if len(stored) == 0 || err != nil { // code that does not fit is compiled again
			t.code, err = bytecode.NewModule(base, u.mod)
		}
		if err != nil {
			return err
		}
		o.Bodies = u.ready.bodies()
		t.code.Opts = o
		t.restored = t.code.Compiled()
		t.made.Store(true)
		return nil
	})
	return t.code, err
}

// dataSize returns the size of the module's data in bytes, 0 for a nil unit.
func (u *unit) dataSize() int {
	if u == nil {
		return 0
	}
	return u.mod.DataSize()
}

// compiled returns how many functions were compiled to register code, without those that were
// restored.
func (t *registerTier) compiled() int {
	if !t.made.Load() {
		return 0
	}
	return t.code.Compiled() - t.restored
}

// save returns the register code of all functions that have some, for [registerTier.stored].
func (t *registerTier) save() []byte {
	switch {
	case t.made.Load():
		b, _ := t.code.Save(nil)
		return b
	case t.stored != nil:
		return t.stored()
	}
	return nil
}

// readiness keeps the state of function bodies, which the tiers share: each body is read and
// optimised once, before the function is first compiled.
type readiness struct {
	busy    cancel.Lock
	opt     *opt.Options
	foreign bool                 // from a portable image: the IR is verified after phase B
	read    func(*ir.Func) error // reads the body of a function that has none; may be nil
	first   int32                // functions with smaller numbers are the base's
	done    []bool               // by function, starting at first: it is optimised

	broken map[*ir.Func]error // functions that phase B left half changed, with no other copy of the body
}

func (r *readiness) init(mod *ir.Module, cfg *opt.Options, foreign bool) {
	r.busy, r.opt, r.foreign, r.first = cancel.NewLock(), cfg, foreign, int32(mod.FirstOwn())
	r.done = make([]bool, mod.NumFuncs()-mod.FirstOwn())
}

// bodies returns the functions that tiers call before they compile a function.
func (r *readiness) bodies() lazy.Bodies { return lazy.Bodies{Body: r.body, Prepare: r.prepare} }

// body reads the body of a function if it is still on disk.
func (r *readiness) body(f *ir.Func) (err error) {
	r.busy.Lock(nil)
	defer r.busy.Unlock()
	defer func() {
		if x := recover(); x != nil {
			f.Forget()
			err = failure.New("reading a function", x, failure.Of(f))
		}
	}()
	if f.Entry != nil || r.read == nil {
		return nil
	}
	return r.read(f)
}

// prepare records what phase B must not change, and runs phase B. It returns cancel.ErrStopped if
// done is closed.
func (r *readiness) prepare(f *ir.Func, done <-chan struct{}) (err error) {
	if !r.busy.Lock(done) {
		return cancel.ErrStopped
	}
	defer r.busy.Unlock()
	if err := r.broken[f]; err != nil {
		return err
	}
	defer func() {
		if x := recover(); x != nil {
			err = r.spoilt(f, failure.New("optimising", x, failure.Of(f)))
		}
	}()
	if r.done[f.Index-r.first] {
		return nil
	}
	f.FixRoots()
	f.FixFrame()
	cfg := *r.opt
	if done != nil {
		cfg.Stop = func() bool { return cancel.Asked(done) }
	}
	failure.At("phase B")
	err = opt.PhaseB(f, &cfg)
	if err == nil && r.foreign {
		err = ir.Verify(f)
	}
	if err == nil {
		f.SettleKeeps()
		r.done[f.Index-r.first] = true
	}
	return err
}

// spoilt notes that phase B ended in the middle of a change. The body is read again if it came from
// an image or entry. Otherwise the function can no longer be called.
func (r *readiness) spoilt(f *ir.Func, err error) error {
	if r.read != nil {
		f.Forget()
		return err
	}
	if r.broken == nil {
		r.broken = map[*ir.Func]error{}
	}
	r.broken[f] = err
	return err
}
