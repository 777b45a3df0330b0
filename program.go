package gyr

import (
	"context"
	"io"
	"regexp"

	"github.com/gyrvm/gyr/internal/engine"
)

// A Program is a compiled program. It is immutable and safe for concurrent use.
type Program struct{ e *engine.Program }

// GuestProgram makes a program one that Config.Programs may have.
func (p *Program) GuestProgram() any { return p.engine() }

// engine returns the engine's program, nil if Compile did not return it.
func (p *Program) engine() *engine.Program {
	if p == nil {
		return nil
	}
	return p.e
}

// NewInstance prepares a run of the program. An invalid Config is a [*ConfigError].
//
// The context bounds only NewInstance, not the run: if it ends first the error is a
// [*DeadlineError]. The first instance of a program may take long, because it prepares the common
// starting point of all instances. Later ones take microseconds.
func (p *Program) NewInstance(ctx context.Context, cfg Config) (*Instance, error) {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return nil, err
	}
	in, err := p.engine().NewInstance(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Instance{e: in}, nil
}

// NativeError reports why the program cannot run as machine code here, or nil if it can. Instances
// without a Tier then run in the interpreter.
func (p *Program) NativeError() error { return p.e.NativeError() }

// Nondeterministic lists the imported host functions that no [HostFunc] declares deterministic, as
// import path and name, sorted by path. The program's behaviour may depend on their answers. If the
// list is empty, it follows from the program and its Config alone.
func (p *Program) Nondeterministic() []string { return p.e.Nondeterministic() }

// Stats returns the figures of the compilation.
func (p *Program) Stats() CompileStats { return p.e.Stats() }

// Dump prints the functions of the program whose names match re: their intermediate representation
// as compiled (form "ir"), or their register code ("bytecode"). It may be called at any time, and
// compiles functions that are not compiled yet. It is for work on gyr itself and may change with
// every version.
func (p *Program) Dump(w io.Writer, form string, re *regexp.Regexp) error {
	return p.engine().Dump(w, form, re)
}
