// Command gascal measures what operations cost and compares that with the gas
// table.
//
//	go run ./internal/cmd/gascal            every operation of the IR, then what runtime functions cost
//	go run ./internal/cmd/gascal -only RE   those whose names match
//	go run ./internal/cmd/gascal -json F    writes the measurements to a file as well
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
// Prices must be proportional to times within a factor of two: "of median" is
// the quotient of an operation's nanoseconds a unit and the median of all
// operations. A price outside of ½ … 2 is marked, and the exit status is 1 if there
// is one. Statements without a runtime function behind them have no price of their
// own; they show what the sum over ordinary code comes to, after the optimiser.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/gas"
)

// A row is one measurement.
type row struct {
	Name string  `json:"name"`
	NS   float64 `json:"ns"`    // of one execution
	Gas  float64 `json:"units"` // charged for it
	Fix  string  `json:"fix,omitempty"`

	call string // the function of gas.Calls that a Go statement is about
}

func (r *row) perUnit() float64 { return r.NS / r.Gas }

var (
	only    = flag.String("only", "", "measure what matches the regular expression `RE`")
	out     = flag.String("json", "", "write the measurements to a `file`")
	rounds  = flag.Int("rounds", 3, "runs of each pair of loops, of 200 turns")
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
	ops, err := measureOps(re)
	if err != nil {
		return err
	}
	stmts, err := measureStatements(re)
	if err != nil {
		return err
	}
	median := medianPerUnit(ops)
	if len(ops) == 0 {
		median = medianPerUnit(stmts)
	}
	for i := range stmts {
		if r := &stmts[i]; r.call != "" {
			want := gas.Call(r.call) + int64(r.NS/median-r.Gas+0.5)
			r.Fix = fmt.Sprintf("%s %d → %d", r.call, gas.Call(r.call), max(want, 0))
		}
	}
	fmt.Printf("gas table %d, %s, %s %s/%s, %.2f ns a unit in the median\n\n", gas.Version, cpuModel(), runtime.Version(), runtime.GOOS, runtime.GOARCH, median)
	bad := printTable("operation", ops, median) + printTable("statement", stmts, median)
	if *out != "" {
		data, err := json.MarshalIndent(map[string]any{
			"table": gas.Version, "date": time.Now().UTC().Format(time.DateOnly), "cpu": cpuModel(), "go": runtime.Version(),
			"nsPerUnit": median, "operations": ops, "statements": stmts,
		}, "", "\t")
		if err == nil {
			err = os.WriteFile(*out, append(data, '\n'), 0o666)
		}
		if err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d prices are not proportional to the time within a factor of two", bad)
	}
	return nil
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
func printTable(title string, rows []row, median float64) (bad int) {
	if len(rows) == 0 {
		return 0
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tns\tunits\tns/unit\tof median\t\t\n", title)
	for _, r := range rows {
		q, mark := r.perUnit()/median, ""
		if q < 0.5 || q > 2 {
			if mark = exception(&r, q); mark == "" && (title != "statement" || r.call != "") {
				bad++
				mark = "!"
			}
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%s\n", r.Name, r.NS, r.Gas, r.perUnit(), q, mark, r.Fix)
	}
	w.Flush()
	fmt.Println()
	return bad
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

func cpuModel() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown processor"
}
