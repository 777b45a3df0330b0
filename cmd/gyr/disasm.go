package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
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
