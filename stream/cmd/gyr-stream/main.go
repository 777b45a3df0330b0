// Command gyr-stream runs functions over NATS JetStream: see package
// github.com/gyrvm/gyr/stream, and docs/stream.md.
//
// Each verb has a file or a part of one: run.go has run and deploy, cluster.go the verbs that look at
// the cluster or change it, messages.go those that publish and print messages, research.go the queue of
// gyr research and its workers. flags.go has the flags that verbs share.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/stream"
)

// Exit statuses, as those of gyr.
const (
	statusOK      = 0
	statusCompile = 1   // the function does not compile, or is none
	statusUsage   = 64  // wrong usage
	statusFailed  = 125 // the cluster, a file
)

const statusHelp = `The exit status is 0, also after an interrupt, or
	1    the function does not compile, or cannot be the function of a pipeline
	64   wrong usage of the command, or a setting that cannot be
	125  anything else: there is no such stream, the cluster does not answer`

// A verb is a command of the command line.
type verb struct {
	name, usage, short, long string

	run func(ctx context.Context, v *verb, args []string) error
}

var verbs = []*verb{runVerb, deployVerb, initVerb, statusVerb, pubVerb, catVerb, deadVerb, deleteVerb,
	researchQueueVerb, researchWorkerVerb}

var stdout, stderr io.Writer = os.Stdout, os.Stderr

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(status(ctx, os.Args[1:]))
}

// status runs a command line and returns its exit status.
func status(ctx context.Context, args []string) int {
	if len(args) == 0 {
		usage(stderr)
		return statusUsage
	}
	name, rest := args[0], args[1:]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		if len(rest) == 0 {
			usage(stdout)
			return statusOK
		}
		name, rest = rest[0], []string{"-h"}
	}
	for _, v := range verbs {
		if v.name == name {
			return report(v.run(ctx, v, rest))
		}
	}
	fmt.Fprintf(stderr, "gyr-stream %s: unknown command\nRun 'gyr-stream help' for usage.\n", printable.Line(name))
	return statusUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "gyr-stream runs functions over NATS JetStream, each message exactly once.\n\nUsage:\n\n\tgyr-stream <command> [flags] [arguments]\n\nThe commands are:\n\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "\t%-15s %s\n", v.name, v.short)
	}
	fmt.Fprintf(w, "\nUse \"gyr-stream help <command>\" for more about a command.\n\n%s\n", statusHelp)
}

// A usageError says how the command was used wrongly.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// settingFlags are the flags for fields of a Config.
var settingFlags = map[string]string{"Name": "-name", "Subject": "-subject", "Outputs": "-out", "Gas": "-gas", "Batch": "-batch", "Lease": "-lease",
	"Keep": "-keep", "Snapshots": "-snapshots", "ID": "-id", "Partitions": "-partitions"}

// report prints an error and returns its exit status.
func report(err error) int {
	var (
		compile  *gyr.CompileError
		config   *stream.ConfigError
		function *stream.FunctionError
		wrong    usageError
	)
	status, text := statusFailed, ""
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp), errors.Is(err, context.Canceled):
		return statusOK
	case errors.As(err, &compile):
		fmt.Fprintln(stderr, compile.Error()) // the text of the go command
		return statusCompile
	case errors.As(err, &wrong):
		status, text = statusUsage, wrong.text+"\nRun 'gyr-stream help' for usage."
	case errors.As(err, &config) && settingFlags[config.Field] != "":
		status, text = statusUsage, settingFlags[config.Field]+": "+config.Err.Error()
	case errors.As(err, &config):
		status = statusUsage
	case errors.As(err, &function), errors.As(err, new(*gyr.CompileLimitError)), errors.As(err, new(*gyr.ImageError)):
		status = statusCompile
	case errors.Is(err, nats.ErrNoServers):
		text = err.Error() + ": start one with nats-server -js, or name one with -server"
	}
	if text == "" {
		text = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "stream: "), "gyr: ")
	}
	fmt.Fprintf(stderr, "gyr-stream: %s\n", printable.Text(text))
	return status
}
