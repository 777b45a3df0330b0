package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

type flagGroup struct {
	title string
	names []string
}

// flagGroups are the headings of a command's help, each with its flags. Flags without a group come
// last.
var flagGroups = []flagGroup{
	{"What is compiled", strings.Fields("C exports test tags mod modfile modcacherw overlay ldflags trimpath unsafe std trust-std standalone")},
	{"How it is compiled", strings.Fields("a cache d p")},
	{"What is written and printed", strings.Fields("o c json n v x stats outputdir")},
	{"Which tests are run, and how", strings.Fields(
		"run skip short list count parallel shuffle failfast timeout jobs vet filetest update fullpath")},
	{"Several machines", strings.Fields("shard shard-times junit merge")},
	{"Benchmarks and fuzzing", strings.Fields("bench benchtime benchmem fuzz fuzztime fuzzminimizetime")},
	{"What the program is given", strings.Fields("env dir exec grant realtime realrandom seed")},
	{"What bounds it", strings.Fields("gas mem stack")},
	{"How it is executed", strings.Fields("tier")},
	{"Coverage and profiles", strings.Fields(
		"cover covermode coverprofile coverpkg gasprofile memprofile cpuprofile gasreport against")},
}

// benchFlagGroups are the first headings in the help of gyr bench.
var benchFlagGroups = slices.Concat([]flagGroup{
	{"What is measured", strings.Fields("bench engine against group live profile notcounted")},
	{"How much", strings.Fields("quick thorough count benchtime precision delta seed")},
	{"What is written and printed", strings.Fields("v format html md pprof speedscope diff color o json resume gate")},
}, flagGroups)

// groupedFlags is the number of flags from which a command's help is in groups.
const groupedFlags = 20

// printHelp prints the help of a command.
func (c *command) printHelp(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: gyr %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.usage), c.long)
	var works, not []*flag.Flag
	fs.VisitAll(func(f *flag.Flag) {
		if _, no := f.Value.(*refusal); no {
			not = append(not, f)
		} else {
			works = append(works, f)
		}
	})
	title := "The flags are"
	if len(works) >= groupedFlags {
		title = "Other flags"
		groups := flagGroups
		if strings.HasPrefix(c.name, "bench") {
			groups = benchFlagGroups
		}
		for _, g := range groups {
			works = printGroup(w, g.title, g.names, works)
		}
	}
	printFlags(w, title, works)
	printFlags(w, "Flags of the go command that are refused, and why", not)
}

// printGroup prints the flags of a group, and returns the others.
func printGroup(w io.Writer, title string, names []string, list []*flag.Flag) (others []*flag.Flag) {
	var group []*flag.Flag
	for _, f := range list {
		if slices.Contains(names, f.Name) {
			group = append(group, f)
		} else {
			others = append(others, f)
		}
	}
	slices.SortFunc(group, func(a, b *flag.Flag) int { return slices.Index(names, a.Name) - slices.Index(names, b.Name) })
	printFlags(w, title, group)
	return others
}

// printFlags prints flags under a heading, if there are any.
func printFlags(w io.Writer, title string, list []*flag.Flag) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n\n", title)
	for _, f := range list {
		arg, text := flag.UnquoteUsage(f)
		if r, no := f.Value.(*refusal); no {
			arg, text = "", r.help()
		}
		line := strings.TrimRight(fmt.Sprintf("\t-%s %s", f.Name, arg), " ")
		fmt.Fprintf(w, "%s\n\t\t%s\n", line, strings.ReplaceAll(text, "\n", "\n\t\t"))
	}
}
