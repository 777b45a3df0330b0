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

// A unit is an optimised module with its code: that of a program, or a base. Functions are made ready, and
// compiled, when they are called for the first time.
type unit struct {
	mod     *ir.Module
	code    *bytecode.Module
	ready   readiness
	foreign bool // from a portable image
	shared  bool // a base: others continue the module and have to know its signatures by their numbers
}

// prepare makes the unit, of whose module nothing has run yet, one that can. Base is what the module continues, nil
// if it stands alone.
func (u *unit) prepare(base *unit, cfg *opt.Options) error {
	code, err := bytecode.NewModule(base.program(), u.mod)
	if err == nil {
		u.setCode(code, cfg, nil)
	}
	return err
}

// restore makes the unit one that was encoded: the image of its module, behind phase A, and register code of some of
// its functions, which may be empty. Bodies of functions stay where they are until they are needed.
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

// program is the unit's register code, nil of a nil unit.
func (u *unit) program() *bytecode.Module {
	if u == nil {
		return nil
	}
	return u.code
}

// setCode gives the unit its register code. Read reads the body of a function that has none; nil: all have theirs.
func (u *unit) setCode(code *bytecode.Module, cfg *opt.Options, read func(*ir.Func) error) {
	u.ready.init(u.mod, cfg, u.foreign)
	u.ready.read = read
	code.Opts.Bodies = u.ready.bodies()
	u.code = code
}

// readiness is about the bodies of functions, which the tiers share: each is read
// and optimised once, before it is compiled for the first time.
type readiness struct {
	busy    cancel.Lock
	opt     *opt.Options
	foreign bool                 // what comes out is verified: see backEnd
	read    func(*ir.Func) error // reads the body of a function that has none; may be nil
	first   int32                // functions before it are the base's
	done    []bool               // by function from first on: it is optimised

	broken map[*ir.Func]error // whose body phase B left in the midst of a change, and no other is there
}

func (r *readiness) init(mod *ir.Module, cfg *opt.Options, foreign bool) {
	r.busy, r.opt, r.foreign, r.first = cancel.NewLock(), cfg, foreign, int32(mod.FirstOwn())
	r.done = make([]bool, len(mod.Funcs)-mod.FirstOwn())
}

// bodies are what tiers ask for before they compile a function.
func (r *readiness) bodies() lazy.Bodies { return lazy.Bodies{Body: r.body, Prepare: r.prepare} }

// body reads the body of a function, if it is on disk still.
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

// prepare fixes what phase B may not change, and runs phase B. It ends with
// cancel.ErrStopped when done is closed.
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

// spoilt notes that phase B ended in the midst of a change. The body is read again
// if it came from somewhere; if not, nobody may call the function any more.
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
