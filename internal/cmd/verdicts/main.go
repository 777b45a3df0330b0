// Command verdicts measures how often gyr bench errs. It compares benchmarks with a known relation
// many times, and counts the verdicts.
//
//	go run ./internal/cmd/verdicts -runs 100 -gyr /path/to/gyr [-with Second|Five|Twenty] [flags of gyr bench ...]
//
// Each run measures the benchmark First and another one of testdata/twins. Second is the same code,
// so "faster" and "slower" are false; Five is 5 % slower, Twenty 20 %. The machine may be loaded.
// docs/bench.md has the results.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

var (
	runs   = flag.Int("runs", 100, "how many `runs`")
	binary = flag.String("gyr", "gyr", "the `binary` to judge")
	with   = flag.String("with", "Second", "what First is compared with: Second, Five or Twenty")
	dir    = flag.String("dir", filepath.Join("internal", "cmd", "verdicts", "testdata", "twins"), "the module of the benchmarks")
	engine = flag.String("engine", "native", "the `engine` that both run in")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := count(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

// count makes the runs and prints a line for each, and the totals.
func count(ctx context.Context, flags []string) error {
	tmp, err := os.MkdirTemp("", "verdicts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	verdicts := map[result.Verdict]int{}
	var ratios, widths []float64
	for i := range *runs {
		start := time.Now()
		file := filepath.Join(tmp, fmt.Sprint(i))
		args := append([]string{"bench", "-C=" + *dir}, "-o="+file, "-engine="+*engine, "-group=package", "-notcounted", "-bench=^Benchmark(First|"+*with+")$")
		cmd := exec.CommandContext(ctx, *binary, append(args, flags...)...)
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp) // has the machine's lock; other measurements are a load, too
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("run %d: %w: %s", i, err, out)
		}
		rec, err := record.ReadFile(file)
		if err != nil {
			return err
		}
		c, first := compared(result.Of(rec))
		if c == nil {
			return fmt.Errorf("run %d: nothing was compared", i)
		}
		ratio, verdict := c.Ratio, c.Verdict
		if first { // First is slower, or is listed second
			ratio = 1 / ratio
			verdict = map[result.Verdict]result.Verdict{result.Faster: result.Slower, result.Slower: result.Faster}[verdict]
			if verdict == "" {
				verdict = c.Verdict
			}
		}
		verdicts[verdict]++
		ratios, widths = append(ratios, ratio), append(widths, c.Visible)
		fmt.Printf("%d\t%s\t%.4f\t±%.2f %%\t%.0f s\tload %.1f\n", i+1, verdict, ratio, 100*c.Visible, time.Since(start).Seconds(), measure.Load())
	}
	slices.Sort(ratios)
	fmt.Printf("First against %s, %d runs: ", *with, *runs)
	for _, v := range []result.Verdict{result.Same, result.Unresolved, result.Slower, result.Faster, result.Few} {
		fmt.Printf("%d %s, ", verdicts[v], v)
	}
	fmt.Printf("ratio %.4f (%.4f to %.4f), half width ±%.2f %%\n", measure.Median(ratios), ratios[0], ratios[len(ratios)-1],
		100*measure.Median(slices.DeleteFunc(widths, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })))
	return nil
}

// compared returns the comparison of a report, and whether the compared benchmark is First.
func compared(r *result.Report) (c *result.Comparison, first bool) {
	r.Rows(func(row *result.Row) {
		for _, cell := range row.Cells {
			if cell != nil && cell.InGroup != nil {
				c, first = cell.InGroup, row.Bench.Name == "First"
			}
		}
	})
	return c, first
}
