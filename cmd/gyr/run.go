package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/gyrvm/gyr"
)

var runCmd = &command{
	name:  "run",
	usage: "[flags] package|files.go [arguments]",
	short: "compile and run a program",
	long: `Run compiles the main package named by an import path, a directory or a list
of .go files, and runs it in a sandbox: it sees no environment, no files, and a
virtual clock unless flags grant more. Flags stand before the package, the
program's arguments after it.

` + statusHelp,
	run: run,
}

// buildFlags are the flags of every command that compiles.
type buildFlags struct {
	tags   string
	unsafe bool
	debug  debugFlag
}

func (b *buildFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&b.tags, "tags", "", "comma-separated build `tags`")
	fs.BoolVar(&b.unsafe, "unsafe", false, "let the program import unsafe")
	b.debug = debugFlag{}
	fs.Var(b.debug, "d", "debug settings `name[=value],...`: gcstress[=N], poison, opstats, verify, nopass=NAME[:NAME...]")
}

// source turns flags and patterns into what package gyr compiles.
func (b *buildFlags) source(patterns []string) gyr.Source {
	s := gyr.Source{Patterns: patterns, Unsafe: b.unsafe}
	if b.tags != "" {
		s.Tags = strings.Split(b.tags, ",")
	}
	if v, ok := b.debug["nopass"]; ok {
		s.NoPass = strings.Split(v, ":")
	}
	_, s.Verify = b.debug["verify"]
	return s
}

// compile compiles with a progress line on a terminal.
func (b *buildFlags) compile(ctx context.Context, patterns []string) (*gyr.Program, error) {
	s := b.source(patterns)
	if isTerminal(os.Stderr) {
		line := newProgressLine(os.Stderr, progressDelay)
		defer line.stop()
		s.Progress = line.stage
	}
	return gyr.Compile(ctx, s)
}

func run(c *command, args []string) error {
	fs := c.flags()
	var (
		build   buildFlags
		mem     sizeFlag
		stack   sizeFlag
		env     listFlag
		dirs    listFlag
		stats   statsFlag
		gas     = fs.Int64("gas", 0, "stop the program after `N` units of gas; 0: no limit")
		timeout = fs.Duration("timeout", 0, "stop the program after a wall-clock `duration`, compilation not counted")
		seed    = fs.Uint64("seed", 0, "seed of map order, select and random numbers")
		rtime   = fs.Bool("realtime", false, "use the machine's clock; sleeping takes time")
		rrand   = fs.Bool("realrandom", false, "take random numbers from the machine")
	)
	build.register(fs)
	fs.Var(&mem, "mem", "memory limit, a `size` such as 64M; default 256M")
	fs.Var(&stack, "stack", "limit of a goroutine's stack, a `size`")
	fs.Var(&env, "env", "set `NAME=value` in the program's environment (NAME alone: as it is here); may be repeated")
	fs.Var(&dirs, "dir", "grant a directory, `host[:guest][:ro]`; may be repeated")
	fs.Var(&stats, "stats", "print figures of the run on standard error; -stats=json as one object")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError{"run: no package or file named\nusage: gyr run " + c.usage}
	}
	if *gas < 0 || *timeout < 0 {
		return usageError{"run: -gas and -timeout must not be negative"}
	}
	patterns, rest := splitPatterns(fs.Args())
	cfg := gyr.Config{
		Args: rest, Name: patterns[0], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Seed: *seed, Realtime: *rtime, RealRandom: *rrand, Gas: *gas, Memory: uint64(mem), Stack: uint64(stack),
		Debug: build.debug,
	}
	for _, e := range env {
		name, _, has := strings.Cut(e, "=")
		if name == "" {
			return usageError{fmt.Sprintf("run: -env %q: want NAME=value or NAME", e)}
		}
		if !has {
			value, ok := os.LookupEnv(name)
			if !ok {
				continue // not set here, so not set there
			}
			e += "=" + value
		}
		cfg.Env = append(cfg.Env, e)
	}
	if stats != "" {
		build.debug["count"] = ""
	}
	for _, d := range dirs {
		dir, err := parseDir(d)
		if err != nil {
			return err
		}
		cfg.Dirs = append(cfg.Dirs, dir)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p, err := build.compile(ctx, patterns)
	if err != nil {
		return err
	}
	if *timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *timeout)
		defer cancel()
	}
	in, err := p.NewInstance(cfg)
	if err != nil {
		return err
	}
	defer in.Close()
	err = in.Run(ctx)
	if err != nil {
		for _, h := range in.Hints() {
			fmt.Fprintf(os.Stderr, "gyr: %s\n", h)
		}
	}
	if _, ok := build.debug["opstats"]; ok {
		in.WriteOpStats(os.Stderr)
	}
	if stats != "" {
		printStats(os.Stderr, string(stats), in, p)
	}
	return err
}

// splitPatterns separates the package or files from the program's arguments, as
// go run does: leading .go files, or one package.
func splitPatterns(args []string) (patterns, rest []string) {
	n := 0
	for n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	n = max(n, 1)
	return args[:n], args[n:]
}

// parseDir parses host[:guest][:ro].
func parseDir(s string) (gyr.Dir, error) {
	var d gyr.Dir
	if t, ok := strings.CutSuffix(s, ":ro"); ok {
		s, d.ReadOnly = t, true
	}
	host, guest, has := strings.Cut(s, ":")
	if host == "" || has && !strings.HasPrefix(guest, "/") {
		return d, usageError{fmt.Sprintf("run: -dir %s: want host[:guest][:ro], guest a path that begins with a slash", s)}
	}
	if st, err := os.Stat(host); err != nil {
		return d, usageError{fmt.Sprintf("run: -dir %s: %v", s, errors.Unwrap(err))}
	} else if !st.IsDir() {
		return d, usageError{fmt.Sprintf("run: -dir %s: not a directory", host)}
	}
	d.Host, d.Guest = host, guest
	return d, nil
}
