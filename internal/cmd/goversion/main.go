// Command goversion compares two Go installations in everything that gyr depends on, and says what
// a new release requires of gyr.
//
//	go run ./internal/cmd/goversion [flags] [OLD] NEW
//
// OLD is by default the installation that runs the command. The command reads the sources of both,
// as a build for wasip1/wasm selects them, and the sources of gyr. It starts neither go command, so
// NEW may be a release candidate or a checkout. -h lists the kinds of findings.
//
// Files in the folder explained say how each finding was dealt with. The command fails if a finding
// has no line there, or one that begins with "to do". docs/releases.md is the recipe.
//
// compare.go has the table of kinds, and the comparison. install.go reads an installation, ours.go
// reads gyr's sources, and explain.go reads the explanations. The kinds are in replaced.go,
// settings.go, symbols.go and types.go.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const usageHead = `usage: go run ./internal/cmd/goversion [flags] [OLD] NEW

Compares the Go installations in the directories OLD and NEW (OLD: the one that runs the command) for what gyr depends on. NEW may be a
checkout. Prints one line for each finding that is open:

	KIND NAME MARK: FILE:LINE: what differs (what gyr lacks of it)

FILE:LINE is in NEW; in OLD for what is gone; in gyr for what does not compile. A finding is closed by a line

	KIND NAME MARK: what was done

in a file of the folder with explanations: 1.26-1.27.txt for two minor releases, 1.27.txt for patches of one. An explanation that begins
with "to do: " leaves it open. Where gyr lacks something, the explanation begins with "without: " and says why. " stands for the
explanation of the line before. MARK changes with what there is in NEW.

Exit status: 0 nothing is open, 1 something is, 2 wrong usage.

Flags:
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("goversion", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print all findings as JSON, one object a line")
	all := flags.Bool("all", false, "print the closed findings too, each with its explanation")
	root := flags.String("gyr", "", "`directory` of gyr's sources (default: the module that the command runs in)")
	dir := flags.String("explained", "", "`folder` with explanations (default: explained, beside the command's sources)")
	flags.Usage = func() {
		fmt.Fprint(stderr, usageHead)
		flags.PrintDefaults()
		fmt.Fprint(stderr, "\nKinds:\n")
		for _, k := range kinds {
			fmt.Fprintf(stderr, "  %-11s %s\n", k.name, k.what)
		}
	}
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	}
	dirs := flags.Args()
	if len(dirs) == 1 {
		dirs = []string{build.Default.GOROOT, dirs[0]}
	}
	if len(dirs) != 2 {
		flags.Usage()
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "goversion:", err)
		return 2
	}
	if *root == "" {
		var err error
		if *root, err = findOurs("."); err != nil {
			return fail(err)
		}
	}
	if *dir == "" {
		*dir = filepath.Join(*root, "internal/cmd/goversion/explained")
	}
	o, err := openOurs(os.DirFS(*root))
	if err != nil {
		return fail(err)
	}
	older, newer, err := openBoth(dirs[0], dirs[1])
	if err != nil {
		return fail(err)
	}
	list, err := readExplanations(*dir, older.minor, newer.minor)
	if err != nil {
		return fail(err)
	}
	findings := compare(older, newer, o)
	idle := explain(findings, list)
	open := 0
	var out bytes.Buffer
	for i := range findings {
		f := &findings[i]
		why := f.open()
		if why != "" {
			open++
		}
		switch {
		case *asJSON:
			line, err := json.Marshal(f)
			if err != nil {
				return fail(err)
			}
			out.Write(append(line, '\n'))
		case why != "" || *all:
			fmt.Fprintln(&out, f)
		}
	}
	stdout.Write(out.Bytes())
	for _, e := range idle {
		fmt.Fprintf(stderr, "goversion: %s explains nothing that was found: %s\n", e.at, e.key)
	}
	fmt.Fprintf(stderr, "%s to %s: %d findings, %d open, %d explanations of nothing\n", older.version, newer.version, len(findings), open, len(idle))
	if open > 0 {
		return 1
	}
	return 0
}

// String returns the finding as one line.
func (f *Finding) String() string {
	s := f.key() + ": " + f.Pos + ": " + f.Text
	if f.Ours != "" {
		s += " (" + f.Ours + ")"
	}
	if why := f.open(); f.Explained != "" && (why == "" || why == "to do") {
		s += " | " + f.Explained
	} else if f.Explained != "" {
		s += " | " + why + ": " + f.Explained
	}
	return s
}

// openBoth opens two installations at once.
func openBoth(older, newer string) (*install, *install, error) {
	var in [2]*install
	var errs [2]error
	var wg sync.WaitGroup
	for i, dir := range []string{older, newer} {
		wg.Go(func() { in[i], errs[i] = openInstall(dir, os.DirFS(dir)) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return in[0], in[1], nil
}
