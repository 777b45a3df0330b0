package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/inspect"
	"github.com/gyrvm/gyr/internal/listing"
)

var disasmCmd = &command{
	name:  "disasm",
	usage: "[flags] package|files.go|image.gyr",
	short: "print the code of a program's functions",
	long:  `Disasm compiles a program and prints its functions: their IR or their register code.`,
	run:   disasm,
}

func disasm(c *command, args []string) error {
	fs := c.flags()
	var build buildFlags
	build.register(fs)
	irForm := fs.Bool("ir", false, "print the IR after all passes (the default)")
	lowered := fs.Bool("lowered", false, "print the IR before the passes that only make it faster")
	bc := fs.Bool("bytecode", false, "print the interpreter's register code")
	asm := fs.Bool("asm", false, "print the machine code for amd64, beside the operations and lines that it comes from")
	syntax := fs.String("syntax", listing.Syntaxes[0], "of -asm: "+strings.Join(listing.Syntaxes, ", "))
	bytes := fs.Bool("bytes", false, "with -asm: print the bytes of each instruction")
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
	p, err := build.compile(context.Background(), fs.Args())
	if err != nil {
		return err
	}
	any := false
	w := &counter{w: os.Stdout}
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
	if *asm {
		any = true
		view := inspect.Of(p)
		env, src := listing.NewEnv(view), &listing.Sources{}
		for _, f := range view.Mod.Funcs {
			if f != nil && re.MatchString(f.Name) {
				if err := listing.Asm(w, view, f, env, src, listing.AsmOptions{Syntax: *syntax, Bytes: *bytes}); err != nil {
					return err
				}
			}
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

// A counter counts what is written.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}
