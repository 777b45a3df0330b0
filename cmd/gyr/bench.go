package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// Exit statuses of gyr bench, for scripts.
const (
	benchFailed = 1 // a benchmark failed, or could not be built; or an error
	benchUsage  = 2
	benchGate   = 3 // a gate found a regression
)

var benchCmd = &command{
	name:  "bench",
	usage: "[verb] [flags] [packages]",
	short: "measure benchmarks, and say what the figures mean",
	long: `Bench runs the benchmarks of packages in new processes, in turns, and prints what they take in
native Go and in gyr, with intervals, verdicts, and notes about figures that do not mean what they seem to.
A benchmark is a BenchmarkXxx of package testing, as it is, or any function with a line above it like

	//gyr:bench group=lists baseline n=8,64

The verbs are:

	run        measure (the default)
	list       print which benchmarks there are
	vet        look for benchmarks that cannot work, without measuring
	report     print a record again: as a table, a page, Markdown, ...
	compare    compare two records
	asm        print the machine code of a benchmark, with what was executed how often
	doctor     look at the machine, and measure its noise

Everything is written to a record, a file of JSON lines, as it is measured. A run that was interrupted goes on with
-resume, and reports are made of records alone. 'gyr bench verb -h' tells the flags of a verb.

The exit status is 0 if everything was measured, 1 if a benchmark failed or could not be built, 2 for
wrong usage, 3 if -gate found a regression, 130 after an interrupt or SIGTERM.`,
	words: benchWords,
}

func init() { benchCmd.run = benchRun } // set here: it has verbs, which are commands too

// benchVerbs are the verbs, the default first.
var benchVerbs = []*command{
	{name: "run", usage: "[flags] [packages]", short: "measure benchmarks", run: benchMeasure, goflags: true},
	{name: "list", usage: "[flags] [packages]", short: "print which benchmarks there are", run: benchList, goflags: true},
	{name: "report", usage: "[flags] [record]", short: "print a record, by default the last one", run: benchReport},
	{name: "compare", usage: "[flags] old new", short: "compare two records", run: benchCompare},
	{name: "asm", usage: "[flags] benchmark [packages]", short: "print the machine code of a benchmark, with how often it is executed",
		run: benchAsm, goflags: true},
	{name: "vet", usage: "[flags] [packages]", short: "look for benchmarks that cannot work, without measuring", run: benchVet, goflags: true},
	{name: "doctor", usage: "", short: "look at the machine and measure its noise", run: benchDoctor},
}

func benchWords() (names []string) {
	for _, v := range benchVerbs {
		names = append(names, v.name)
	}
	return names
}

func benchRun(c *command, args []string) error {
	if c.inspect != nil {
		return benchMeasure(c, args)
	}
	verb := *benchVerbs[0]
	if len(args) > 0 {
		if i := slices.IndexFunc(benchVerbs, func(v *command) bool { return v.name == args[0] }); i >= 0 {
			verb, args = *benchVerbs[i], args[1:]
			verb.long = strings.ToUpper(verb.short[:1]) + verb.short[1:] + "."
			verb.name = "bench " + verb.name
			return benchStatusOf(verb.run(&verb, args))
		}
	}
	verb.name, verb.usage, verb.long = c.name, c.usage, c.long
	return benchStatusOf(verb.run(&verb, args))
}

// benchStatusOf prints an error and returns it with bench's exit status.
func benchStatusOf(err error) error {
	var usage usageError
	var status statusError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp), errors.As(err, &status):
		return err
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "gyr: %s\n", usage.msg)
		return statusError(benchUsage)
	case errors.Is(err, context.Canceled):
		return statusError(statusSignal)
	}
	fmt.Fprintf(stderr, "gyr: %v\n", err)
	return statusError(benchFailed)
}

// benchContext returns a context that an interrupt or SIGTERM ends.
func benchContext() (context.Context, func()) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// readRecord reads a record by the name of its file, and reports a truncated end.
func readRecord(name string) (*record.Record, error) {
	rec, err := record.ReadFile(name)
	if err == nil && rec.Cut {
		fmt.Fprintf(stderr, "gyr: %s: the last line is not complete, and was left out\n", name)
	}
	return rec, err
}
