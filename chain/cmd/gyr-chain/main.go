// Gyr-chain runs a chain of contracts in plain Go: the nodes, and a client.
//
//	gyr-chain init -dir net -validators 4
//	gyr-chain start -home net/node0 &
//	gyr-chain deploy -key net/keys/key0.json -init Init token ./examples/token
//	gyr-chain call -key net/keys/key0.json token Mint '"6f2a…"' 1000
//	gyr-chain query token Supply
//
// gyr-chain help COMMAND tells the flags of a command. docs/chain.md is the guide.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// Statuses of exit. They do not change.
const (
	exitFailed = 1  // something went wrong, as the text says
	exitResult = 2  // the transaction or the query has a code that is not ok
	exitHalted = 3  // the node has halted: its application, or consensus
	exitRules  = 4  // the node cannot follow this chain: another version, another release of Go
	exitUsage  = 64 // the command line is wrong
)

// A command is a part of gyr-chain.
type command struct {
	name, args, what string
	run              func(f *flag.FlagSet, args []string) error
}

var commands []command

func init() {
	commands = []command{
		{"init", "", "makes the files of a network: keys, genesis, configurations", runInit},
		{"start", "", "runs a node", runStart},
		{"deploy", "NAME DIR [ARG…]", "makes a contract of the Go package in a directory, or of an image; upgrades one with -upgrade", runDeploy},
		{"build", "DIR", "builds the image of a contract", runBuild},
		{"call", "CONTRACT FUNCTION [ARG…]", "calls a contract in a transaction", runCall},
		{"send", "ACCOUNT COINS", "sends coins", runSend},
		{"query", "CONTRACT FUNCTION [ARG…]", "calls a contract without effect, also at an earlier height; shows accounts and contracts", runQuery},
		{"status", "", "shows the height and app hash of a node", runStatus},
		{"bench", "", "measures transactions in this process, in both tiers and as native Go", runBench},
	}
}

// A usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// A statusError ends the command with a status of its own.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func usage(w io.Writer) {
	fmt.Fprintln(w, "gyr-chain runs a chain of contracts in plain Go.\n\nusage:")
	for _, c := range commands {
		fmt.Fprintf(w, "\tgyr-chain %s\n\t\t%s\n", strings.TrimSpace(c.name+" [flags] "+c.args), c.what)
	}
	fmt.Fprintf(w, "\ngyr-chain help COMMAND tells its flags. Arguments of contracts are JSON: 5, '\"text\"', '[1,2]'; @FILE is the account of a key.\n"+
		"Status %d: failed; %d: a transaction or query has a code; %d: the node has halted; %d: the node cannot follow the chain; %d: usage.\n",
		exitFailed, exitResult, exitHalted, exitRules, exitUsage)
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	name, args := args[0], args[1:]
	help := name == "help" || name == "-h" || name == "-help" || name == "--help"
	if help {
		if len(args) == 0 {
			usage(stdout)
			return 0
		}
		name, args = args[0], []string{"-h"}
	}
	for _, c := range commands {
		if c.name != name {
			continue
		}
		f := flag.NewFlagSet(name, flag.ContinueOnError)
		f.SetOutput(stderr)
		if help {
			f.SetOutput(stdout)
		}
		f.Usage = func() {
			fmt.Fprintf(f.Output(), "usage: gyr-chain %s\n\n%s.\n\n", strings.TrimSpace(c.name+" [flags] "+c.args), strings.ToUpper(c.what[:1])+c.what[1:])
			f.PrintDefaults()
		}
		err := c.run(f, args)
		var wrong *usageError
		var status *statusError
		switch {
		case err == nil || errors.Is(err, flag.ErrHelp):
			return 0
		case errors.As(err, &wrong):
			if wrong.text != "" {
				fmt.Fprintf(stderr, "gyr-chain %s: %s; see gyr-chain help %s\n", name, wrong.text, name)
			}
			return exitUsage
		case errors.As(err, &status):
			fmt.Fprintf(stderr, "gyr-chain %s: %v\n", name, err)
			return status.status
		}
		fmt.Fprintf(stderr, "gyr-chain %s: %v\n", name, err)
		return exitFailed
	}
	fmt.Fprintf(stderr, "gyr-chain: no command %q; gyr-chain help lists them\n", name)
	return exitUsage
}

// parse parses flags, and checks the number of arguments. most < 0: any.
func parse(f *flag.FlagSet, args []string, least, most int) error {
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return &usageError{} // package flag has said it
	}
	if n := f.NArg(); n < least || most >= 0 && n > most {
		return &usageError{fmt.Sprintf("%d arguments", n)}
	}
	return nil
}
