package emulated

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/randgo"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

var (
	calls  = flag.Int("calls", 300, "random calls of the ledger")
	random = flag.Int("random", 20, "random programs")
	seed   = flag.Uint64("seed", 1, "of random calls and programs")
)

// tiersOf are the tiers of a processor.
var tiersOf = []gyr.Tier{gyr.TierInterp, gyr.TierNative}

// TestFigures: outputs, gas, allocations, roots of states and what a restored state does are the same on
// both processors, in both tiers.
func TestFigures(t *testing.T) {
	if os.Getenv("GYR_FIGURES") != "" {
		t.Skip("this is the test on the other processor")
	}
	qemu := needsQemu(t)
	daily.Drawn(t, "seed")
	dir := t.TempDir()
	want := figures(t, gyr.TierInterp, dir, true)
	after := ledgerAfter(t, gyr.TierNative, dir, runtime.GOARCH, gyr.TierInterp)
	sameLines(t, "interpreter", want, "machine code", figures(t, gyr.TierNative, dir, false))
	bin := build(t, dir, "suites/emulated")
	for _, tier := range tiersOf {
		cmd := exec.Command(qemu, bin, "-test.run=^TestFiguresHere$", fmt.Sprint("-calls=", *calls), fmt.Sprint("-random=", *random), fmt.Sprint("-seed=", *seed))
		cmd.Env = append(os.Environ(), "GYR_FIGURES="+string(tier), "GYR_FIGURES_IMAGES="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s under qemu: %v\n%s", tier, err, tail(out))
			continue
		}
		got, _, _ := bytes.Cut(out, []byte("PASS\n"))
		sameLines(t, "amd64", want, "arm64, "+string(tier), string(got))
		for _, here := range tiersOf {
			sameLines(t, "a state of amd64", after, "of arm64, "+string(tier)+", in "+string(here), ledgerAfter(t, here, dir, "arm64", tier))
		}
	}
}

// TestFiguresHere prints the figures in the tier that GYR_FIGURES names.
func TestFiguresHere(t *testing.T) {
	tier := os.Getenv("GYR_FIGURES")
	if tier == "" {
		t.Skip("TestFigures runs it")
	}
	os.Stdout.WriteString(figures(t, gyr.Tier(tier), os.Getenv("GYR_FIGURES_IMAGES"), false))
}

// sameLines reports the first lines that differ.
func sameLines(t *testing.T, a, x, b, y string) {
	t.Helper()
	if x == y {
		return
	}
	xs, ys := strings.Split(x, "\n"), strings.Split(y, "\n")
	if len(xs) != len(ys) {
		t.Errorf("%s: %d lines, %s: %d", a, len(xs), b, len(ys))
	}
	bad := 0
	for i := range min(len(xs), len(ys)) {
		if xs[i] != ys[i] && bad < 10 {
			t.Errorf("%s: %s\n%s: %s", a, xs[i], b, ys[i])
			bad++
		}
	}
}

// A recorder prints figures.
type recorder struct {
	bytes.Buffer
	t      *testing.T
	tier   gyr.Tier
	images string // the directory with images of the programs
	builds bool   // makes them
}

// figures returns, line by line, what must be the same.
func figures(t *testing.T, tier gyr.Tier, images string, builds bool) string {
	t.Helper()
	r := &recorder{t: t, tier: tier, images: images, builds: builds}
	r.ofPrograms()
	r.ofRandom()
	r.ofNaNs()
	r.ofLedger()
	return r.String()
}

// program returns a program, by way of its image.
func (r *recorder) program(name string, src gyr.Source, o gyr.CompileOptions) *gyr.Program {
	r.t.Helper()
	file := filepath.Join(r.images, name+".gyr")
	if r.builds {
		image, err := gyr.Build(r.t.Context(), src, &gyr.CompileOptions{Host: o.Host})
		if err == nil {
			err = os.WriteFile(file, image, 0o600)
		}
		if err != nil {
			r.t.Fatalf("%s: %v", name, err)
		}
	}
	image, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	o.Cache = filepath.Join(r.images, "cache") // which the second tier finds filled
	p, err := gyr.CompileImage(r.t.Context(), image, &o)
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	return p
}

// run runs a program and prints its figures.
func (r *recorder) run(name string, src gyr.Source, cfg gyr.Config) {
	t, w := r.t, r
	t.Helper()
	p := r.program(name, src, gyr.CompileOptions{})
	cfg.Tier = r.tier
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr = &out, &out
	in, err := p.NewInstance(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer in.Close()
	if in.Tier() != string(cfg.Tier) {
		t.Fatalf("%s runs in tier %s: %v", name, in.Tier(), p.NativeError())
	}
	err = in.Run(t.Context())
	fmt.Fprintf(w, "%s: %v, output %x, %+v\n", name, err, sha256.Sum256(out.Bytes()), in.Stats().Repeatable())
}

// sizes are arguments with which programs take a moment.
var sizes = map[string]string{
	"nbody": "2000", "fft": "40", "fannkuch": "7", "json": "100", "maps": "3000", "structsort": "2000", "raytrace": "40", "channels": "10",
}

func (r *recorder) ofPrograms() {
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		src := gyr.Source{Dir: filepath.Join("..", "..", "..", "programs", name)}
		r.run(name, src, gyr.Config{Args: []string{sizes[name]}})
	}
}

// batch is how many random programs are compiled together.
const batch = 25

func (r *recorder) ofRandom() {
	for first := 0; first < *random; first += batch {
		files := fstest.MapFS{"go.mod": {Data: []byte("module random\n\ngo 1.26\n")}}
		var list []*randgo.Program
		for i := first; i < min(first+batch, *random); i++ {
			p := randgo.Generate(*seed+uint64(i), 26)
			list = append(list, p)
			files[p.Name+".go"] = &fstest.MapFile{Data: []byte(p.Source())}
		}
		files["prelude.go"] = &fstest.MapFile{Data: []byte(randgo.Prelude(list))}
		r.run(fmt.Sprint("random", first), gyr.Source{FS: files}, gyr.Config{})
	}
}

// nans keeps NaNs of all origins in memory that a state has.
const nans = `package lib

import "math"

var kept struct {
	list   []float64
	narrow []float32
	wide   []complex128
	m      map[string]float64
	x      float64
	any    []any
}

func Compute(zero float64, bits uint64, given float64) float64 {
	inf := math.Inf(1)
	y := math.Float64frombits(bits)
	list := []float64{zero / zero, -(zero / zero), math.Sqrt(zero - 1), inf - inf, zero * -inf, math.NaN(), -math.NaN(), y,
		math.Abs(y), math.FMA(inf, zero, 1), float64(math.Float32frombits(uint32(bits >> 32))), math.Mod(zero, zero),
		math.Log(zero - 1), math.Max(zero, math.NaN()), given, given + 1, -given, math.Copysign(given, -1), y * given}
	kept.list = append(kept.list, list...)
	for _, y := range list {
		kept.narrow = append(kept.narrow, float32(y), -float32(y), float32(y)/float32(zero))
		kept.wide = append(kept.wide, complex(y, zero)*complex(zero, y), complex(y, y)/complex(zero, zero))
		kept.any = append(kept.any, y, float32(y), func() float64 { return y + zero })
	}
	kept.m = map[string]float64{"a": y / zero, "b": given}
	kept.x = given - inf
	return y
}
`

func (r *recorder) ofNaNs() {
	t := r.t
	p := r.program("nans", gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(nans)}}, Exports: true}, gyr.CompileOptions{State: true})
	in, err := p.NewInstance(t.Context(), gyr.Config{Tier: r.tier})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, bits := range []uint64{0, 0x7ff8000000000000, 0x7ff8000000000001, 0xfff8000000000000, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x7fc00001ffc00001, 0x7f800001ff800001} {
		res, err := in.Call(t.Context(), "Compute", 0.0, bits, math.Float64frombits(bits^0x5555))
		if err != nil {
			t.Fatal(err)
		}
		s, err := in.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(r, "NaN %#x: %#x, root %x\n", bits, math.Float64bits(res[0].(float64)), s.Root)
	}
}

// A stateFile is the name of a file with a state of the ledger and its root: from the middle of the calls of
// the first run, or from the end of the run on a processor and in a tier.
func (r *recorder) stateFile(when string) string {
	return filepath.Join(r.images, "ledger."+when+".state")
}

func endOn(arch string, tier gyr.Tier) string { return "end." + arch + "." + string(tier) }

// writeState writes a state with its root before it.
func (r *recorder) writeState(when string, s *gyr.State) {
	var b bytes.Buffer
	b.Write(s.Root[:])
	err := state.Write(&b, nil, &s.Tree, s.Sections, s.Page)
	if err == nil {
		err = os.WriteFile(r.stateFile(when), b.Bytes(), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// restoreState restores what writeState wrote, on this processor or on another.
func (r *recorder) restoreState(p *gyr.Program, when string, tier gyr.Tier) *gyr.Instance {
	b, err := os.ReadFile(r.stateFile(when))
	if err != nil {
		r.t.Fatal(err)
	}
	var root state.Hash
	n := copy(root[:], b)
	file, err := state.Read(bytes.NewReader(b[n:]), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	in, err := p.Restore(r.t.Context(), gyr.Config{Tier: tier}, root, file)
	if err != nil {
		r.t.Fatalf("%s: %v", when, err)
	}
	return in
}

// ledgerAfter returns what the ledger does in a tier of this processor after the state that another tier or
// processor had in the end.
func ledgerAfter(t *testing.T, here gyr.Tier, images, arch string, tier gyr.Tier) string {
	r := &recorder{t: t, tier: here, images: images}
	in := r.restoreState(r.ledger(), endOn(arch, tier), here)
	defer in.Close()
	for i := range 12 {
		name := fmt.Sprint("account", i)
		for _, call := range [][]any{{"Issue", name, int64(100)}, {"Buy", name, "bread", int64(2), int64(90)}, {"Balance", name}, {"Audit"}} {
			res, stats, err := in.CallWith(t.Context(), gyr.CallOptions{}, call[0].(string), call[1:]...)
			fmt.Fprintln(r, call, res, err, stats.Gas)
		}
	}
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(r, "root %x\n", s.Root)
	return r.String()
}

// ledger returns the contract of examples/ledger.
func (r *recorder) ledger() *gyr.Program {
	t := r.t
	files := os.DirFS(filepath.Join("..", "..", "..", "examples", "ledger", "testdata", "contract"))
	source := fstest.MapFS{"go.mod": {Data: []byte("module ledger\n\ngo 1.26\n")}}
	for _, name := range []string{"accounts.go", "ledger.go"} {
		f, err := files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		source[name] = &fstest.MapFile{Data: text}
	}
	return r.program("ledger", gyr.Source{FS: source, Exports: true}, gyr.CompileOptions{State: true, Host: []gyr.HostPackage{{
		Path: "ledger.example/chain", Source: "package chain\n\nfunc Event(text string)\n",
		Funcs: map[string]any{"Event": gyr.HostFunc{Gas: 200, Deterministic: true, Func: func(context.Context, string) {}}},
	}}})
}

// ofLedger calls the contract at random. Every so often the state goes through a store into another instance,
// in the other tier. In the middle all runs but the first go on from the first one's state.
func (r *recorder) ofLedger() {
	t, w := r.t, r
	p := r.ledger()
	kept, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	open := func(tier gyr.Tier, e *store.Entry) *gyr.Instance {
		cfg := gyr.Config{Tier: tier}
		if e == nil {
			in, err := p.NewInstance(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		v, err := kept.Open(e.Name, e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.Restore(t.Context(), cfg, e.Root, v)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in := open(r.tier, nil)
	defer func() { in.Close() }()
	draw := rand.New(rand.NewPCG(*seed, 41))
	account := func() string { return fmt.Sprint("account", draw.IntN(12)) }
	for i := range *calls {
		name, args := "", []any(nil)
		switch draw.IntN(8) {
		case 0:
			name, args = "Open", []any{account(), draw.Int64N(100)}
		case 1, 2:
			name, args = "Issue", []any{account(), draw.Int64N(1000)}
		case 3, 4:
			name, args = "Transfer", []any{account(), account(), draw.Int64N(300)}
		case 5:
			name, args = "Stock", []any{account(), "bread", draw.Int64N(20)}
		case 6:
			name, args = "Sell", []any{account(), "bread", draw.Int64N(5), 1 + draw.Int64N(9)}
		default:
			name, args = "Buy", []any{account(), "bread", draw.Int64N(4), draw.Int64N(100)}
		}
		res, stats, err := in.CallWith(t.Context(), gyr.CallOptions{}, name, args...)
		fmt.Fprintf(w, "%d %s: %v, %v, %d gas", i, name, res, err, stats.Gas)
		if i%20 == 19 {
			s, err := in.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(w, ", root %x", s.Root)
			if i%100 == 99 {
				list, err := kept.Commit(store.Change{Name: "ledger", Seq: uint64(i), Tree: s.Tree, Sections: s.Sections, Page: s.Page})
				if err != nil {
					t.Fatal(err)
				}
				in.Close()
				in = open(tiersOf[i/100%2], &list[0])
			}
		}
		if i == *calls/2 {
			if r.builds {
				r.writeState("middle", current(t, in))
			} else {
				in.Close()
				in = r.restoreState(p, "middle", r.tier)
			}
		}
		fmt.Fprintln(w)
	}
	r.writeState(endOn(runtime.GOARCH, r.tier), current(t, in))
}

func current(t *testing.T, in *gyr.Instance) *gyr.State {
	t.Helper()
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
