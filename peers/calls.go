package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// The comparison of calls: what it costs to cross between host and guest, in package gyr and in
// other engines that a Go process can embed.
//
// Each engine does the same work, that of package guest. Before anything is measured, results are
// compared with native Go's.

// The kinds of work, one for each row of the table. A doer does each n times; for the last two it
// processes n rows.
const (
	hostNumbers  = "guest calls host: two numbers"
	hostText     = "guest calls host: a string and a `[]byte` of 100 bytes"
	hostBack     = "guest calls host, which calls back"
	guestNumbers = "host calls guest: two numbers"
	guestStruct  = "host calls guest: a struct with a string; a string and a number back"
	freshHandler = "a fresh state and a JSON handler"
	warmHandler  = "the JSON handler, state kept"
	newEmpty     = "a new instance, an empty function, the end of the instance"
	rowByRow     = "a user-defined function, a call a row"
	inBatches    = "a user-defined function, a call for 8192 rows"
)

var works = []string{hostNumbers, hostText, hostBack, guestNumbers, guestStruct, warmHandler, freshHandler, newEmpty, rowByRow, inBatches}

// A doer does some work n times. Its result depends only on n and the work.
type doer func(n int) (result string, err error)

// An embedder is a column of the table: an engine that runs guests in this process.
type embedder struct {
	name  string
	doers map[string]doer
	gaps  map[string]string // why it has no doer for a work
	close func()
}

// embedders makes all columns, native Go first. dir is this module's directory.
func embedders(ctx context.Context, dir string) (list []*embedder, err error) {
	temp, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	wasm := filepath.Join(temp, "reactor.wasm")
	if err := buildReactor(ctx, dir, wasm); err != nil {
		return nil, err
	}
	for _, make := range []func() (*embedder, error){
		nativeGo,
		func() (*embedder, error) { return gyrEmbedder(ctx, dir) },
		func() (*embedder, error) { return wazeroEmbedder(ctx, wasm, false) },
		func() (*embedder, error) { return wazeroEmbedder(ctx, wasm, true) },
		func() (*embedder, error) { return bareEmbedder(ctx) },
		func() (*embedder, error) { return gojaEmbedder(dir) },
		func() (*embedder, error) { return yaegiEmbedder(dir) },
	} {
		e, err := make()
		if err != nil {
			for _, e := range list {
				e.close()
			}
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// compare runs each work a few times in all engines. It reports results that differ from native
// Go's.
func compare(list []*embedder) error {
	var wrong []error
	for _, w := range works {
		for _, n := range []int{1, 7, 9000} {
			if n > 100 && (w == freshHandler || w == newEmpty || w == warmHandler) {
				n = 20
			}
			want := ""
			for i, e := range list {
				do := e.doers[w]
				if do == nil {
					if e.gaps[w] == "" {
						wrong = append(wrong, fmt.Errorf("%s: neither does %q nor says why", e.name, w))
					}
					continue
				}
				got, err := do(n)
				switch {
				case err != nil:
					wrong = append(wrong, fmt.Errorf("%s, %s, %d times: %w", e.name, w, n, err))
				case i == 0:
					want = got
				case got != want && want != "":
					wrong = append(wrong, fmt.Errorf("%s, %s, %d times: %.200s, native Go: %.200s", e.name, w, n, got, want))
				}
			}
		}
	}
	return errors.Join(wrong...)
}

// runCalls is the command: it prints the table.
func runCalls(args []string) error {
	set := flag.NewFlagSet("peers calls", flag.ContinueOnError)
	rounds := set.Int("rounds", 7, "how often each engine does each work, in turns")
	sample := set.Duration("sample", 40*time.Millisecond, "how long a sample takes, about")
	dir := set.String("dir", ".", "directory of this module")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 || *rounds <= 0 {
		return errors.New("peers: usage: peers calls [-rounds N] [-sample D] [-dir DIRECTORY]")
	}
	list, err := embedders(context.Background(), *dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		defer e.close()
	}
	if err := compare(list); err != nil {
		return err
	}
	table, err := measured(list, *rounds, *sample)
	if err != nil {
		return err
	}
	writeTable(os.Stdout, list, table)
	return nil
}

// measured returns, by work and column, the median processor time of doing the work once, in
// nanoseconds; 0 for a gap. The engines take turns.
func measured(list []*embedder, rounds int, sample time.Duration) ([][]float64, error) {
	table := make([][]float64, len(works))
	for i, w := range works {
		took := make([][]float64, len(list))
		times := make([]int, len(list))
		for round := range rounds {
			for k, e := range list {
				do := e.doers[w]
				if do == nil {
					continue
				}
				if round == 0 {
					var err error
					if times[k], err = calibrated(do, sample); err != nil {
						return nil, fmt.Errorf("%s, %s: %w", e.name, w, err)
					}
				}
				runtime.GC() // garbage of others is not part of the sample
				before := cpuTime()
				if _, err := do(times[k]); err != nil {
					return nil, fmt.Errorf("%s, %s: %w", e.name, w, err)
				}
				took[k] = append(took[k], float64(cpuTime()-before)/float64(times[k]))
			}
		}
		table[i] = make([]float64, len(list))
		for k := range list {
			if took[k] != nil {
				table[i][k] = measure.Median(took[k])
			}
		}
	}
	return table, nil
}

// calibrated returns how often to do the work for a sample.
func calibrated(do doer, sample time.Duration) (int, error) {
	for n := 1; ; n *= 4 {
		before := cpuTime()
		if _, err := do(n); err != nil {
			return 0, err
		}
		if took := cpuTime() - before; took > sample/8 || n > 1<<26 {
			return max(1, int(float64(n)*float64(sample)/float64(max(took, 1)))), nil
		}
	}
}

// writeTable prints Markdown. The unit of a work that native Go does without crossing is native
// Go's column.
func writeTable(w io.Writer, list []*embedder, table [][]float64) {
	fmt.Fprintf(w, "%s, %s, %s/%s, %d processors\n\n", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := measure.CPUModel(); model != "" {
		fmt.Fprintf(w, "%s\n\n", model)
	}
	var notes []string
	fmt.Fprint(w, "| |")
	for _, e := range list {
		fmt.Fprintf(w, " %s |", e.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", len(list)))
	for i, name := range works {
		ratio := name == rowByRow || name == inBatches
		if ratio {
			name += ", native Go = 1"
		}
		fmt.Fprintf(w, "| %s |", name)
		for k, e := range list {
			switch ns := table[i][k]; {
			case ns == 0:
				gap := e.gaps[works[i]]
				at := slices.Index(notes, gap) + 1
				if at == 0 {
					notes = append(notes, gap)
					at = len(notes)
				}
				fmt.Fprintf(w, " – (%d) |", at)
			case ratio && k == 0:
				fmt.Fprintf(w, " 1 (%s a row) |", span(ns))
			case ratio:
				fmt.Fprintf(w, " %.3g |", ns/table[i][0])
			default:
				fmt.Fprintf(w, " %s |", span(ns))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for i, note := range notes {
		fmt.Fprintf(w, "(%d) %s. ", i+1, note)
	}
	fmt.Fprintln(w)
}

// span prints a time with two digits or more.
func span(ns float64) string {
	unit := "ns"
	switch {
	case ns >= 1e6:
		ns, unit = ns/1e6, "ms"
	case ns >= 1e3:
		ns, unit = ns/1e3, "µs"
	}
	if ns >= 9.95 {
		return fmt.Sprintf("%.0f %s", ns, unit)
	}
	return fmt.Sprintf("%.2g %s", ns, unit)
}

// columns is a table of rows: the data of the user-defined functions.
type columns struct {
	amount        []float64
	items         []int32
	country, hour []uint8
}

const tableRows, batchRows = 1 << 17, 8192

// rows is a table. A work takes as many rows as it needs, and starts again after the last.
var rows = func() columns {
	r := rand.New(rand.NewPCG(1, 2))
	c := columns{make([]float64, tableRows), make([]int32, tableRows), make([]uint8, tableRows), make([]uint8, tableRows)}
	for i := range tableRows {
		c.amount[i] = float64(r.IntN(200_000)) / 100
		c.items[i], c.country[i], c.hour[i] = r.Int32N(30), uint8(r.IntN(64)), uint8(r.IntN(24))
	}
	return c
}()

// part returns rows of the table, as columns of equal length.
func (c *columns) part(lo, hi int) columns {
	return columns{c.amount[lo:hi], c.items[lo:hi], c.country[lo:hi], c.hour[lo:hi]}
}

// eachRow makes a doer from a function of a row.
func eachRow(f func(amount float64, items int32, country, hour uint8) (float64, error)) doer {
	return func(n int) (string, error) {
		sum := 0.0
		for i := range n {
			i %= tableRows
			x, err := f(rows.amount[i], rows.items[i], rows.country[i], rows.hour[i])
			if err != nil {
				return "", err
			}
			sum += x
		}
		return fmt.Sprint(sum), nil
	}
}

// eachBatch makes a doer from a function of a batch of rows. The function returns as many scores,
// valid until the next call.
func eachBatch(f func(columns) ([]float64, error)) doer {
	return func(n int) (string, error) {
		sum := 0.0
		for n > 0 {
			for lo := 0; lo < tableRows && n > 0; lo += batchRows {
				size := min(n, batchRows)
				scores, err := f(rows.part(lo, lo+size))
				if err != nil {
					return "", err
				}
				for _, x := range scores[:size] {
					sum += x
				}
				n -= size
			}
		}
		return fmt.Sprint(sum), nil
	}
}

// eachPair makes a doer from a function of two numbers.
func eachPair(f func(a, b int64) (int64, error)) doer {
	return func(n int) (string, error) {
		s := int64(0)
		for i := range n {
			var err error
			if s, err = f(s, int64(i)); err != nil {
				return "", err
			}
		}
		return fmt.Sprint(s), nil
	}
}

// eachOrder makes a doer from a function that describes an order.
func eachOrder(f func(item string, count, each int64) (string, int64, error)) doer {
	return func(n int) (string, error) {
		text, total := "", int64(0)
		for i := range n {
			s, x, err := f("a pound of tea", int64(i), 7)
			if err != nil {
				return "", err
			}
			text, total = s, total+x
		}
		return fmt.Sprint(text, total), nil
	}
}

// requestText is the request that handlers answer.
const requestText = `{"user":"ann","items":[{"name":"tea","count":3,"each":450},{"name":"a cup","count":2,"each":1275},{"name":"sugar","count":1,"each":199}]}`

// eachRequest makes a doer from a handler.
func eachRequest(f func(text string) (string, error)) doer {
	return func(n int) (out string, err error) {
		for range n {
			if out, err = f(requestText); err != nil {
				return "", err
			}
		}
		return out, nil
	}
}

// numbered makes a doer from a function that has the loop itself.
func numbered(f func(n int64) (int64, error)) doer {
	return func(n int) (string, error) {
		s, err := f(int64(n))
		return fmt.Sprint(s), err
	}
}
