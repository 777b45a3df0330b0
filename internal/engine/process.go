package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Programs that a guest starts (run/rt/process.go): its own, under the name by which it was started and
// as the file that os.Executable names, and those of Config.Programs. A child is an instance like its parent, with the same settings,
// but without a network of the host, profiles and hooks.

// children lets an instance start programs.
func (p *Program) children(c *rt.Config, cfg *Config) {
	if p.mod.Exports != nil && len(cfg.Programs) == 0 {
		return
	}
	name, parent := c.Name, *cfg
	find := func(path string) *Program {
		if named, ok := strings.CutPrefix(path, "/bin/"); ok && cfg.Programs[named] != nil {
			return cfg.Programs[named].GuestProgram().(*Program)
		}
		if p.mod.Exports == nil && (path == name || path == "/bin/"+wasi.ProgramName(name) || path == "/proc/self/exe") {
			return p
		}
		return nil
	}
	c.Finds = func(path string) bool { return find(path) != nil }
	c.Start = func(vm *rt.VM, child *rt.ChildSetup) (rt.Program, error) {
		return find(child.Path).child(vm, parent, child)
	}
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

func (p *Program) child(vm *rt.VM, cfg Config, c *rt.ChildSetup) (rt.Program, error) {
	cfg.Name, cfg.Args, cfg.Env = c.Args[0], c.Args[1:], c.Env
	cfg.Gas, cfg.Memory, cfg.Stack, cfg.Output = c.Gas, c.Memory, 0, 0
	cfg.Stdin, cfg.Stdout, cfg.Stderr, cfg.Dirs, cfg.Mounts = nil, nil, nil, nil, nil
	cfg.Dial, cfg.Listen, cfg.Hooks, cfg.Labels, cfg.Profiles = nil, nil, nil, nil, 0
	cfg.Setup = rt.Setup{Child: c, Setup: wasi.Setup{MaxFiles: cfg.Setup.MaxFiles, World: c.World, Seen: cfg.Seen}}
	cfg.Seed += uint64(c.Number())
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
		return uint32(syscall.SIGKILL), nil // the parent comes to its limit, too, or has memory left
	}
	return 0, err
}

// Close implements rt.Program.
func (c *childRun) Close() { c.in.Close() }
