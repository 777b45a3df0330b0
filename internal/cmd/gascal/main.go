// Command gascal measures the cost of operations, statements and primitives and compares it with
// the gas table.
//
//	go run ./internal/cmd/gascal            everything, in both tiers, together with a plain loop
//	go run ./internal/cmd/gascal -only RE   what matches
//	go run ./internal/cmd/gascal -tier T    in machine code (native) or in the interpreter (interp) alone
//	go run ./internal/cmd/gascal -json F    writes the figures to a file as well; with -only or -tier the others in it stay
//	go run ./internal/cmd/gascal -from F    takes the figures of such a file instead of measuring
//	go run ./internal/cmd/gascal -from F -recount   counts their gas again at the current prices, and keeps the times
//	go run ./internal/cmd/gascal -worst N   prints the N rows that cost most in terms of the plain loop
//	go run ./internal/cmd/gascal -md        prints tables as docs/gas.md has them
//	go run ./internal/cmd/gascal -factor 3  tolerates more, on a busy machine
//
// # What is measured
//
// An operation's time is the difference between a loop with 8 copies of it and one with 16, so that
// the loop itself, its charge and its phis cancel out. The two take turns for 50 and 100 µs each
// within one run, several hundred times. The shortest time of each counts, so other work on the
// machine does not matter. Operations that allocate are measured by the processor time of whole
// runs with their collections, half of them with 300,000 live objects. An operation that can wait
// for the previous one is measured with and without that wait, and the mean is taken. An operation
// that cannot stand alone is measured together with an exclusive or that uses its result; the time
// of the exclusive or is subtracted. See loop.go and ops.go.
//
// A statement is measured in a loop of a Go program, minus an empty loop. The gas next to it is the
// whole charge of the statement (statements.go).
//
// A primitive is any other work that a guest can ask for: loads that miss the caches, new stacks
// and new memory, long bulk operations, stack walks, collections, synchronisation, kernels,
// functions of the host and of std. The program in _guest has a loop for each. A loop runs five
// times in an instance of its own, each time together with the plain loop. The median of the
// processor times counts (primitives.go).
//
// # What must hold
//
// Prices of operations must be proportional to their times in the interpreter within a factor of
// two. The column "of median" divides an operation's nanoseconds a unit by the median over all
// operations. The verdict says whether the quotient is within ½ … 2, and if not, why it may be; the
// exit status is 1 if an operation is out of proportion. Statements that call no runtime function
// have no price of their own. They show the total for ordinary code after the optimiser.
//
// A unit of gas must not buy more than [bar] times the time of a unit of the plain loop. The column
// "plain loops" of the tables has this quotient for each tier. TestBar compares recorded times with
// newly counted gas; bar.go has the exceptions.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

var (
	only    = flag.String("only", "", "measure what matches the regular expression `RE`")
	tier    = flag.String("tier", "", "measure in one `tier`, native or interp, not in both")
	out     = flag.String("json", "", "write the measurements to a `file`")
	rounds  = flag.Int("rounds", 3, "runs of each pair of loops, of 200 turns")
	from    = flag.String("from", "", "take the measurements of a `file` that -json wrote")
	recount = flag.Bool("recount", false, "count the gas of the rows of -from anew, and keep their times")
	worst   = flag.Int("worst", 0, "print the `N` rows whose unit takes the longest")
	md      = flag.Bool("md", false, "print Markdown")
	busy    = flag.Bool("busy", false, "say with the measurements that the machine was busy")
	factor  = flag.Float64("factor", 2, "tolerate times within a factor of `F` of the price")
	verbose = flag.Bool("v", false, "print each measurement as it is made")
	dump    = flag.Bool("dump", false, "print the register code of the loops")
)

func main() {
	flag.Parse()
	runtime.LockOSThread()
	re, err := regexp.Compile(*only)
	if err == nil {
		err = run(re)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gascal:", err)
		os.Exit(1)
	}
}

func run(re *regexp.Regexp) error {
	if *factor < 1 {
		return fmt.Errorf("-factor %g: a factor is at least 1", *factor)
	}
	c, err := figures(re)
	if err != nil {
		return err
	}
	if *out != "" {
		if err := c.write(*out); err != nil {
			return err
		}
	}
	fmt.Printf("%s\n\n", c.where())
	if *worst > 0 {
		printWorst(os.Stdout, &c, *worst)
		return nil
	}
	bad := printTable(os.Stdout, "operation", c.Operations, c.NSPerUnit) +
		printTable(os.Stdout, "statement", c.Statements, c.NSPerUnit) +
		printPrimitives(os.Stdout, c.Primitives)
	if bad > 0 {
		return fmt.Errorf("%d rows are not measured, or not proportional to the time within a factor of %g", bad, *factor)
	}
	return nil
}

// figures measures the rows that match, or reads their figures.
func figures(re *regexp.Regexp) (c calibration, err error) {
	if *from != "" {
		if c, err = readCalibration(*from, re); err == nil && *recount {
			c.Table = gas.Version
			err = recountAll(&c)
		}
		return c, err
	}
	if *recount {
		return c, errors.New("-recount takes the times of a file: -from FILE")
	}
	tiers, err := tiersOf(*tier)
	if err != nil {
		return c, err
	}
	for i, t := range tiers {
		one, err := measureAll(re, t)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c = one
		} else {
			c.merge(&one)
		}
	}
	if *out != "" && (*only != "" || *tier != "") {
		if kept, err := readCalibration(*out, regexp.MustCompile("")); err == nil {
			kept.replace(&c)
			c = kept
		} else if !errors.Is(err, os.ErrNotExist) {
			return c, err
		}
	}
	c.finish()
	return c, nil
}

// tiersOf returns the tiers to measure: the requested one, or all tiers of this machine.
func tiersOf(name string) ([]gyr.Tier, error) {
	err := native.Check()
	switch gyr.Tier(name) {
	case gyr.TierInterp:
		return []gyr.Tier{gyr.TierInterp}, nil
	case gyr.TierNative:
		return []gyr.Tier{gyr.TierNative}, err
	case gyr.TierAuto:
		if err != nil {
			fmt.Fprintln(os.Stderr, "gascal: the interpreter alone is measured:", err)
			return []gyr.Tier{gyr.TierInterp}, nil
		}
		return []gyr.Tier{gyr.TierInterp, gyr.TierNative}, nil
	}
	return nil, fmt.Errorf("-tier %s: there are native and interp", name)
}

// measureAll measures the rows that match in one tier.
func measureAll(re *regexp.Regexp, t gyr.Tier) (c calibration, err error) {
	c = calibration{Table: gas.Version, Busy: *busy, Date: time.Now().UTC().Format(time.DateOnly), CPU: measure.CPUModel(),
		Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	mt, err := newMeter(t)
	if err != nil {
		return c, err
	}
	defer mt.close()
	if c.Operations, err = mt.measureOps(re); err != nil {
		return c, err
	}
	if c.Statements, err = mt.measureStatements(re); err != nil {
		return c, err
	}
	c.Primitives, err = mt.measurePrimitives(re)
	return c, err
}

// recountAll counts the gas of all rows again.
func recountAll(c *calibration) error {
	for i := range c.Operations {
		r := &c.Operations[i]
		k := slices.IndexFunc(opCases, func(o opCase) bool { return o.name == r.Name })
		if k < 0 {
			return fmt.Errorf("there is no operation %s any more: measure anew", r.Name)
		}
		r.Gas = max(opCases[k].units, 0.01)
	}
	if len(c.Statements) > 0 {
		p, err := compileStatements()
		if err != nil {
			return err
		}
		for i := range c.Statements {
			if err := recountStatement(p, &c.Statements[i]); err != nil {
				return err
			}
		}
	}
	if len(c.Primitives) > 0 {
		p, err := compilePrimitives()
		if err != nil {
			return err
		}
		for i := range c.Primitives {
			if err := recountPrimitive(p, &c.Primitives[i]); err != nil {
				return err
			}
		}
	}
	c.finish()
	return nil
}
