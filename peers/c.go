package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/ratio"
)

// The comparison with C: the limit of the machine beside gyr. The directory c has translations of
// some programs of programs/ to C: the same algorithms, data and order of floating-point operations,
// without Go's bounds checks. clang optimises more than Go's compiler and gyr do, so its column shows
// what gyr could still gain.
//
// The command ratio measures, with C as one more engine: processor time less that of a tiny size, in
// turns, and the output of each measured run compared with native Go's. It runs in a process of its
// own, whose standard output is the record (-json). This file prints another table of that record.

const (
	cName     = "C"      // engine in the record
	cGyr      = "native" // gyr's engine in the record: the tier native, with gas
	cSources  = "c"      // directory, in this module
	cCompiler = "clang"
)

// cFlags optimise as usual and keep floating-point results as written: no -ffast-math, and no fused
// multiply-add, which would round once where Go rounds twice. The instructions are those of every
// processor of the architecture, as with go build.
var cFlags = []string{"-std=c11", "-O2", "-ffp-contract=off"}

// cPrograms are the programs that have a translation, in the order of ratio's rows. dir is the
// directory of the translations.
func cPrograms(dir string) (list []ratio.Program) {
	for _, p := range ratio.Programs {
		if _, err := os.Stat(filepath.Join(dir, p.Name+".c")); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// findC finds a C compiler.
func findC(compiler string) error {
	_, err := exec.LookPath(compiler)
	switch {
	case err == nil:
		return nil
	case compiler == cCompiler:
		return fmt.Errorf("peers: no C compiler: %w: install it with apt-get install %s, or name another compiler with -cc", err, cCompiler)
	}
	return fmt.Errorf("peers: no C compiler: %w: name one that is installed with -cc", err)
}

// cEngine runs translations. They are compiled from the directory of sources.
func cEngine(compiler, sources string, flags ...string) ratio.Engine {
	binary := func(e ratio.Env, p ratio.Program) string { return filepath.Join(e.Dir, "c", p.Name) }
	return ratio.Engine{
		Name: cName,
		Setup: func(e ratio.Env, list []ratio.Program) error {
			if err := findC(compiler); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(e.Dir, "c"), 0o700); err != nil {
				return err
			}
			for _, p := range list {
				argv := append(append([]string{}, cFlags...), flags...)
				// The library follows the source that needs it, as linkers demand.
				argv = append(argv, "-o", binary(e, p), filepath.Join(sources, p.Name+".c"), "-lm")
				if out, err := exec.Command(compiler, argv...).CombinedOutput(); err != nil {
					return fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(argv, " "), err, out)
				}
			}
			return nil
		},
		Command: func(e ratio.Env, p ratio.Program, size string) []string { return []string{binary(e, p), size} },
	}
}

// runC is the command: it prints the table.
func runC(args []string) error {
	set := flag.NewFlagSet("peers c", flag.ContinueOnError)
	rounds := set.Int("n", 3, "`rounds`, in which the engines take turns")
	only := set.String("only", "", "measure the programs whose names match `RE`")
	small := set.Bool("small", false, "take the small sizes: a trial, not a measurement")
	compiler := set.String("cc", cCompiler, "the C `compiler`, which takes clang's flags")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 || *rounds <= 0 {
		return errors.New("peers: usage: peers c [-n ROUNDS] [-only RE] [-small] [-cc COMPILER]")
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("peers: -only: %w", err)
	}
	var names, all []string
	for _, p := range cPrograms(cSources) {
		if all = append(all, p.Name); wanted.MatchString(p.Name) {
			names = append(names, p.Name)
		}
	}
	switch {
	case all == nil:
		return errors.New("peers: no programs in the directory c: run the command in the directory peers")
	case names == nil:
		return fmt.Errorf("peers: -only %s matches no program in C: there are %s", *only, strings.Join(all, ", "))
	}
	if err := findC(*compiler); err != nil {
		return err
	}
	version, err := exec.Command(*compiler, "--version").Output()
	if err != nil {
		return fmt.Errorf("peers: %s --version: %w", *compiler, err)
	}
	rec, err := recordC(*compiler, "-json", "-n", strconv.Itoa(*rounds), "-small="+strconv.FormatBool(*small),
		"-engines", "^("+cGyr+"|"+cName+")$", "-only", "^("+strings.Join(names, "|")+")$")
	if rec != nil {
		first, _, _ := strings.Cut(string(version), "\n")
		note := fmt.Sprintf("%s %s, load %.2f, medians of %d rounds", first, strings.Join(cFlags, " "), rec.Run.Env.Load, *rounds)
		if *small {
			note += ", small sizes"
		}
		writeMachine(os.Stdout)
		fmt.Printf("%s\n\n", note)
		writeC(os.Stdout, result.Of(rec))
	}
	return err
}

// recordC measures with flags of ratio in another process. If rows fail, the result is both a record
// and an error.
func recordC(compiler string, flags ...string) (*record.Record, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{"measure-c", compiler}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	rec, readErr := record.Read(out)
	if err := cmd.Wait(); err != nil {
		if readErr != nil {
			rec = nil // the measurement ended before it began
		}
		return rec, fmt.Errorf("peers: the measurement failed, for the reasons above: %w", err)
	}
	return rec, readErr
}

// measureC is the other process: ratio with the engine C. The first argument is the compiler.
func measureC(args []string) error {
	if len(args) == 0 {
		return errors.New("peers: usage: peers measure-c COMPILER [FLAGS OF RATIO]")
	}
	sources, err := filepath.Abs(cSources)
	if err != nil {
		return err
	}
	if status := ratio.Main(args[1:], cEngine(args[0], sources)); status != 0 {
		os.Exit(status) // ratio has said why
	}
	return nil
}

// writeC prints Markdown. The ratios are of median times, and the means are of the same rows, so that
// two of them multiply to the third.
func writeC(w io.Writer, rep *result.Report) {
	fmt.Fprint(w, "| program | size | native Go, seconds | gyr / Go | C / Go | gyr / C |\n|---|--:|--:|--:|--:|--:|\n")
	var ratios [3][]float64 // of the rows without a failure
	var failures strings.Builder
	rep.Rows(func(row *result.Row) {
		fmt.Fprintf(w, "| %s | %s |", row.Bench.Name, row.Bench.Params[0].Value)
		// seconds is the time in an engine; 0: it failed
		seconds := func(engine string) float64 {
			c := row.Cell(rep, engine)
			switch {
			case c == nil:
				return 0
			case c.Failed != "":
				fmt.Fprintf(&failures, "%s in %s: %s\n", row.Bench.Name, engine, c.Failed)
				return 0
			}
			return c.NS.Value / 1e9
		}
		native, gyr, c := seconds(rep.Engines[0]), seconds(cGyr), seconds(cName)
		if native > 0 {
			fmt.Fprintf(w, " %.3f |", native)
		} else {
			fmt.Fprint(w, " failed |")
		}
		sound := native > 0 && gyr > 0 && c > 0
		for i, r := range [][2]float64{{gyr, native}, {c, native}, {gyr, c}} {
			if r[0] > 0 && r[1] > 0 {
				fmt.Fprintf(w, " %.2f |", r[0]/r[1])
			} else {
				fmt.Fprint(w, " failed |")
			}
			if sound {
				ratios[i] = append(ratios[i], r[0]/r[1])
			}
		}
		fmt.Fprintln(w)
	})
	if n := len(ratios[0]); n > 0 {
		fmt.Fprintf(w, "| geometric mean of %d | | | %.2f | %.2f | %.2f |\n", n,
			measure.GeoMean(ratios[0]), measure.GeoMean(ratios[1]), measure.GeoMean(ratios[2]))
	}
	fmt.Fprintf(w, "\n%s", failures.String())
}
