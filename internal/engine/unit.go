package engine

import (
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// A unit is an optimised module with its code: that of a program, or of a layer of a base. A function is
// made ready, and compiled, when it is first called.
type unit struct {
	mod     *ir.Module
	code    *bytecode.Module
	ready   readiness
	foreign bool // from a portable image
	shared  bool // a layer of a base: other modules continue this one and need its signatures by number
}

// prepare makes the unit runnable; nothing of its module has run yet. Base is what the module continues, nil if it
// stands alone.
func (u *unit) prepare(base *unit, cfg *opt.Options) error {
	code, err := bytecode.NewModule(base.program(), u.mod)
	if err == nil {
		u.setCode(code, cfg, nil)
	}
	return err
}

// restore makes the unit from encoded parts: the image of its module, as of the end of phase A, and register code of
// some of its functions, which may be empty. Bodies of functions are decoded when they are needed.
func (u *unit) restore(base *unit, im *image.Image, code []byte, cfg *opt.Options) (*image.Bodies, error) {
	var of *ir.Module
	if base != nil {
		of = base.mod
	}
	mod, bodies, err := im.Module(of)
	if err != nil {
		return nil, err
	}
	u.mod = mod
	if u.shared {
		mod.Sigs = im.Sigs()
	}
	var c *bytecode.Module
	if len(code) > 0 {
		c, err = bytecode.Restore(base.program(), mod, code)
	} else {
		c, err = bytecode.NewModule(base.program(), mod)
	}
	if err != nil {
		return nil, err
	}
	u.setCode(c, cfg, bodies.Decode)
	return bodies, nil
}

// program returns the unit's register code, or nil for a nil unit.
func (u *unit) program() *bytecode.Module {
	if u == nil {
		return nil
	}
	return u.code
}

// setCode gives the unit its register code. Read reads the body of a function that has none; it is nil if all
// functions have theirs.
func (u *unit) setCode(code *bytecode.Module, cfg *opt.Options, read func(*ir.Func) error) {
	u.ready.init(u.mod, cfg, u.foreign)
	u.ready.read = read
	code.Opts.Bodies = u.ready.bodies()
	u.code = code
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

// prepare fixes what phase B may not change, and runs phase B. It returns cancel.ErrStopped if done
// is closed.
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
