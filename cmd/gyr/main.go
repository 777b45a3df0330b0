// Command gyr runs Go programs sandboxed, deterministic and metered.
//
// Each command stands in a file of its own: it parses its flags, calls package gyr and prints. below_test.go lists what it
// takes from packages below that one, and why. Exit statuses are listed in status.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gyrvm/gyr/internal/printable"
)

// A command is one verb of the command line.
type command struct {
	name  string
	usage string // arguments
	short string
	long  string
	run   func(c *command, args []string) error

	verbs   bool                // its first argument is a verb with help of its own
	goflags bool                // it takes flags from GOFLAGS
	words   func() []string     // what may stand in the place of an argument, for completion; nil: files
	inspect func(*flag.FlagSet) // if set, takes the flags of the command, which then does nothing
}

var commands = []*command{runCmd, testCmd, benchCmd, vetCmd, buildCmd, disasmCmd, stubsCmd, researchCmd, stdCmd, cleanCmd, envCmd, versionCmd,
	completionCmd}

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
	case "-version", "--version":
		name = versionCmd.name
	case benchWorkerCmd.name:
		return report(benchWorkerCmd.run(benchWorkerCmd, rest))
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
	fmt.Fprintf(stderr, "gyr %s: unknown command%s\nRun 'gyr help' for usage.\n", printable.Line(name), meantCommand(name))
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
			// A command with verbs of its own has help for each of them.
			words := []string{"-h"}
			if c.verbs && len(args) > 1 {
				words = []string{args[1], "-h"}
			}
			if err := c.run(c, words); err != nil && !errors.Is(err, flag.ErrHelp) {
				return report(err)
			}
			return 0
		}
	}
	fmt.Fprintf(stderr, "gyr help %s: unknown command%s\n", printable.Line(strings.Join(args, " ")), meantCommand(args[0]))
	return statusUsage
}

// flags returns a flag set that prints the command's help.
func (c *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("gyr "+c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses flags, after those of the environment; a wrong one is a usage error, -h prints the help. The directory of
// -C is entered first.
func (c *command) parse(fs *flag.FlagSet, args []string) error {
	if c.inspect != nil {
		c.inspect(fs)
		return flag.ErrHelp
	}
	wrong := func(text string) error { return usageError{c.name + ": " + text} }
	if !fs.Parsed() {
		rest, err := changeDir(fs, args)
		if err != nil {
			return wrong(err.Error())
		}
		args = rest
		if c.goflags {
			if err := setFromGOFLAGS(fs); err != nil {
				return wrong(err.Error())
			}
		}
	}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		c.printHelp(stdout, fs)
		return err
	}
	if why := refused(fs); why != "" {
		return wrong(why)
	}
	if err != nil {
		return usageError{fmt.Sprintf("%v%s\nusage: gyr %s %s\nRun 'gyr help %s' for its flags.", err, meantFlag(fs, err), c.name,
			c.usage, c.name)}
	}
	return nil
}

// changeDir enters the directory of the flag -C, if a command has that flag and it stands first. It returns what stands
// behind it.
func changeDir(fs *flag.FlagSet, args []string) (rest []string, err error) {
	if fs.Lookup("C") == nil || len(args) == 0 {
		return args, nil
	}
	name, dir, has := strings.Cut(args[0], "=")
	if name != "-C" && name != "--C" {
		return args, nil
	}
	rest = args[1:]
	if !has {
		if len(rest) == 0 {
			return nil, errors.New("flag needs an argument: -C")
		}
		dir, rest = rest[0], rest[1:]
	}
	if err := os.Chdir(dir); err != nil {
		return nil, fmt.Errorf("-C: %v", err)
	}
	return rest, nil
}
