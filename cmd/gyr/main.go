// Command gyr runs Go programs sandboxed, deterministic and metered.
//
// Each command has a file of its own, which parses its flags, calls package gyr and prints. Command
// bench has a file for each verb (bench*.go), and so has research (research*.go).
//
// Flags that several commands share are in files by subject: run.go has the flags of compilation,
// sandbox.go those of the guest's limits and grants, goflags.go those of the go command,
// profile.go, cover.go and std.go those in their names. status.go lists the exit statuses.
// below_test.go lists what the command uses from packages below package gyr, and why.
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

	verbs   bool                // its first argument is a verb with its own help
	goflags bool                // it takes flags from GOFLAGS
	words   func() []string     // completions in place of an argument; nil: files
	inspect func(*flag.FlagSet) // if set, receives the command's flags, and the command does nothing else
}

var commands = []*command{runCmd, testCmd, benchCmd, vetCmd, buildCmd, disasmCmd, stubsCmd, researchCmd, stdCmd, cleanCmd, envCmd, doctorCmd, versionCmd,
	completionCmd}

func main() {
	heap.start()
	os.Exit(delivered(mainStatus(os.Args[1:])))
}

// mainStatus runs a command line and returns its exit status. It does not check whether the output
// arrived.
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
	case selftestCmd.name:
		return report(selftestCmd.run(selftestCmd, rest))
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
			// A command with verbs has help for each verb.
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

// parse parses flags, after those of the environment. A wrong flag is a usage error; -h prints the
// help. It first enters the directory of -C.
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

// changeDir enters the directory of the flag -C, if the command has that flag and it is the first.
// It returns the rest of the arguments.
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
