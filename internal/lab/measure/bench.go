package measure

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
)

// A BenchResult is one line of a Go benchmark.
type BenchResult struct {
	Name   string // as printed, without Benchmark: "ProduceBlock/100_txs-8"
	N      int    // iterations
	Values []BenchValue
}

// A BenchValue is a value with its unit as printed. The unit is the testing package's ("ns/op") or
// a benchmark's own (ReportMetric).
type BenchValue struct {
	Value float64
	Unit  string
}

// Value finds the value of a unit. A unit that was printed twice has none, since either value could
// be meant.
func (r *BenchResult) Value(unit string) (float64, bool) {
	value, found := 0.0, false
	for _, v := range r.Values {
		if v.Unit == unit {
			if found {
				return 0, false
			}
			value, found = v.Value, true
		}
	}
	return value, found
}

// Base is the name without the number of processors.
func (r *BenchResult) Base() string {
	base := r.Name
	if _, parts := benchfmt.Name(r.Name).Parts(); len(parts) > 0 {
		if last := string(parts[len(parts)-1]); strings.HasPrefix(last, "-") {
			base = strings.TrimSuffix(base, last)
		}
	}
	return base
}

// A BenchOutput is the output of a test binary.
type BenchOutput struct {
	Results []BenchResult
	// Passed: the last word of the test binary is PASS. A binary that called os.Exit or failed does
	// not print it.
	Passed bool
}

// ReadBench reads the output of a test binary, or of go test, with benchmarks. It skips lines that
// are not a benchmark's. A line that begins as a benchmark's and is malformed is an error, and so
// is a value that is not finite. All lines of one benchmark are kept, in their order. A caller that
// needs exactly one uses One, which reports duplicates.
func ReadBench(r io.Reader) (*BenchOutput, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	out := &BenchOutput{}
	lines := bytes.Split(data, []byte("\n"))
	reader := benchfmt.NewReader(bytes.NewReader(data), "output")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			_, number := rec.Pos()
			if !isBenchName(rec.Name) {
				continue
			}
			res := BenchResult{Name: rec.Name.String(), N: rec.Iters}
			if rec.Iters < 1 {
				return nil, fmt.Errorf("line %d: %d iterations", number, rec.Iters)
			}
			for _, v := range rec.Values {
				value := BenchValue{v.Value, v.Unit}
				if v.OrigUnit != "" {
					value = BenchValue{v.OrigValue, v.OrigUnit}
				}
				if math.IsInf(value.Value, 0) || math.IsNaN(value.Value) {
					return nil, fmt.Errorf("line %d: %v %s", number, value.Value, value.Unit)
				}
				res.Values = append(res.Values, value)
			}
			out.Results = append(out.Results, res)
		case *benchfmt.SyntaxError:
			if name, ok := bytes.CutPrefix(lines[rec.Line-1], []byte("Benchmark")); ok && isBenchName(name) {
				return nil, fmt.Errorf("line %d: %s", rec.Line, rec.Msg)
			}
		}
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		switch text := bytes.TrimRight(line, "\r\n"); {
		case bytes.Equal(text, []byte("PASS")):
			out.Passed = true
		case bytes.Equal(text, []byte("FAIL")) || bytes.HasPrefix(text, []byte("FAIL\t")) ||
			bytes.HasPrefix(text, []byte("--- FAIL:")):
			out.Passed = false
			return out, nil
		}
	}
	return out, nil
}

// isBenchName reports whether the word after Benchmark can be a benchmark's name. A sentence may
// begin with "Benchmarking", too.
func isBenchName(name []byte) bool {
	r, _ := utf8.DecodeRune(name)
	return len(name) == 0 || !unicode.IsLower(r)
}

// One is the only result of a benchmark. The name is that of go test -bench without the number of
// processors. It is an error if the output has none or more than one.
func (o *BenchOutput) One(name string) (*BenchResult, error) {
	name = strings.TrimPrefix(name, "Benchmark")
	var found *BenchResult
	for i := range o.Results {
		if r := &o.Results[i]; r.Name == name || r.Base() == name {
			if found != nil {
				return nil, fmt.Errorf("benchmark %s is printed more than once", name)
			}
			found = r
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no result of benchmark %s", name)
	}
	return found, nil
}
