package opt

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

func f64bits(x float64) int64 { return int64(math.Float64bits(x)) }
func f32bits(x float64) int64 { return int64(math.Float32bits(float32(x))) }

// observe runs the last function of a module and returns everything observable.
func observe(m *ir.Module, args []int64, limit int64, allocs bool) (text string, gas int64, st string) {
	mc := newMachine(m)
	if limit >= 0 {
		mc.limit = limit
	}
	for _, a := range args { // equal for the programs that are compared
		mc.quantum += 16 * (a & 7) * (a & 7)
	}
	f := m.Func(m.NumFuncs() - 1)
	out := mc.run(f, 0, args)
	var b strings.Builder
	for _, e := range mc.trace {
		if !allocs && strings.HasPrefix(e, "new ") {
			continue
		}
		b.WriteString(e)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s", out.status)
	if out.status == "ok" {
		for i, x := range out.vals {
			if f.Sig.Results[i].IsFloat() && isNaN(f.Sig.Results[i], x) {
				b.WriteString(" nan")
				continue
			}
			fmt.Fprintf(&b, " %d", x)
		}
	}
	if out.status != "gas" {
		fmt.Fprintf(&b, " gas %d", mc.gas)
		h := uint64(1)
		for _, c := range mc.mem[globalBase : globalBase+globalSize] {
			h = h*31 + uint64(c)
		}
		fmt.Fprintf(&b, " mem %x", h)
	}
	return b.String(), mc.gas, out.status
}

func isNaN(t ir.Type, x int64) bool {
	if t == ir.F32 {
		f := math.Float32frombits(uint32(x))
		return f != f
	}
	f := math.Float64frombits(uint64(x))
	return f != f
}

func randomArgs(rng *rand.Rand, f *ir.Func) []int64 {
	args := make([]int64, len(f.Sig.Params))
	for i, t := range f.Sig.Params {
		switch {
		case t == ir.Ptr:
			if rng.Intn(3) > 0 {
				args[i] = globalBase + int64(rng.Intn(64))*8
			}
		case t == ir.F64:
			args[i] = f64bits(rng.NormFloat64() * 100)
		case t == ir.F32:
			args[i] = f32bits(rng.NormFloat64() * 100)
		case rng.Intn(2) == 0:
			args[i] = ir.TruncConst(t, int64(rng.Intn(20)-4))
		default:
			args[i] = ir.TruncConst(t, int64(rng.Uint64()))
		}
	}
	return args
}

// differ runs a module before and after a transformation, on several arguments
// and gas limits, and returns a description of the first difference.
func differ(seed int64, allocs bool, transform func(*ir.Module, *Options) error) (report string) {
	m := generate(seed, allocs)
	for _, f := range m.Funcs()[1:] {
		if f.Entry == nil {
			continue
		}
		if err := ir.Verify(f); err != nil {
			return "generator: " + err.Error() + "\n" + f.String()
		}
	}
	before := printModule(m)
	old, err := ir.ParseModule(before)
	if err != nil {
		return err.Error()
	}
	defer func() {
		if r := recover(); r != nil {
			report = fmt.Sprintf("panic: %v\n%s\n", r, before)
			panic(report)
		}
	}()
	if err := transform(m, &Options{Verify: true}); err != nil {
		return err.Error() + "\n" + before + "\nafter\n" + printModule(m)
	}
	rng := rand.New(rand.NewSource(seed + 1))
	for k := 0; k < 6; k++ {
		args := randomArgs(rng, m.Func(m.NumFuncs()-1))
		limit := int64(-1)
		a, gas, st := observe(old, args, -1, false)
		if st == "steps" {
			// Too long to finish: compare up to a gas limit that it reaches.
			if gas < 10 {
				continue
			}
			limit = gas / 2
			a, _, st = observe(old, args, limit, false)
			if st == "steps" {
				continue
			}
		}
		b, _, stb := observe(m, args, limit, false)
		if stb == "steps" && st != "steps" {
			continue
		}
		if a != b {
			return fmt.Sprintf("arguments %v limit %d\n%s\nbefore\n%s\nafter\n%s\nwant\n%s\ngot\n%s", args, limit, blame(before, args, limit, a, transform), before, printModule(m), a, b)
		}
		if gas > 0 && limit < 0 {
			limit = rng.Int63n(gas)
			a, _, _ := observe(old, args, limit, false)
			b, _, _ := observe(m, args, limit, false)
			if a != b {
				return fmt.Sprintf("arguments %v limit %d\n%s\nbefore\n%s\nafter\n%s\nwant\n%s\ngot\n%s", args, limit, blame(before, args, limit, a, transform), before, printModule(m), a, b)
			}
		}
	}
	return ""
}

// blame runs the transformation again and names the first pass after which the outcome differs.
func blame(text string, args []int64, limit int64, want string, transform func(*ir.Module, *Options) error) (report string) {
	m, err := ir.ParseModule(text)
	if err != nil {
		return err.Error()
	}
	n := 0
	last := map[*ir.Func]string{}
	defer func() {
		if r := recover(); r != nil && report == "" {
			report = fmt.Sprint("blame: ", r)
		}
	}()
	cfg := &Options{Dump: func(pass string, f *ir.Func) {
		n++
		got, _, _ := observe(m, args, limit, false)
		if report == "" && got != want {
			report = fmt.Sprintf("pass %d, %s, changed the outcome of %s from\n%sto\n%s", n, pass, f.Name, last[f], f)
			panic("found")
		}
		last[f] = f.String()
	}}
	transform(m, cfg)
	return report
}

func printModule(m *ir.Module) string {
	var b strings.Builder
	ir.Print(&b, m)
	return b.String()
}

// fail writes a report to a file and shows the end of it, the two traces.
func fail(t *testing.T, seed int64, report string) {
	t.Helper()
	name := filepath.Join(os.TempDir(), fmt.Sprintf("gyr-opt-%s-%d.txt", strings.ReplaceAll(t.Name(), "/", "-"), seed))
	os.WriteFile(name, []byte(report), 0o666)
	if len(report) > 1500 {
		report = report[:300] + "\n...\n" + report[len(report)-1200:]
	}
	t.Fatalf("seed %d: see %s\n%s", seed, name, report)
}

func rounds(t *testing.T, n int) int {
	if s := os.Getenv("GYR_OPT_ROUNDS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if testing.Short() {
		n /= 4
	}
	return n
}

func firstSeed() int64 {
	n, _ := strconv.ParseInt(os.Getenv("GYR_OPT_SEED"), 10, 64)
	return n
}

// TestPassesKeepMeaning runs each pass alone on random functions.
func TestPassesKeepMeaning(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range [][]pass{cleanup, phaseB} {
		for _, p := range list {
			if seen[p.name] {
				continue
			}
			seen[p.name] = true
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				for i := 0; i < rounds(t, 120); i++ {
					report := differ(firstSeed()+int64(i), false, func(m *ir.Module, cfg *Options) error {
						for _, f := range m.Funcs()[1:] {
							if f.Entry == nil {
								continue
							}
							s := newState(f, cfg)
							s.dropUnreachable()
							if err := s.runPass(p, ""); err != nil {
								return err
							}
						}
						return nil
					})
					if report != "" {
						fail(t, firstSeed()+int64(i), report)
					}
				}
			})
		}
	}
}

// TestPhaseBKeepsMeaning runs the whole pipeline.
func TestPhaseBKeepsMeaning(t *testing.T) {
	t.Parallel()
	for i := 0; i < rounds(t, 500); i++ {
		report := differ(firstSeed()+int64(i), false, func(m *ir.Module, cfg *Options) error {
			for _, f := range m.Funcs()[1:] {
				if f.Entry == nil {
					continue
				}
				s := newState(f, cfg)
				s.dropUnreachable()
				if err := s.run(cleanup, "phasea"); err != nil {
					return err
				}
				if err := PhaseB(f, cfg); err != nil {
					return err
				}
			}
			return nil
		})
		if report != "" {
			fail(t, firstSeed()+int64(i), report)
		}
	}
}

// TestPhaseBOfLargeFunctions runs the passes for functions above a budget.
func TestPhaseBOfLargeFunctions(t *testing.T) {
	t.Parallel()
	for i := 0; i < rounds(t, 300); i++ {
		report := differ(firstSeed()+int64(i), false, func(m *ir.Module, cfg *Options) error {
			for _, f := range m.Funcs()[1:] {
				if f.Entry == nil {
					continue
				}
				f.Moved = 1
				if err := PhaseB(f, cfg); err != nil {
					return err
				}
			}
			return nil
		})
		if report != "" {
			fail(t, firstSeed()+int64(i), report)
		}
	}
}

// TestPhaseAKeepsMeaning runs both phases over modules that allocate.
func TestPhaseAKeepsMeaning(t *testing.T) {
	t.Parallel()
	for i := 0; i < rounds(t, 500); i++ {
		report := differ(firstSeed()+int64(i), true, func(m *ir.Module, cfg *Options) error {
			if err := PhaseA(m, cfg); err != nil {
				return err
			}
			for _, f := range m.Funcs()[1:] {
				if f.Entry != nil {
					if err := PhaseB(f, cfg); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if report != "" {
			fail(t, firstSeed()+int64(i), report)
		}
	}
}
