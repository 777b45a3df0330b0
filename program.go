package gyr

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/load"
	"github.com/gyrvm/gyr/internal/lower"
	"github.com/gyrvm/gyr/internal/opt"
)

// A Source says what to compile.
type Source struct {
	// Dir is where relative patterns start; empty: the current directory.
	Dir string
	// Patterns names one main package as the go command does: .go files, a
	// directory, an import path. Empty: the package in Dir.
	Patterns []string
	// Tags are additional build tags.
	Tags []string
	// Unsafe lets user code import unsafe.
	Unsafe bool
	// GOROOT is the Go installation whose standard library is used; empty: found
	// as the go command finds it.
	GOROOT string
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// NoPass switches passes of the optimiser off, by name, or "all", "phasea",
	// "phaseb": a debugging aid.
	NoPass []string
	// Verify checks the program after every pass: a debugging aid.
	Verify bool
	// Progress, if set, is called as compilation enters each of its stages.
	Progress func(stage string)
}

// A Program is a compiled program. It is immutable and safe for concurrent use.
type Program struct {
	mod   *ir.Module
	code  *bytecode.Program
	opt   *opt.Config
	stats CompileStats
}

// CompileStats tells what a compilation did and how long it took.
type CompileStats struct {
	Packages  int
	Functions int // lowered
	Load      time.Duration
	Lower     time.Duration
	Optimise  time.Duration
}

// A CompileError holds the messages of a program that does not compile, as the
// go command prints them.
type CompileError struct{ Err error }

func (e *CompileError) Error() string { return e.Err.Error() }
func (e *CompileError) Unwrap() error { return e.Err }

// Compile loads a program and everything that it imports and compiles it. An
// error of type *CompileError is one of the program's.
func Compile(ctx context.Context, src Source) (*Program, error) {
	stage := func(s string) {
		if src.Progress != nil {
			src.Progress(s)
		}
	}
	p := &Program{opt: &opt.Config{NoPass: map[string]bool{}, Verify: src.Verify}}
	for _, name := range src.NoPass {
		p.opt.NoPass[name] = true
	}
	if err := p.opt.Check(); err != nil {
		return nil, err
	}
	stage("loading")
	t := time.Now()
	lp, err := load.Load(ctx, load.Config{
		Dir: src.Dir, Patterns: src.Patterns, Tags: src.Tags, Unsafe: src.Unsafe, GOROOT: src.GOROOT, Test: src.Test,
		Stats: func(s load.Stats) { p.stats.Packages = s.Packages },
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &CompileError{err}
	}
	p.stats.Load = time.Since(t)
	stage("lowering")
	t = time.Now()
	p.mod, err = lower.Program(lp)
	if err != nil {
		return nil, &CompileError{err}
	}
	p.stats.Functions = len(p.mod.Funcs) - 1
	p.stats.Lower = time.Since(t)
	if src.Verify {
		if err := ir.VerifyModule(p.mod); err != nil {
			return nil, fmt.Errorf("verify: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stage("optimising")
	t = time.Now()
	if err := opt.PhaseA(p.mod, p.opt); err != nil {
		return nil, err
	}
	p.stats.Optimise = time.Since(t)
	p.code, err = bytecode.NewProgram(p.mod)
	if err != nil {
		return nil, err
	}
	p.code.Opts.Prepare = p.prepare
	return p, nil
}

// prepare is called once for a function, before its first execution.
func (p *Program) prepare(f *ir.Func) error { return opt.PhaseB(f, p.opt) }

// Passes lists the passes of the optimiser that NoPass may name, in the order
// in which they run, and the names of the groups.
func Passes() (names, groups []string) {
	return append(opt.Passes("phasea"), opt.Passes("phaseb")...), []string{"phasea", "phaseb", "all"}
}

// Stats tells about the compilation.
func (p *Program) Stats() CompileStats { return p.stats }

var dumpMu sync.Mutex // functions are prepared once; dumps do it eagerly

// Dump prints the functions whose names match re: their IR as compiled
// (form "ir"), or their register code ("bytecode").
func (p *Program) Dump(w io.Writer, form string, re *regexp.Regexp) error {
	dumpMu.Lock()
	defer dumpMu.Unlock()
	for _, f := range p.mod.Funcs {
		if f == nil || re != nil && !re.MatchString(f.Name) {
			continue
		}
		var err error
		switch form {
		case "ir":
			if _, err = p.code.Compile(f.Index); err == nil {
				_, err = io.WriteString(w, f.String()+"\n")
			}
		case "lowered":
			_, err = io.WriteString(w, f.String()+"\n")
		case "bytecode":
			var fc *bytecode.FuncCode
			if fc, err = p.code.Compile(f.Index); err == nil {
				if err = fc.Print(w); err == nil {
					_, err = io.WriteString(w, "\n")
				}
			}
		default:
			err = fmt.Errorf("gyr: no form %q of code", form)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
