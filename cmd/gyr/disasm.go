package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

var disasmCmd = &command{
	name:  "disasm",
	usage: "[flags] package|files.go|image.gyr",
	short: "print the code of a program's functions",
	long: `Disasm compiles a program and prints its functions: their IR, their register code,
their machine code, and how they came to be.

-asm shows each instruction beside the operation of the IR that it was made for, below
the line of the source. What stands out of line follows at the end with a label:
slow paths of charges and allocations, traps, and which registers they save. Names are
put in for functions, blocks, tables and the words of the machine's context (r15 holds
the start of guest memory, r14 the gas).

-why tells for every check that stayed what could not be shown, for every call why
it was not inlined, for every allocation how its object gets out of the function.

The flags go together; without one the IR is printed.`,
	run:     disasm,
	goflags: true,
}

func disasm(c *command, args []string) error {
	fs := c.flags()
	var build buildFlags
	build.register(fs, onDisasm)
	build.registerKind(fs)
	build.registerCache(fs)
	build.baseOnly = true
	irForm := fs.Bool("ir", false, "print the IR after all passes (the default)")
	lowered := fs.Bool("lowered", false, "print the IR before the passes that only make it faster")
	bc := fs.Bool("bytecode", false, "print the interpreter's register code")
	asm := fs.Bool("asm", false, "print the machine code for amd64, beside the operations and lines that it comes from")
	syntax := fs.String("syntax", listing.Syntaxes[0], "of -asm: "+strings.Join(listing.Syntaxes, ", "))
	bytes := fs.Bool("bytes", false, "with -asm: print the bytes of each instruction")
	passes := fs.Bool("passes", false, "print the IR after each pass that changed it; with -v after the others too")
	why := fs.Bool("why", false,
		"print which checks, calls and allocations stayed and why; with -v also what went,\nby which pass and by what argument")
	verbose := fs.Bool("v", false, "with -passes and -why: print more")
	fn := fs.String("fn", `^main\.`, "print functions whose names match the regular expression `RE`")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError{"disasm: no package or file named\nusage: gyr disasm " + c.usage}
	}
	re, err := regexp.Compile(*fn)
	if err != nil {
		return usageError{fmt.Sprintf("disasm: -fn: %v", err)}
	}
	if !slices.Contains(listing.Syntaxes, *syntax) {
		return usageError{fmt.Sprintf("disasm: no syntax %q; there are %s", *syntax, strings.Join(listing.Syntaxes, ", "))}
	}
	seen := &listing.Passes{Match: re, All: *verbose}
	decided := &listing.Why{Match: re, Removed: *verbose}
	if *passes {
		build.observer.Dump = seen.Dump
	}
	if *why {
		build.observer.Log, build.observer.Watch = decided.Log, decided.Watch
	}
	p, err := build.compile(context.Background(), fs.Args())
	if err != nil {
		return err
	}
	any := false
	w := &counter{w: stdout}
	for _, f := range []struct {
		on   bool
		form string
	}{{*lowered, "lowered"}, {*irForm, "ir"}, {*bc, "bytecode"}} {
		if f.on {
			any = true
			if err := p.Dump(w, f.form, re); err != nil {
				return err
			}
		}
	}
	view := p.View()
	each := func(print func(f *ir.Func) error) error {
		any = true
		for _, f := range view.Mod.Funcs() {
			if f == nil || !re.MatchString(f.Name) {
				continue
			}
			if err := view.Prepare(f); err != nil {
				return err
			}
			if err := print(f); err != nil {
				return err
			}
		}
		return nil
	}
	if *passes {
		if err := each(func(f *ir.Func) error { return seen.Print(w, f) }); err != nil {
			return err
		}
	}
	if *asm {
		env, src := listing.NewEnv(view), &listing.Sources{GOROOT: view.GOROOT}
		o := listing.AsmOptions{Syntax: *syntax, Bytes: *bytes}
		if err := each(func(f *ir.Func) error { return listing.Asm(w, view, f, env, src, o) }); err != nil {
			return err
		}
	}
	if *why {
		if err := each(func(f *ir.Func) error { return decided.Print(w, view, f) }); err != nil {
			return err
		}
	}
	if !any {
		if err := p.Dump(w, "ir", re); err != nil {
			return err
		}
	}
	if w.n == 0 {
		return usageError{fmt.Sprintf("disasm: no function of the program matches -fn %q", *fn)}
	}
	return nil
}

// A counter counts the bytes written.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}
