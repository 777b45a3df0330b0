package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// sandboxFlags are the flags of every command that runs guests: their grants and limits.
type sandboxFlags struct {
	cmd        string // the command, for errors
	gas        int64
	mem, stack sizeFlag
	env, dirs  listFlag
	programs   listFlag
	tier       string
	seed       uint64
	realtime   bool
	realRandom bool
}

// register adds the flags. what names the thing that runs, gasOf the thing that -gas limits, and
// memory the memory limit without -mem.
func (s *sandboxFlags) register(fs *flag.FlagSet, cmd, what, gasOf, memory string) {
	s.cmd = cmd
	fs.Var((*countFlag)(&s.gas), "gas", "stop "+gasOf+" after `N` units of gas, such as 5000, 1_000_000 or 1e9; 0: no limit")
	fs.Var(&s.mem, "mem", "memory limit of "+what+", a `size` such as 64M; default "+memory)
	fs.Var(&s.stack, "stack", "limit of a goroutine's stack, a `size`")
	fs.Var(&s.env, "env", "set `NAME=value` in the environment of "+what+" (NAME alone: as it is here); may be repeated")
	fs.Var(&s.dirs, "dir", "grant a directory, `host[:guest][:ro|:copy]`: for reading and writing, for reading, or as a copy in memory; may be repeated")
	fs.Var(&s.programs, "exec", "let "+what+" start a program, `NAME=image.gyr`, as /bin/NAME; may be repeated")
	fs.StringVar(&s.tier, "tier", "",
		"what executes the code: native or interp; default: native on linux/amd64 and\nlinux/arm64, on darwin/arm64 if gyr run has tested it there, interp elsewhere and with a profile")
	fs.Uint64Var(&s.seed, "seed", 0, "seed of map order, select and random numbers")
	fs.BoolVar(&s.realtime, "realtime", false, "use the machine's clock; sleeping takes time")
	fs.BoolVar(&s.realRandom, "realrandom", false, "take random numbers from the machine")
}

// config checks the flags and returns their configuration. debug are the settings of -d.
func (s *sandboxFlags) config(debug *engine.Debug) (c engine.Config, err error) {
	c = engine.Config{Config: api.Config{
		Tier:       api.Tier(s.tier),
		Gas:        s.gas,
		Memory:     uint64(s.mem),
		Stack:      uint64(s.stack),
		Seed:       s.seed,
		Realtime:   s.realtime,
		RealRandom: s.realRandom,
	}, Debug: *debug}
	if s.gas < 0 {
		return c, usageError{s.cmd + ": -gas must not be negative"}
	}
	switch c.Tier {
	case api.TierAuto, api.TierInterp, api.TierNative:
	default:
		return c, usageError{fmt.Sprintf("%s: -tier=%s: want %s or %s", s.cmd, s.tier, api.TierNative, api.TierInterp)}
	}
	if debug.NoGas && (!s.realtime || s.gas != 0) {
		return c, usageError{s.cmd +
			": without gas there is no virtual clock and no limit: -d=nogas needs -realtime and no -gas"}
	}
	if err := s.checkPrograms(); err != nil {
		return c, err
	}
	if c.Env, err = s.environment(); err != nil {
		return c, err
	}
	for _, d := range s.dirs {
		dir, err := s.directory(d)
		if err != nil {
			return c, err
		}
		c.Dirs = append(c.Dirs, dir)
	}
	return c, nil
}

// checkPrograms checks the form of -exec.
func (s *sandboxFlags) checkPrograms() error {
	for _, text := range s.programs {
		name, file, ok := strings.Cut(text, "=")
		switch {
		case text == "": // as for go: none
		case !ok:
			return usageError{fmt.Sprintf("%s: -exec: %s: want NAME=image.gyr, a program that the guest may start; for one that starts the guest use go %s -exec", s.cmd, text, s.cmd)}
		case name == "" || file == "" || strings.Contains(name, "/"):
			return usageError{fmt.Sprintf("%s: -exec: %s: want NAME=image.gyr, NAME without a slash", s.cmd, text)}
		}
	}
	return nil
}

// startable compiles the images of -exec.
func (s *sandboxFlags) startable(ctx context.Context, b *buildFlags) (map[string]api.Executable, error) {
	var programs map[string]api.Executable
	for _, text := range s.programs {
		name, file, ok := strings.Cut(text, "=")
		if !ok {
			continue
		}
		_, isImage, err := imageFile(file)
		if err == nil && !isImage {
			if _, err = os.Stat(file); err == nil {
				err = fmt.Errorf("%s is no image: gyr build writes one", file)
			}
		}
		var p *engine.Program
		if err == nil {
			p, err = b.compile(ctx, []string{file})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: -exec %s: %w", s.cmd, name, err)
		}
		if programs == nil {
			programs = map[string]api.Executable{}
		}
		programs[name] = executable{p}
	}
	return programs, nil
}

// An executable is a program for Config.Programs.
type executable struct{ p *engine.Program }

func (e executable) GuestProgram() any { return e.p }

// environment makes variables of the values of -env.
func (s *sandboxFlags) environment() (env []string, err error) {
	for _, e := range s.env {
		name, _, has := strings.Cut(e, "=")
		if name == "" {
			return nil, usageError{fmt.Sprintf("%s: -env %q: want NAME=value or NAME", s.cmd, e)}
		}
		if !has {
			value, ok := os.LookupEnv(name)
			if !ok {
				continue // not set here, so not set for the guest
			}
			e += "=" + value
		}
		env = append(env, e)
	}
	return env, nil
}

// directory parses host[:guest][:ro|:copy].
func (s *sandboxFlags) directory(text string) (d api.Dir, err error) {
	rest, ro := strings.CutSuffix(text, ":ro")
	rest, cp := strings.CutSuffix(rest, ":copy")
	host, guest, has := strings.Cut(rest, ":")
	d = api.Dir{Host: host, Guest: guest, ReadOnly: ro, Copy: cp}
	if host == "" || has && !strings.HasPrefix(guest, "/") || ro && cp {
		return d, usageError{fmt.Sprintf("%s: -dir %s: want host[:guest][:ro|:copy], guest a path that begins with a slash",
			s.cmd, text)}
	}
	if st, err := os.Stat(host); err != nil {
		return d, usageError{fmt.Sprintf("%s: -dir %s: %v", s.cmd, rest, errors.Unwrap(err))}
	} else if !st.IsDir() {
		return d, usageError{fmt.Sprintf("%s: -dir %s: not a directory", s.cmd, host)}
	}
	return d, nil
}
