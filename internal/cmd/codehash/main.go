// Codehash prints a hash of the machine code of every function of Go programs. It compares two
// versions of the native tier: a change that is said to change no code leaves the output as it is.
//
//	codehash file.go...
//
// Programs share bases, whose functions come before those of the first program on them. The hash includes everything that
// belongs to code: sites, maps of roots, relocations, lines and, in the second column, notes.
// Functions are compiled for type-safe guests and, in the third column, for others.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "codehash:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	base, err := engine.OpenBase(context.Background(), engine.BaseConfig{})
	if err != nil {
		return err
	}
	made := map[*ir.Module][2]*native.Module{} // of bases: type-safe and checked
	for _, name := range files {
		p, err := engine.Compile(context.Background(), engine.Source{Patterns: []string{name}, Base: base})
		if err != nil {
			fmt.Fprintln(os.Stderr, "codehash:", name, "is left out:", err)
			continue
		}
		view := p.View()
		if view.Mod.Base == nil {
			return fmt.Errorf("%s does not continue the base", name)
		}
		progs, err := bases(made, view.Mod.Base, view.Prepare)
		if err != nil {
			return err
		}
		var own [2]*native.Module
		if err := programs(&own, progs, view.Mod, view.Prepare); err != nil {
			return err
		}
		if err := hashes(name, own, view.Mod.FirstOwn()); err != nil {
			return err
		}
	}
	return nil
}

// bases makes the programs of a base, and of those that it continues, unless they are made, and prints
// their hashes.
func bases(made map[*ir.Module][2]*native.Module, mod *ir.Module, prepare func(*ir.Func) error) (list [2]*native.Module, err error) {
	if list, ok := made[mod]; ok {
		return list, nil
	}
	var on [2]*native.Module
	if mod.Base != nil {
		if on, err = bases(made, mod.Base, prepare); err != nil {
			return list, err
		}
	}
	if err := programs(&list, on, mod, prepare); err != nil {
		return list, err
	}
	made[mod] = list
	return list, hashes("base", list, max(1, mod.FirstOwn()))
}

func programs(list *[2]*native.Module, on [2]*native.Module, mod *ir.Module, prepare func(*ir.Func) error) (err error) {
	for i := range list {
		opts := native.Options{Bodies: lazy.Bodies{Body: prepare}, Checked: i == 1}
		list[i], err = native.NewModule(on[i], mod, opts)
		if err != nil {
			return err
		}
		if err := list[i].Observe(func(c native.Published) error { // compiles with notes, too
			if c.Fn == nil && on[i] == nil {
				fmt.Printf("stubs %x\n", sum(func(w io.Writer) { code(w, c.Func) }))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func hashes(name string, list [2]*native.Module, first int) error {
	for i := first; i < list[0].Mod.NumFuncs(); i++ {
		f := list[0].Mod.Func(i)
		if f == nil {
			continue
		}
		var sums [3]string
		for k, p := range list {
			c, err := p.Compile(int32(i))
			if err != nil {
				sums[k*2] = err.Error()
				continue
			}
			sums[k*2] = fmt.Sprintf("%x", sum(func(w io.Writer) { code(w, c) }))
			if k == 0 {
				sums[1] = fmt.Sprintf("%x", sum(func(w io.Writer) { notes(w, c) }))
			}
		}
		fmt.Println(name, f.Name, sums[0], sums[1], sums[2])
	}
	return nil
}

func sum(write func(w io.Writer)) []byte {
	h := sha256.New()
	write(h)
	return h.Sum(nil)[:12]
}

func code(w io.Writer, c *abi.Func) {
	w.Write(c.Code)
	fmt.Fprint(w, c.Frame, c.Guest, c.Adjust, c.Locals, c.Recover, c.Sites, c.Maps, c.Relocs, c.LocalTable, c.Lines)
}

func notes(w io.Writer, c *abi.Func) {
	for _, n := range c.Notes {
		fmt.Fprint(w, n.PC, n.Kind, n.Text)
		if n.V != nil {
			fmt.Fprint(w, n.V.ID)
		}
		if n.Block != nil {
			fmt.Fprint(w, n.Block.ID)
		}
	}
}
