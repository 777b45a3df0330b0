// Command gascal measures what operations cost and compares that with the gas
// table.
//
//	go run ./internal/cmd/gascal            every operation of the IR, then what runtime functions cost
//	go run ./internal/cmd/gascal -only RE   those whose names match
//	go run ./internal/cmd/gascal -json F    writes the measurements to a file as well
//	go run ./internal/cmd/gascal -from F    checks such a file instead of measuring
//	go run ./internal/cmd/gascal -md        prints tables as docs/gas.md has them
//	go run ./internal/cmd/gascal -factor 3  tolerates more, on a busy machine
//
// An operation's time is the difference between a loop with 32 copies of it
// and one with 64, so that the loop itself, its charge and its phis drop out.
// The two take turns for 50 and 100 µs each within one run, several hundred
// times, and the shortest time of each counts: others on the machine do not
// matter. What allocates is measured by the processor time of whole runs with
// their collections, half of them with 300,000 objects alive. What can wait for
// the one before it is measured both with and without that, and the mean taken.
// What cannot stand alone is measured together with an exclusive or that uses its
// result, whose time is subtracted. A runtime function is measured as a statement
// in a loop of a Go program, less an empty loop; the gas beside it is what the
// statement was charged in all.
//
// Prices must be proportional to times within a factor of two: "of median" is the quotient of an operation's
// nanoseconds a unit and the median of all operations. The verdict says whether it is within ½ … 2, and if not, why
// it may be; the exit status is 1 if an operation is out of proportion. Statements without a runtime function behind
// them have no price of their own; they show what the sum over ordinary code comes to, after the optimiser.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/tools/measure"
)

// A row is one measurement.
type row struct {
	Name string  `json:"name"`
	NS   float64 `json:"ns"`    // of one execution
	Gas  float64 `json:"units"` // charged for it
	Fix  string  `json:"fix,omitempty"`

	Stmt bool   `json:"statement,omitempty"` // a statement of Go
	Call string `json:"call,omitempty"`      // the function of gas.Calls that it is about, if it is about one
}

func (r *row) perUnit() float64 { return r.NS / r.Gas }

var (
	only    = flag.String("only", "", "measure what matches the regular expression `RE`")
	out     = flag.String("json", "", "write the measurements to a `file`")
	rounds  = flag.Int("rounds", 3, "runs of each pair of loops, of 200 turns")
	from    = flag.String("from", "", "check the measurements of a `file` that -json wrote")
	md      = flag.Bool("md", false, "print Markdown")
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

// A calibration is what -json writes.
type calibration struct {
	Table      int     `json:"table"`
	Date       string  `json:"date"`
	CPU        string  `json:"cpu"`
	Go         string  `json:"go"`
	NSPerUnit  float64 `json:"nsPerUnit"` // median of the operations
	Operations []row   `json:"operations"`
	Statements []row   `json:"statements"`
}

func run(re *regexp.Regexp) error {
	if *factor < 1 {
		return fmt.Errorf("-factor %g: a factor is at least 1", *factor)
	}
	var c calibration
	var err error
	if *from != "" {
		c, err = readCalibration(*from, re)
	} else {
		c, err = measureAll(re)
	}
	if err != nil {
		return err
	}
	fmt.Printf("gas table %d, %s, %s, %s, %.2f ns a unit in the median\n\n", c.Table, c.CPU, c.Go, c.Date, c.NSPerUnit)
	bad := printTable(os.Stdout, "operation", c.Operations, c.NSPerUnit) +
		printTable(os.Stdout, "statement", c.Statements, c.NSPerUnit)
	if *out != "" {
		data, err := json.MarshalIndent(&c, "", "\t")
		if err == nil {
			err = os.WriteFile(*out, append(data, '\n'), 0o666)
		}
		if err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d prices are not proportional to the time within a factor of %g", bad, *factor)
	}
	return nil
}

func measureAll(re *regexp.Regexp) (c calibration, err error) {
	c = calibration{Table: gas.Version, Date: time.Now().UTC().Format(time.DateOnly), CPU: measure.CPUModel(),
		Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	if c.Operations, err = measureOps(re); err != nil {
		return c, err
	}
	if c.Statements, err = measureStatements(re); err != nil {
		return c, err
	}
	c.NSPerUnit = medianPerUnit(c.Operations)
	if len(c.Operations) == 0 {
		c.NSPerUnit = medianPerUnit(c.Statements)
	}
	for i := range c.Statements {
		r := &c.Statements[i]
		r.Stmt = true
		if r.Call != "" {
			want := gas.Call(r.Call) + int64(r.NS/c.NSPerUnit-r.Gas+0.5)
			r.Fix = fmt.Sprintf("%s %d → %d", r.Call, gas.Call(r.Call), max(want, 0))
		}
	}
	return c, nil
}

// readCalibration reads a file that -json wrote.
func readCalibration(name string, re *regexp.Regexp) (c calibration, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	for _, rows := range []*[]row{&c.Operations, &c.Statements} {
		*rows = slices.DeleteFunc(*rows, func(r row) bool { return !re.MatchString(r.Name) })
	}
	return c, nil
}

func medianPerUnit(rows []row) float64 {
	if len(rows) == 0 {
		return 1
	}
	s := slices.Clone(rows)
	slices.SortFunc(s, func(a, b row) int { return cmp.Compare(a.perUnit(), b.perUnit()) })
	return s[len(s)/2].perUnit()
}

// printTable prints rows and returns how many are out of proportion.
func printTable(out io.Writer, title string, rows []row, median float64) (bad int) {
	if len(rows) == 0 {
		return 0
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if *md {
		fmt.Fprintf(out, "| %s | ns | units | of median | verdict |\n|---|---|---|---|---|\n", title)
	} else {
		fmt.Fprintf(w, "%s\tns\tunits\tns/unit\tof median\tverdict\t\t\n", title)
	}
	for _, r := range rows {
		q := r.perUnit() / median
		v, ok := verdict(&r, q)
		if !ok {
			bad++
		}
		if *md {
			fmt.Fprintf(out, "| %s | %.2f | %.2f | %.2f | %s |\n", r.Name, r.NS, r.Gas, q, v)
		} else {
			fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%s\t\n", r.Name, r.NS, r.Gas, r.perUnit(), q, v, r.Fix)
		}
	}
	w.Flush()
	fmt.Fprintln(out)
	return bad
}

// verdict says whether a row that takes q times as long as its price says is
// within the factor, and if not, whether and why that is allowed.
func verdict(r *row, q float64) (text string, ok bool) {
	if q >= 1 / *factor && q <= *factor {
		return "ok", true
	}
	if why := exception(r, q); why != "" {
		return why, true
	}
	if r.Stmt && r.Call == "" {
		return "a sum", true
	}
	return "OUT", false
}

// exceptions are the rows that may cost less, or more, than their price says.
var exceptions = []struct {
	re    *regexp.Regexp
	cheap bool
	why   string
}{
	{regexp.MustCompile(`^(moven|clearn) `), true, "priced between cache and memory"},
}

// exception returns why a row is out of proportion, or nothing.
func exception(r *row, q float64) string {
	if r.NS < 0.3 {
		return "no instruction of its own here"
	}
	for _, e := range exceptions {
		if e.re.MatchString(r.Name) && e.cheap == (q < 1) {
			return e.why
		}
	}
	return ""
}
