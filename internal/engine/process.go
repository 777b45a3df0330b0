package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Programs that a guest starts (run/rt/process.go): its own and those of Config.Programs. Its own has the
// name by which it was started, and that of the file which os.Executable names. A child is an instance
// with its parent's settings, but without a network of the host, profiles and hooks.

// starter returns what knows the programs that instances with a configuration may start, nil if there
// are none.
func (p *Program) starter(cfg *Config) rt.Starter {
	if p.mod.Exports != nil && len(cfg.Programs) == 0 {
		return nil
	}
	return p
}

// find returns the program that a path names for a guest of p, nil if there is none.
func (p *Program) find(vm *rt.VM, path string) *Program {
	c := &vm.Config
	if named, ok := strings.CutPrefix(path, "/bin/"); ok && c.Programs[named] != nil {
		return c.Programs[named].GuestProgram().(*Program)
	}
	if p.mod.Exports == nil && (path == c.Name || path == "/bin/"+wasi.ProgramName(c.Name) || path == "/proc/self/exe") {
		return p
	}
	return nil
}

// Finds implements rt.Starter.
func (p *Program) Finds(vm *rt.VM, path string) bool { return p.find(vm, path) != nil }

// Start implements rt.Starter.
func (p *Program) Start(vm *rt.VM, c *rt.ChildSetup) (rt.Program, error) {
	return p.find(vm, c.Path).child(&vm.Config, c)
}

// checkPrograms checks Config.Programs.
func (c *Config) checkPrograms() error {
	for _, name := range slices.Sorted(maps.Keys(c.Programs)) {
		field := fmt.Sprintf("Programs[%.40q]", name)
		p, ok := (*Program)(nil), false
		if x := c.Programs[name]; x != nil {
			p, ok = x.GuestProgram().(*Program)
		}
		switch {
		case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || len(name) > 255:
			return configError(field, errors.New("the name of a program is that of a file"))
		case !ok || p == nil || p.mod == nil:
			return configError(field, errors.New("it is no program that Compile returned"))
		case p.mod.Exports != nil:
			return configError(field, errors.New("the program has no main function: it was compiled with Source.Exports"))
		}
	}
	return nil
}

// A childRun is a child. It implements rt.Program.
type childRun struct {
	in  *Instance
	ctx context.Context
}

func (p *Program) child(parent *rt.Config, c *rt.ChildSetup) (rt.Program, error) {
	cfg := Config{Config: parent.Config, Debug: Debug{Debug: parent.Debug}}
	cfg.Name, cfg.Args, cfg.Env = c.Args[0], c.Args[1:], c.Env
	cfg.Gas, cfg.Memory, cfg.Stack, cfg.Output = c.Gas, c.Memory, 0, 0
	cfg.Stdin, cfg.Stdout, cfg.Stderr, cfg.Dirs, cfg.Mounts = nil, nil, nil, nil, nil
	cfg.Dial, cfg.Listen, cfg.Hooks, cfg.Labels, cfg.Profiles = nil, nil, nil, nil, 0
	cfg.Setup = rt.Setup{Child: c, Setup: wasi.Setup{MaxFiles: parent.MaxFiles, World: c.World, Seen: parent.Seen}}
	cfg.Seed += uint64(c.Number())
	if cfg.Tier == api.TierNative && p.NativeError() != nil {
		cfg.Tier = api.TierInterp // what its parent asked for is about the parent's code
	}
	in := &Instance{prog: p, stop: c.Stop}
	e, _, err := p.engine(c.Context, cfg, c.Stop, nil, "a program started it")
	if errors.As(err, new(*api.MemoryLimitError)) {
		return nil, rt.ErrNoRoom
	}
	if err != nil {
		return nil, err
	}
	in.start(e)
	in.state.Store(stateFresh)
	return &childRun{in, c.Context}, nil
}

// Run implements rt.Program.
func (c *childRun) Run() (status uint32, err error) {
	err = c.in.Run(c.ctx)
	var exit *api.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return uint32(exit.Code&0xff) << 8, nil
	case errors.As(err, new(*api.PanicError)), errors.As(err, new(*api.StackLimitError)):
		return 2 << 8, nil
	case errors.As(err, new(*api.MemoryLimitError)), errors.As(err, new(*api.OutOfGasError)), errors.As(err, new(*api.DeadlineError)):
		return rt.Killed, nil // the parent comes to its limit, too, or has memory left
	}
	return 0, err
}

// Close implements rt.Program.
func (c *childRun) Close() { c.in.Close() }
