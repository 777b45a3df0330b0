//go:build unix

// Command mutants checks that the tests watch the optimiser and both back ends.
//
// It finds all places in their source where one small change gives another program that compiles: a
// condition negated or dropped, a bound off by one, a wrong sign, a constant changed, a call left
// out (points.go). It draws some of these mutants by a seed, evenly over the files, and runs the
// suites with one mutant at a time, quick ones first, until a test fails (ladder.go):
//
//	go run ./internal/cmd/mutants -n=200 -seed=1
//
// It prints for each mutant which test found it, and after how long. It looks up mutants that no
// test finds in judged.txt, which says why they change nothing. The rest are the survivors, and the
// command fails if there are any.
//
// No mutant is compiled by itself. All drawn mutants are built into the same test binaries, through
// go's -overlay, each in a condition that the environment switches on ("mutant schemata", Untch,
// Offutt and Harrold 1993; schema.go). Before the first mutant, every test runs once without
// mutants. This shows that the test passes, how long it takes, and which mutants it reaches. A test
// never runs with a mutant that it does not reach. Costly suites run with all remaining mutants
// together, and then with halves of them.
//
// With -arch=arm64 the mutants are those of package arm64, and the test binaries are of that processor.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"
)

var (
	count  = flag.Int("n", 200, "mutants to draw")
	seed   = flag.Uint64("seed", 1, "seed of the draw")
	arch   = flag.String("arch", runtime.GOARCH, "the processor whose back end has the mutants and whose code the suites run; arm64 runs under qemu")
	only   = flag.String("only", "", "only mutants whose line of the list contains this text")
	list   = flag.Bool("list", false, "print the mutants that are drawn, and run nothing")
	work   = flag.String("work", "", "directory for sources and test binaries that is kept; empty: a new one")
	points = flag.Bool("points", false, "print how many mutation points each file has, and run nothing")
)

func main() {
	flag.Parse()
	if len(ladders[*arch]) == 0 {
		fmt.Fprintf(os.Stderr, "mutants: no suites for -arch=%s: there are %s\n", *arch, slices.Sorted(maps.Keys(ladders)))
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	sources, err := findSources(root)
	if err != nil {
		return err
	}
	if *points {
		total := 0
		for _, s := range sources {
			fmt.Printf("%6d %s\n", len(s.points), s.name)
			total += len(s.points)
		}
		fmt.Printf("%6d in %d files\n", total, len(sources))
		return nil
	}
	drawn := draw(sources, *count, *seed, *only)
	if *list {
		for _, m := range drawn {
			fmt.Println(m)
		}
		return nil
	}
	judged, err := readJudged()
	if err != nil {
		return err
	}
	dir := *work
	if dir == "" {
		if dir, err = os.MkdirTemp("", "gyr-mutants"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	start := time.Now()
	l, err := newLadder(root, dir, sources, drawn)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d: %d mutants of %d points in %d files; %d test binaries, all tests without a mutant: %.0f s\n",
		*seed, len(drawn), countPoints(sources), len(sources), len(ladders[*arch]), time.Since(start).Seconds())
	tally := map[string]int{}
	var left, survivors []*mutant
	tell := func(m *mutant, v verdict) {
		tally[v.kind]++
		fmt.Printf("%-10s %v\n           %s\n", v.kind, m, v)
	}
	for _, m := range drawn {
		if v := l.try(m); v.kind == found {
			tell(m, v)
		} else {
			left = append(left, m)
		}
	}
	if err := l.tryCostly(slices.Clone(left), tell); err != nil {
		return err
	}
	for _, m := range left {
		if l.verdicts[m].kind == found {
			continue
		}
		v := l.left(m)
		if j := judged[m.key()]; j != nil {
			v = verdict{kind: j.kind, by: j.reason}
		} else {
			survivors = append(survivors, m)
		}
		tell(m, v)
	}
	fmt.Printf("\n%d mutants, seed %d: %d found, %d equivalent, %d slower, %d survived; %.0f s\n",
		len(drawn), *seed, tally[found], tally[equivalent], tally[slower], tally[survived], time.Since(start).Seconds())
	l.summary(os.Stdout)
	if len(survivors) > 0 {
		fmt.Println("\nsurvivors, as judged.txt would name them:")
		for _, m := range survivors {
			fmt.Println(m.key())
		}
		return fmt.Errorf("%d mutants survived", len(survivors))
	}
	return nil
}
