// Command scale simulates a chain (docs/chain.md) or a pipeline (docs/stream.md) that is larger than
// what was measured, from the measured costs of its units, and says where it bends: the rate beyond
// which throughput does not grow, the resource that is used most there, and the rate from which the
// latency grows.
//
//	go run . chain -contracts 10,100,1000
//	go run . stream -keys 1000,1000000 -workers 1,10,100
//	go run . stream -h
//
// A configuration and a seed have one result, on every machine. Costs are in costs.json, which is a part
// of the command; -costs takes another file, which has only what differs. docs/scale.md has the
// measurements, and says how far the simulation was off.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

//go:embed costs.json
var measured []byte

// Costs are those of all units.
type Costs struct {
	Chain  ChainCosts  `json:"chain"`
	Stream StreamCosts `json:"stream"`
}

// readCosts returns the measured costs, with what a file has in their place.
func readCosts(file string) (c Costs, err error) {
	texts := []struct {
		name string
		text []byte
	}{{"costs.json", measured}}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return c, err
		}
		texts = append(texts, struct {
			name string
			text []byte
		}{file, text})
	}
	for _, t := range texts {
		d := json.NewDecoder(bytes.NewReader(t.text))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			return c, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return c, nil
}

// A Report is the result for a configuration.
type Report struct {
	Config any `json:"config"`
	Bend
	Need map[string]float64 `json:"need"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

const usage = "usage: scale chain|stream [flags]; scale chain -h and scale stream -h tell the flags"

func run(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	f := flag.NewFlagSet("scale "+args[0], flag.ContinueOnError)
	f.SetOutput(io.Discard)
	from := f.Float64("from", 10, "lowest `rate` of arrivals a second")
	file := f.String("costs", "", "`file` with other costs, as JSON")
	asJSON := f.Bool("json", false, "print everything as JSON")
	ladder := f.Bool("ladder", false, "print each rate that was tried")
	var simulate func(u *Costs) ([]Report, error)
	switch args[0] {
	case "chain":
		simulate = chainFlags(f, from)
	case "stream":
		simulate = streamFlags(f, from)
	case "-h", "-help", "--help", "help":
		fmt.Fprintln(stdout, usage)
		return nil
	default:
		return fmt.Errorf("no model %q; %s", args[0], usage)
	}
	if err := f.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		f.SetOutput(stdout)
		f.PrintDefaults()
		return nil
	} else if err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if !(*from > 0) {
		return fmt.Errorf("-from is %v, and has to be above 0", *from)
	}
	u, err := readCosts(*file)
	if err != nil {
		return err
	}
	reports, err := simulate(&u)
	if err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(reports)
	}
	show(stdout, reports, *ladder)
	return nil
}

func chainFlags(f *flag.FlagSet, from *float64) func(u *Costs) ([]Report, error) {
	var c Chain
	contracts := f.String("contracts", "10,100,1000", "`numbers` of contracts that are called")
	f.IntVar(&c.Programs, "programs", 0, "`number` of different programs; 0: each contract has its own")
	f.IntVar(&c.Live, "live", 1000, "`number` of instances that stay open (Options.MaxLive)")
	f.Float64Var(&c.Skew, "skew", 0, "contract n is called as often as 1/n^`skew`")
	f.BoolVar(&c.InTurn, "in-turn", false, "contracts are called one after the other, and not at random")
	f.IntVar(&c.Block, "block", 11_000, "`number` of transactions that fit into a block: block_gas by the gas that one asks for")
	f.IntVar(&c.Mempool, "mempool", 5000, "`number` of transactions that may wait (CometBFT's mempool.size)")
	f.Float64Var(&c.Wait, "wait", 1000, "least `milliseconds` from one block to the next (CometBFT's timeout_commit)")
	f.Float64Var(&c.Round, "round", 200, "`milliseconds` of consensus for a block")
	f.IntVar(&c.Processors, "processors", 2, "`number` of processors of a node")
	f.Float64Var(&c.Seconds, "seconds", 60, "simulated `seconds`")
	f.Uint64Var(&c.Seed, "seed", 1, "`seed` of arrivals")
	return func(u *Costs) (reports []Report, err error) {
		numbers, err := list("contracts", *contracts)
		for _, c.Contracts = range numbers {
			if err := c.check(); err != nil {
				return nil, err
			}
			reports = append(reports, Report{c, findBend(*from, func(rate float64) Result { return c.run(&u.Chain, rate) }), c.need(&u.Chain)})
		}
		return reports, err
	}
}

func streamFlags(f *flag.FlagSet, from *float64) func(u *Costs) ([]Report, error) {
	var c Stream
	keys := f.String("keys", "1000,1000000", "`numbers` of keys")
	workers := f.String("workers", "1,10,100", "`numbers` of workers")
	f.IntVar(&c.Partitions, "partitions", 0, "`number` of partitions; 0: four for each worker")
	f.IntVar(&c.Batch, "batch", 512, "largest `number` of messages of a commit")
	f.IntVar(&c.Snapshots, "snapshots", 256, "`number` of commits after which a snapshot is written")
	f.Float64Var(&c.Payload, "payload", 1024, "largest message of the servers in `KiB` (max_payload)")
	f.Float64Var(&c.Lease, "lease", 10, "`seconds` of a lease")
	f.IntVar(&c.Processors, "processors", 2, "`number` of processors of each worker and each server")
	f.BoolVar(&c.Shared, "shared", false, "one machine with these processors has all workers and servers")
	f.BoolVar(&c.Stored, "stored", false, "the input is stored already, which costs the servers nothing")
	f.Float64Var(&c.Memory, "memory", 64, "limit of a partition's memory in `MiB` (-mem)")
	f.Float64Var(&c.Seconds, "seconds", 10, "simulated `seconds`")
	f.Uint64Var(&c.Seed, "seed", 1, "`seed` of arrivals")
	return func(u *Costs) (reports []Report, err error) {
		ks, err := list("keys", *keys)
		ws, err2 := list("workers", *workers)
		for _, c.Keys = range ks {
			for _, c.Workers = range ws {
				if err := c.check(); err != nil {
					return nil, err
				}
				reports = append(reports, Report{c, findBend(*from, func(rate float64) Result { return c.run(&u.Stream, rate) }), c.need(&u.Stream)})
			}
		}
		return reports, errors.Join(err, err2)
	}
}

// list reads numbers with commas between them.
func list(name, text string) (numbers []int, err error) {
	for t := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(t))
		if err != nil {
			return nil, fmt.Errorf("-%s: %q is no number", name, t)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// show prints reports as tables.
func show(out io.Writer, reports []Report, ladder bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...any) {
		for _, c := range cells {
			fmt.Fprint(w, c, "\t")
		}
		fmt.Fprintln(w)
	}
	heads := []any{"capacity", "resource", "served up to", "latency bends", "at twice as much", "half way: P50 ms", "P99 ms"}
	for _, r := range reports {
		switch c := r.Config.(type) {
		case Chain:
			if r.Config == reports[0].Config {
				row(append([]any{"contracts"}, heads...)...)
			}
			row(append([]any{c.Contracts}, summary(r.Bend)...)...)
		case Stream:
			if r.Config == reports[0].Config {
				row(append([]any{"keys", "workers", "partitions"}, heads...)...)
			}
			row(append([]any{c.Keys, c.Workers, c.partitions()}, summary(r.Bend)...)...)
		}
	}
	w.Flush()
	for _, r := range reports {
		fmt.Fprintf(out, "\n%+v\n", r.Config)
		for _, name := range slices.Sorted(maps.Keys(r.Need)) {
			fmt.Fprintf(out, "  %s: %s\n", name, number(r.Need[name]))
		}
		if !ladder {
			continue
		}
		row("rate", "throughput", "P50 ms", "P99 ms", "use and work")
		for _, l := range r.Ladder {
			row(number(l.Rate), number(l.Throughput), number(l.P50), number(l.P99), values(l.Use)+"; "+values(l.Work))
		}
		w.Flush()
	}
}

func summary(b Bend) []any {
	half := b.Ladder[0]
	for _, l := range b.Ladder {
		if l.Rate <= b.Capacity/2 {
			half = l
		}
	}
	or := func(rate float64) string {
		if rate == 0 {
			return "-"
		}
		return number(rate)
	}
	return []any{number(b.Capacity), b.Resource, or(b.Served), or(b.Latency), number(b.Overload), number(half.P50), number(half.P99)}
}

// number writes a number with three digits that count.
func number(x float64) string {
	if x == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-2)
	return strconv.FormatFloat(math.Round(x/unit)*unit, 'f', max(0, -int(math.Floor(math.Log10(unit)))), 64)
}

func values(m map[string]float64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, name+" "+number(m[name]))
	}
	return strings.Join(list, ", ")
}
