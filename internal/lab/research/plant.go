package research

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A measurement that cannot see a difference cannot judge. So the calibration plants a slow-down
// that it should see. It adds work to the loop of the base's benchmark, by an overlay of the
// benchmark's file, and measures the result beside the base. The rules that judge candidates must
// then find the base better, for each objective and each guard that a benchmark gives. Other
// sources are programs without a known place for more work, so nothing is planted there.

// A Planted is the result of a planted slow-down for one metric. The event "planted" has a list of
// them.
type Planted struct {
	Metric string `json:"metric"`
	Size   string `json:"size"` // what was added, in the metric's unit
	Seen   bool   `json:"seen"`
	Effect string `json:"effect,omitempty"` // what was measured
	Reason string `json:"reason,omitempty"` // why nothing was planted
}

func (p Planted) String() string {
	switch {
	case p.Reason != "":
		return fmt.Sprintf("%s: no slow-down planted: %s", p.Metric, p.Reason)
	case p.Seen:
		return fmt.Sprintf("%s: a planted %s is seen (%s)", p.Metric, p.Size, p.Effect)
	}
	return fmt.Sprintf("%s: a planted %s is not seen (%s): changes of that size are missed", p.Metric, p.Size, p.Effect)
}

// Planted is the list of the last calibration.
func (s *Session) Planted() []Planted { return s.state.planted }

// A load is added to each iteration of a benchmark's loop.
type load struct {
	allocs, bytes int     // number of objects, and the size of one more; 0: none
	ns            float64 // time
}

// plants has the units that a load can increase.
var plants = map[string]func(l *load, amount float64){
	"allocs/op": func(l *load, amount float64) { l.allocs = int(math.Ceil(amount)) },
	"B/op":      func(l *load, amount float64) { l.bytes = int(math.Ceil(amount)) },
	"ns/op":     func(l *load, amount float64) { l.ns = max(l.ns, amount) },
	cpuPerOp:    func(l *load, amount float64) { l.ns = max(l.ns, amount) },
}

// plant measures planted slow-downs and logs whether they were seen.
func (s *Session) plant(ctx context.Context) error {
	list := []Planted{}
	if s.config.Statistics.Plant.Value > 0 {
		for _, src := range s.config.sources() {
			if src.from != "gobench" {
				continue
			}
			var err error
			if list, err = s.plantSource(ctx, src, list); err != nil {
				return err
			}
		}
	}
	reason := ""
	for _, p := range list {
		if !p.Seen && p.Reason == "" {
			reason = p.String()
			s.printf("%s", reason)
		}
	}
	return s.event("planted", reason, list)
}

// plantSource plants slow-downs into one benchmark, for all its metrics at once.
func (s *Session) plantSource(ctx context.Context, src *source, list []Planted) ([]Planted, error) {
	var metrics []*Metric
	var sizes []string
	var l load
	for _, m := range src.metrics {
		add, least := plants[m.Unit], m.MinEffect
		if m.Goal == "" && m.Guard != nil && m.Guard.MaxRegression != nil {
			least = *m.Guard.MaxRegression
		} else if m.Goal == "" && m.part == "" {
			continue
		}
		if add == nil || m.Bench == "" || m.Goal == "max" || m.part == "max" {
			continue
		}
		// Twice the least effect or loss that must be noticed, or the config's part if that is
		// more.
		value := s.state.calibration.Values[m.Name]
		amount := max(2*least.of(value), s.config.Statistics.Plant.of(value))
		if m.Unit != "ns/op" && m.Unit != cpuPerOp {
			amount = max(math.Ceil(amount), 1)
		}
		if amount == 0 {
			continue
		}
		add(&l, amount)
		metrics, sizes = append(metrics, m), append(sizes, fmt.Sprintf("%s %s", number(amount), m.Unit))
	}
	if len(metrics) == 0 {
		return list, nil
	}
	c := &subject{side: s.candidate, commit: s.state.tip, tree: s.parentTree, judged: s.parentTree,
		parentCommit: s.state.tip, parentTree: s.parentTree,
		settings: s.state.settings, parentSet: s.state.settings}
	if err := s.bothSides(ctx, c); err != nil {
		return list, err
	}
	defer func() { s.candidate.tree = "" }() // the binaries there must not be reused
	reason, err := s.buildPlanted(ctx, src.metrics[0], l)
	if err != nil {
		return list, err
	}
	if reason != "" {
		for _, m := range metrics {
			list = append(list, Planted{Metric: m.Name, Reason: reason})
		}
		return list, nil
	}
	decisions, err := s.judgePlanted(ctx, c, src, metrics)
	if bad := (*sampleError)(nil); errors.As(err, &bad) {
		return list, fmt.Errorf("the base with a planted slow-down cannot be measured: %s", bad.msg)
	}
	if err != nil {
		return list, err
	}
	for i, m := range metrics {
		d := decisions[i]
		list = append(list, Planted{Metric: m.Name, Size: sizes[i], Seen: d.gains,
			Effect: "the base is " + effect(d.stats[m.Name])})
	}
	return list, nil
}

// judgePlanted takes pairs until each metric has been judged as if it were alone. The planted
// program is the parent, the base the candidate.
func (s *Session) judgePlanted(ctx context.Context, c *subject, src *source, metrics []*Metric) ([]decision, error) {
	decisions := make([]decision, len(metrics))
	taken := pairs{}
	for {
		want := false
		for i, m := range metrics {
			config := &Config{Metrics: []Metric{alone(m)}, Statistics: s.config.Statistics}
			config.Statistics.Confirm = new(bool) // once is enough
			j := &judgement{config: config, classes: s.classes()}
			decisions[i] = j.decide(taken)
			want = want || decisions[i].want != ""
		}
		if !want {
			return decisions, nil
		}
		x, err := s.takePair(ctx, c, ledger.StagePlant, len(taken[ledger.StageMeasure])+1, []*source{src})
		if err != nil {
			return nil, err
		}
		taken[ledger.StageMeasure] = append(taken[ledger.StageMeasure], pair{parent: x.candidate, candidate: x.parent})
	}
}

// alone is a metric as the only objective. A guard's least effect is the loss that it allows, a
// sub-benchmark's that of its metric.
func alone(m *Metric) Metric {
	x := *m
	if x.Goal == "" && m.Guard == nil {
		x.Goal = m.part
	} else if x.Goal == "" {
		x.Goal, x.MinEffect = "min", *m.Guard.MaxRegression
	}
	x.Guard = nil
	return x
}

// buildPlanted builds the candidate side's test binary with a load in the benchmark's loop. If it
// cannot, it returns the reason.
func (s *Session) buildPlanted(ctx context.Context, m *Metric, l load) (reason string, err error) {
	d := s.candidate
	files, err := plantFiles(filepath.Join(d.wt.Dir, m.Pkg), m.Bench, l)
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "no loop over b.N or b.Loop() in " + m.Bench, nil
	}
	flag, err := s.overlay("plant", files)
	if err != nil {
		return "", err
	}
	b, err := s.runner.build(ctx, d, m.Pkg, nil, flag)
	if bad := (*sampleError)(nil); errors.As(err, &bad) {
		return bad.msg, nil
	}
	d.built[m.Pkg] = b
	return "", err
}

// plantedFile is the name of the file with the load.
const plantedFile = "zz_research_plant_test.go"

// plantedSource is the text of that file. The package, objects, bytes and nanoseconds are filled
// in. The program measures at its start how many rounds of the empty loop take the time.
const plantedSource = `package %s

import researchTime "time"

var (
	researchObject *[8]byte
	researchBytes  []byte
	researchSpun   uint64
	researchTurns  int
)

func init() {
	const turns = 1 << 21
	start := researchTime.Now()
	researchSpin(turns)
	researchTurns = int(%v * turns / float64(researchTime.Since(start)))
}

func researchSpin(turns int) {
	x := researchSpun
	for i := 0; i < turns; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	researchSpun = x
}

func researchPlant() {
	for i := 0; i < %d; i++ {
		researchObject = new([8]byte)
	}
	if n := %d; n > 0 {
		researchBytes = make([]byte, n)
	}
	researchSpin(researchTurns)
}
`

// plantFiles are the files that an overlay replaces, in a package's directory, to add a load to a
// benchmark's loops. It has none if the benchmark has no loops.
func plantFiles(dir, bench string, l load) (map[string]string, error) {
	name, _, _ := strings.Cut(bench, "/")
	name = "Benchmark" + strings.TrimPrefix(name, "Benchmark")
	list, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports the error
		}
		var at []int
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name && fn.Body != nil {
				at = benchLoops(fset, fn.Body)
			}
		}
		if len(at) == 0 {
			continue
		}
		out := string(text)
		for _, i := range slices.Backward(at) {
			out = out[:i] + " researchPlant();" + out[i:]
		}
		return map[string]string{file: out, filepath.Join(dir, plantedFile): fmt.Sprintf(plantedSource, f.Name.Name, l.ns,
			l.allocs, l.bytes)}, nil
	}
	return nil, nil
}

// benchLoops are the offsets after the opening braces of the loops by which a benchmark is
// measured.
func benchLoops(fset *token.FileSet, body *ast.BlockStmt) (at []int) {
	measured := func(e ast.Expr) (is bool) {
		if e == nil {
			return false
		}
		ast.Inspect(e, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			is = is || ok && slices.Contains([]string{"N", "Loop", "Next"}, sel.Sel.Name)
			return !is
		})
		return is
	}
	ast.Inspect(body, func(n ast.Node) bool {
		var block *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			if measured(n.Cond) {
				block = n.Body
			}
		case *ast.RangeStmt:
			if measured(n.X) {
				block = n.Body
			}
		}
		if block != nil {
			at = append(at, fset.Position(block.Lbrace).Offset+1)
		}
		return true
	})
	return at
}
