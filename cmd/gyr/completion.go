package main

import (
	"flag"
	"fmt"
	"strings"
)

var completionCmd = &command{
	name:  "completion",
	usage: "bash|zsh|fish",
	short: "print a script that completes commands and flags in a shell",
	long: `Completion prints a script for a shell, which completes the commands of gyr, their flags and
the values of those that have few. Where these end, the shell completes names of files.

	bash	source <(gyr completion bash)
	zsh	source <(gyr completion zsh)
	fish	gyr completion fish | source`,
	words: func() []string { return shells },
}

func init() { completionCmd.run = completion } // set here: it looks at all commands, and is one itself

// shells are the shells that have scripts.
var shells = []string{"bash", "zsh", "fish"}

// flagValues are the values of flags with few values.
var flagValues = map[string][]string{
	"tier": {"native", "interp"}, "mod": {"readonly", "vendor", "mod"}, "stats": {"text", "json", "brief"},
	"covermode": {"set", "count", "atomic"}, "gasreport": {"json"}, "syntax": {"go", "gnu", "intel"}, "shuffle": {"off", "on"},
}

func completion(c *command, args []string) error {
	fs := c.flags()
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return usageError{"completion: name one shell\nusage: gyr completion " + c.usage}
	}
	script := map[string]func([]completed) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[fs.Arg(0)]
	if script == nil {
		return usageError{fmt.Sprintf("completion: no script for %q%s; there are %s", fs.Arg(0),
			didYouMean(fs.Arg(0), "", shells), strings.Join(shells, ", "))}
	}
	fmt.Fprint(stdout, script(completedCommands()))
	return nil
}

// A completed is the completions for one command.
type completed struct {
	name, short string
	flags       []completedFlag
	words       []string // in place of arguments
}

// A completedFlag is one flag of a command.
type completedFlag struct {
	name, short string
	values      []string
	hasValue    bool // the value may be the next word
}

// completedCommands returns the completions for all commands and their flags.
func completedCommands() (list []completed) {
	for _, c := range commands {
		one := completed{name: c.name, short: c.short}
		if c.words != nil {
			one.words = c.words()
		}
		look := *c
		look.inspect = func(fs *flag.FlagSet) { one.flags = completedFlags(fs) }
		if c != researchCmd { // research's flags belong to its verbs
			_ = look.run(&look, nil)
		}
		list = append(list, one)
	}
	help := completed{name: "help", short: "print the help of a command"}
	for _, c := range list {
		help.words = append(help.words, c.name)
	}
	return append(list, help)
}

// completedFlags returns the flags of a command that are not refused.
func completedFlags(fs *flag.FlagSet) (list []completedFlag) {
	fs.VisitAll(func(f *flag.Flag) {
		if _, no := f.Value.(*refusal); no {
			return
		}
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		_, usage := flag.UnquoteUsage(f)
		short, _, _ := strings.Cut(usage, "\n")
		list = append(list, completedFlag{f.Name, short, flagValues[f.Name], !ok || !b.IsBoolFlag()})
	})
	return list
}
