// Udf runs a user-defined function over a million rows: row by row, in batches whose columns are
// copied, and in batches whose columns are lent. It compares with the same package compiled into
// this program.
//
//	go run ./examples/udf
//
// A database that calls a function for each row pays for a million calls. One that calls it for a
// batch of rows pays for a call every few thousand rows, and for its columns only if they are
// copied. Here the columns are in buffers that the instance lends to the function
// ([gyr.Instance.NewBuffer]), filled for each batch or once for all. Results are copied.
//
// Medians of five runs on two cores of a loaded Xeon: processor time of a million rows, next to the
// native loop of the same round:
//
//	native, row by row                    17 ms     1.00
//	native, batches                       17 ms     0.96
//	gyr, row by row                      113 ms     6.5
//	gyr, batches, copied                  25 ms     1.4
//	gyr, batches, filled and lent         21 ms     1.2
//	gyr, batches of a table that is lent  22 ms     1.2
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/examples/udf/score"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the table")
	batch := flag.Int("batch", 8192, "rows of a batch")
	rounds := flag.Int("rounds", 9, "how often each way is measured, in turns")
	dir := flag.String("dir", "examples/udf/score", "directory of the function")
	flag.Parse()
	if *rows <= 0 || *batch <= 0 || *rounds <= 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: udf [-rows N] [-batch N] [-rounds N] [-dir DIRECTORY]")
		os.Exit(64)
	}
	if err := run(os.Stdout, *dir, *rows, *batch, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "udf:", err)
		os.Exit(1)
	}
}

// Columns are the columns of a table, or of a batch of its rows.
type columns struct {
	amount  []float64
	items   []int32
	country []uint8
	hour    []uint8
}

// part returns the rows from lo to hi.
func (c *columns) part(lo, hi int) columns {
	return columns{c.amount[lo:hi], c.items[lo:hi], c.country[lo:hi], c.hour[lo:hi]}
}

// A lent has the columns of a batch as parts of one buffer, which the host fills and lends to the
// guest.
type lent struct {
	columns
	amountOf, itemsOf, countryOf, hourOf *gyr.Buffer
}

// rowSize is the size of a row in all columns, in bytes.
const rowSize = 8 + 4 + 1 + 1

// newLent makes room for n rows in a buffer. The widest column comes first, so that every column is
// aligned.
func newLent(in *gyr.Instance, n int) (*lent, error) {
	b, err := in.NewBuffer(rowSize * n)
	if err != nil {
		return nil, err
	}
	l := &lent{amountOf: b.Slice(0, 8*n), itemsOf: b.Slice(8*n, 12*n), countryOf: b.Slice(12*n, 13*n), hourOf: b.Slice(13*n, 14*n)}
	l.amount, l.items = column[float64](l.amountOf), column[int32](l.itemsOf)
	l.country, l.hour = l.countryOf.Bytes(), l.hourOf.Bytes()
	return l, nil
}

// fill copies columns into the first rows.
func (l *lent) fill(c columns) {
	copy(l.amount, c.amount)
	copy(l.items, c.items)
	copy(l.country, c.country)
	copy(l.hour, c.hour)
}

// rows returns the rows from lo to hi.
func (l *lent) rows(lo, hi int) lentArgs {
	return lentArgs{l.amountOf.Slice(8*lo, 8*hi), l.itemsOf.Slice(4*lo, 4*hi), l.countryOf.Slice(lo, hi), l.hourOf.Slice(lo, hi)}
}

// column returns the memory of a buffer as the guest sees it: little-endian numbers.
func column[T float64 | int32](b *gyr.Buffer) []T {
	p := b.Bytes()
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/int(unsafe.Sizeof(x)))
}

// Parameters and results of the guest's functions.
type (
	rowArgs struct {
		Amount        float64
		Items         int32
		Country, Hour uint8
	}
	rowResult struct{ Score float64 }

	copiedArgs struct {
		Amount        []float64
		Items         []int32
		Country, Hour []uint8
	}
	lentArgs    struct{ Amount, Items, Country, Hour *gyr.Buffer }
	batchResult struct{ Scores []float64 }
)

// table generates the rows of a table.
func table(n int) columns {
	r := rand.New(rand.NewPCG(1, 2))
	c := columns{make([]float64, n), make([]int32, n), make([]uint8, n), make([]uint8, n)}
	for i := range n {
		c.amount[i] = float64(r.IntN(200_000)) / 100
		c.items[i], c.country[i], c.hour[i] = r.Int32N(30), uint8(r.IntN(64)), uint8(r.IntN(24))
	}
	return c
}

// A way calls the function for all rows in one way, and returns the sum of the scores.
type way struct {
	name string
	run  func() (float64, error)
	took []time.Duration
}

func run(w io.Writer, dir string, rows, batch, rounds int) error {
	ctx := context.Background()
	program, err := gyr.Compile(ctx, gyr.Source{Dir: dir, Exports: true}, nil)
	if err != nil {
		return err
	}
	in, err := program.NewInstance(ctx, gyr.Config{Memory: uint64(64<<20 + 2*rowSize*rows), Gas: 1 << 50})
	if err != nil {
		return err
	}
	defer in.Close()
	one, err1 := gyr.FuncOf[rowArgs, rowResult](ctx, in, "Payment")
	copied, err2 := gyr.FuncOf[copiedArgs, batchResult](ctx, in, "Payments")
	many, err3 := gyr.FuncOf[lentArgs, batchResult](ctx, in, "Payments")
	some, err4 := newLent(in, min(batch, rows))
	whole, err5 := newLent(in, rows)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}

	all := table(rows)
	whole.fill(all)
	scores := make([]float64, rows)
	batches := func(f func(lo, hi int) ([]float64, error)) func() (float64, error) {
		return func() (float64, error) {
			for lo := 0; lo < rows; lo += batch {
				hi := min(lo+batch, rows)
				s, err := f(lo, hi)
				if err != nil {
					return 0, err
				}
				copy(scores[lo:hi], s)
			}
			return sum(scores), nil
		}
	}
	ways := []way{
		{name: "native, row by row", run: func() (float64, error) {
			for i := range scores {
				scores[i] = score.Payment(all.amount[i], all.items[i], all.country[i], all.hour[i])
			}
			return sum(scores), nil
		}},
		{name: "native, batches", run: batches(func(lo, hi int) ([]float64, error) {
			c := all.part(lo, hi)
			return score.Payments(c.amount, c.items, c.country, c.hour), nil
		})},
		{name: "gyr, row by row", run: func() (float64, error) {
			for i := range scores {
				r, err := one.Call(ctx, rowArgs{all.amount[i], all.items[i], all.country[i], all.hour[i]})
				if err != nil {
					return 0, err
				}
				scores[i] = r.Score
			}
			return sum(scores), nil
		}},
		{name: "gyr, batches, copied", run: batches(func(lo, hi int) ([]float64, error) {
			c := all.part(lo, hi)
			r, err := copied.Call(ctx, copiedArgs{c.amount, c.items, c.country, c.hour})
			return r.Scores, err
		})},
		{name: "gyr, batches, filled and lent", run: batches(func(lo, hi int) ([]float64, error) {
			some.fill(all.part(lo, hi))
			r, err := many.Call(ctx, some.rows(0, hi-lo))
			return r.Scores, err
		})},
		{name: "gyr, batches of a table that is lent", run: batches(func(lo, hi int) ([]float64, error) {
			r, err := many.Call(ctx, whole.rows(lo, hi))
			return r.Scores, err
		})},
	}
	want := 0.0
	for round := range rounds {
		for i := range ways {
			x := &ways[i]
			before := cpuTime()
			got, err := x.run()
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			x.took = append(x.took, cpuTime()-before)
			if round+i == 0 {
				want = got
			}
			if got != want {
				return fmt.Errorf("%s: a sum of %v, not %v", x.name, got, want)
			}
		}
	}
	fmt.Fprintf(w, "%d rows, sum of the scores %.6f in each way, %s\n", rows, want, in.Tier())
	report(w, ways, rows)
	return nil
}

func sum(xs []float64) (s float64) {
	for _, x := range xs {
		s += x
	}
	return s
}

// report prints the median of the processor time of each way, and of its ratios to the native loop
// of the same round.
func report(w io.Writer, ways []way, rows int) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tCPU ms\tns a row\tof native\t\n")
	for _, x := range ways {
		ratios := make([]float64, len(x.took))
		for i := range ratios {
			ratios[i] = float64(x.took[i]) / float64(max(ways[0].took[i], 1))
		}
		d := median(x.took)
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.2f\t\n", x.name, float64(d)/1e6, float64(d)/float64(rows), median(ratios))
	}
	t.Flush()
}

func median[T time.Duration | float64](xs []T) T {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}
