// Command gyr runs Go programs sandboxed, deterministic and metered.
//
// Each command stands in a file of its own: it parses its flags, calls package
// gyr and prints. Exit statuses are listed in status.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// A command is one verb of the command line.
type command struct {
	name  string
	usage string // arguments
	short string
	long  string
	run   func(c *command, args []string) error
}

var commands = []*command{runCmd, testCmd, vetCmd, buildCmd, disasmCmd, researchCmd, stdCmd, cleanCmd, envCmd, versionCmd}

func main() {
	heap.start()
	os.Exit(delivered(mainStatus(os.Args[1:])))
}

// mainStatus runs a command line and returns its exit status, whether or not what it printed arrived.
func mainStatus(args []string) int {
	if len(args) == 0 {
		usage(stderr)
		return statusUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(rest)
	}
	for _, c := range commands {
		if c.name != name {
			continue
		}
		err := c.run(c, rest)
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return report(err)
	}
	fmt.Fprintf(stderr, "gyr %s: unknown command\nRun 'gyr help' for usage.\n", name)
	return statusUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w,
		"gyr runs Go programs sandboxed, deterministic and metered.\n\nUsage:\n\n\tgyr <command> [flags] [arguments]\n\nThe commands are:\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t%-10s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nUse \"gyr help <command>\" for more about a command.\n")
}

func help(args []string) int {
	if len(args) == 0 {
		usage(stdout)
		return 0
	}
	for _, c := range commands {
		if c.name == args[0] {
			c.run(c, []string{"-h"})
			return 0
		}
	}
	fmt.Fprintf(stderr, "gyr help %s: unknown command\n", strings.Join(args, " "))
	return statusUsage
}

// flags returns a flag set that prints the command's help.
func (c *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("gyr "+c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses flags; a wrong one is a usage error, -h prints the help.
func (c *command) parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stdout, "usage: gyr %s %s\n\n%s\n", c.name, c.usage, c.long)
		first := true
		fs.VisitAll(func(f *flag.Flag) {
			if first {
				fmt.Fprint(stdout, "\nThe flags are:\n\n")
				first = false
			}
			arg, text := flag.UnquoteUsage(f)
			fmt.Fprintf(stdout, "\t-%s %s\n\t\t%s\n", f.Name, arg, strings.ReplaceAll(text, "\n", "\n\t\t"))
		})
		return err
	}
	if err != nil {
		return usageError{fmt.Sprintf("%v\nusage: gyr %s %s\nRun 'gyr help %s' for its flags.", err, c.name, c.usage, c.name)}
	}
	return nil
}
