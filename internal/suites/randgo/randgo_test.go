package randgo

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var (
	programs  = flag.Int("programs", 40, "random programs to compare")
	seed0     = daily.Seed("seed", "seed of the first program")
	batchSize = flag.Int("batch", 75, "programs in a binary")
	without   = flag.String("nopass", "", "the only set of passes to leave out, NAME[:NAME...]; empty: random ones")
	tries     = flag.Int("tries", 300, "programs that the reducer tries; 0: a difference is told, and not looked for in single programs")
	ways      = flag.Int("ways", 99, "ways to compile and run besides the tiers' defaults, drawn for each binary")
	failures  = flag.String("failures", filepath.Join(os.TempDir(), "gyr-randgo"), "directory for the programs of differences")
)

// tiers are the ways to run a compiled program. The first is compared with native Go, and all
// others with the first.
var tiers = []gyr.Tier{gyr.TierInterp, gyr.TierNative}

func init() {
	flag.Func("tier", "run the programs in this tier alone", func(s string) error {
		tiers = []gyr.Tier{gyr.Tier(s)}
		return nil
	})
}

// minor is the release of Go that builds this test. The go command and its installation have the
// same release.
var minor = release.Of(runtime.Version()).Minor

// A setting is one way to compile and run programs.
type setting struct {
	tier   gyr.Tier
	nopass []string
	debug  map[string]string
	image  bool // compiled from a portable image
	whole  bool // compiled with the standard library; always set without passes of phase A
	verify bool // run the verifier after each pass
	// heap says that heap figures are compared with the first setting's, not only output and gas.
	heap bool
}

func (s setting) String() string {
	str := string(s.tier)
	if s.whole {
		str += ", whole"
	}
	if len(s.nopass) > 0 {
		str += ", nopass=" + strings.Join(s.nopass, ":")
	}
	for _, k := range []string{"gcstress", "poison"} {
		if v, ok := s.debug[k]; ok {
			str += ", " + k + "=" + v
		}
	}
	return str
}

// moves reports whether objects have other addresses than by default: fewer are on stacks, or their
// memory is reused earlier.
func (s setting) moves() bool {
	_, stress := s.debug["gcstress"]
	return stress || s.withoutPhaseA()
}

// looksAtAddresses reports whether the gas of the programs depends on addresses.
// docs/determinism.md allows that for maps with pointers as keys, for example those in package
// reflect. Such gas changes with the length of the program's name, which is in memory before
// everything that the program allocates: by default or in the given runs. If only few keys are heap
// pointers, few lengths change the gas. So many lengths are tried, in the fastest tier of this
// machine.
func (u *unit) looksAtAddresses(runs ...run) bool {
	for _, r := range runs {
		s := r.setting
		s.tier = gyr.DefaultTier
		p, err := u.compile(s)
		if err != nil {
			return false
		}
		named := func(name string) (same bool, err error) {
			defer func() { u.name = "" }()
			u.name = name
			got, err := u.runs(p, s)
			for k, o := range got {
				if o.stats.Gas != r.outcomes[k].stats.Gas {
					return false, err
				}
			}
			return true, err
		}
		if same, err := named(""); !same || err != nil {
			return false // the tiers differ, which is another problem
		}
		for n := 16; n <= 8000; n += 80 {
			same, err := named(strings.Repeat("n", n))
			if err != nil {
				return false
			}
			if !same {
				return true
			}
		}
	}
	return false
}

// A run is the result of the programs in a setting.
type run struct {
	setting
	outcomes []outcome
}

// settings returns the settings to compare for a batch of programs. The first one is the reference.
func settings(seed uint64) []setting {
	r := rand.New(rand.NewPCG(seed, 1))
	subset := func() []string {
		var set []string
		for len(set) == 0 {
			for _, name := range opt.Passes("phaseb") {
				if r.IntN(2) == 0 {
					set = append(set, name)
				}
			}
		}
		return set
	}
	// An image saves another run of the front end.
	image := r.IntN(4) != 0
	var list, more []setting
	for _, tier := range tiers {
		list = append(list, setting{tier: tier, heap: true, image: image})
	}
	off := func(tier gyr.Tier, set []string) {
		more = append(more, setting{tier: tier, nopass: set, image: true, heap: set[0] != "all"})
	}
	if *without != "" {
		for _, tier := range tiers {
			off(tier, strings.Split(*without, ":"))
		}
	} else {
		// Passes have the same effect in each tier, so the tiers take turns.
		off(tiers[r.IntN(len(tiers))], subset())
		off(tiers[r.IntN(len(tiers))], []string{"phaseb"})
		off(tiers[r.IntN(len(tiers))], []string{"all"})
	}
	debug := []map[string]string{{"gcstress": "1009", "poison": ""}, {"gcstress": "211", "poison": ""}, {"poison": ""}, {"gcstress": ""}}[r.IntN(4)]
	for _, tier := range tiers {
		more = append(more, setting{tier: tier, debug: debug, image: image})
	}
	if len(more) > *ways {
		r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
		more = more[:*ways]
	}
	list = append(list, more...)
	// Verifying takes a third of the time.
	verify := *ways > len(more) || r.IntN(4) == 0
	for i := range list {
		list[i].verify = verify && list[i].image
	}
	return list
}

// An outcome is the visible result of one process.
type outcome struct {
	out   string
	err   string // standard error, without addresses and frames
	exit  int
	stats gyr.Stats
}

var (
	traceHeading = regexp.MustCompile(`(?m)^\n?goroutine \d+ .*\[.*\]:$`)
	pcPattern    = regexp.MustCompile(`pc=0x[0-9a-f]+`)
)

func errorText(s string) string {
	if at := traceHeading.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return pcPattern.ReplaceAllString(s, "pc=X")
}

// A unit is a set of programs in one module that native Go and gyr compile.
type unit struct {
	dir   string
	args  [][]string // of the processes that together run all programs
	want  []outcome  // native Go's results, once known
	image [2][]byte  // on the precompiled standard library, and whole
	progs map[string]*gyr.Program
	name  string // of the program, Config.Name
}

func newUnit(dir string, list []*Program) (*unit, error) {
	u := &unit{dir: dir, args: [][]string{nil}, progs: map[string]*gyr.Program{}}
	files := map[string]string{"go.mod": fmt.Sprintf("module randgo\n\ngo 1.%d\n", minor), "prelude.go": Prelude(list)}
	for _, p := range list {
		files[p.Name+".go"] = p.Source()
		if p.Ends {
			u.args = append(u.args, []string{p.Name})
		}
	}
	return u, u.write(files)
}

// write writes the files of the module into an empty directory.
func (u *unit) write(files map[string]string) error {
	if err := os.RemoveAll(u.dir); err != nil {
		return err
	}
	for name, text := range files {
		name = filepath.Join(u.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// An invalidError says that the source does not compile.
type invalidError struct{ error }

// build builds the programs with the go command. It leaves out gc's optimiser and debug
// information, which are not under test and take most of the time.
func (u *unit) build() error {
	cmd := exec.Command("go", "build", "-gcflags=-N -l -dwarf=false", "-ldflags=-w", "-o", filepath.Join(u.dir, "native.bin"), ".")
	cmd.Dir = u.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1", "GODEBUG=", "GOGC=800")
	if out, err := cmd.CombinedOutput(); err != nil {
		return invalidError{fmt.Errorf("go build: %w\n%s", err, out)}
	}
	return nil
}

// native builds the programs and runs them.
func (u *unit) native() ([]outcome, error) {
	if u.want != nil {
		return u.want, nil
	}
	if err := u.build(); err != nil {
		return nil, err
	}
	for _, args := range u.args {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, filepath.Join(u.dir, "native.bin"), args...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		cmd.Env = []string{}
		err := cmd.Run()
		cancel()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
			return nil, fmt.Errorf("native %s: %w", args, err)
		}
		u.want = append(u.want, outcome{out: out.String(), err: errorText(stderr.String()), exit: cmd.ProcessState.ExitCode()})
	}
	return u.want, nil
}

// withoutPhaseA reports whether passes of phase A are left out. The precompiled standard library
// was compiled with them.
func (s setting) withoutPhaseA() bool { return len(s.nopass) > 0 && s.nopass[0] == "all" }

// compile compiles the programs with a setting.
func (u *unit) compile(s setting) (*gyr.Program, error) {
	whole := s.whole || s.withoutPhaseA()
	key := fmt.Sprint(s.image, whole, s.nopass)
	if p := u.progs[key]; p != nil {
		return p, nil
	}
	ctx := context.Background()
	src, opts := gyr.Source{Dir: u.dir}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: whole}}
	var p *gyr.Program
	var err error
	if s.image {
		image := &u.image[0]
		if whole {
			image = &u.image[1]
		}
		if *image == nil {
			*image, err = gyr.Build(ctx, src, opts)
		}
		opts.Debug.NoPass, opts.Debug.Verify = s.nopass, s.verify
		if err == nil {
			p, err = gyr.CompileImage(ctx, *image, opts)
		}
	} else {
		opts.Debug.NoPass, opts.Debug.Verify = s.nopass, s.verify
		p, err = gyr.Compile(ctx, src, opts)
	}
	var bad *gyr.CompileError
	if errors.As(err, &bad) {
		return nil, invalidError{err}
	}
	if err == nil {
		u.progs[key] = p
	}
	return p, err
}

// gyr compiles and runs the programs in the sandbox.
func (u *unit) gyr(s setting) (list []outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("HOST PANIC: %v", r)
		}
	}()
	p, err := u.compile(s)
	if err != nil {
		return nil, err
	}
	if s.tier == gyr.TierNative && p.NativeError() != nil {
		return nil, errNoTier
	}
	return u.runs(p, s)
}

// runs runs the compiled programs.
func (u *unit) runs(p *gyr.Program, s setting) (list []outcome, err error) {
	for _, args := range u.args {
		var out, stderr bytes.Buffer
		cfg := gyr.Config{Name: u.name, Args: args, Stdout: &out, Stderr: &stderr, Gas: 20e9, Memory: 1 << 30, Tier: s.tier, Debug: s.debug}
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			return nil, err
		}
		if in.Tier() != string(s.tier) {
			return nil, fmt.Errorf("the tier is %s", in.Tier())
		}
		o := outcome{}
		if err := in.Run(context.Background()); err != nil {
			var exit *gyr.ExitError
			if !errors.As(err, &exit) {
				in.Close()
				return nil, fmt.Errorf("%s: %w\n%s", args, err, tail(out.String()))
			}
			o.exit = exit.Code
		}
		o.out, o.err, o.stats = out.String(), errorText(stderr.String()), in.Stats()
		o.stats = o.stats.Repeatable()
		list = append(list, o)
		if err := in.Close(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// errNoTier: this machine cannot run the tier, which other tests report.
var errNoTier = errors.New("the tier is not supported")

func tail(s string) string { return s[max(0, len(s)-1000):] }

// A difference says how a setting differs from native Go or from the first setting.
type difference struct {
	setting setting
	kind    string // the reducer must preserve it
	detail  string
}

func (d *difference) Error() string { return fmt.Sprintf("%v: %s: %s", d.setting, d.kind, d.detail) }

// compare runs the programs with settings, the first of which is the reference for the others; with
// native also in native Go.
func (u *unit) compare(native bool, list []setting) error {
	var ref []outcome
	// Programs with a copy of the standard library have types at other addresses, and reflect keeps
	// types in maps by address: the gas of these programs is only compared with each other's.
	var whole []outcome
	for i, s := range list {
		got, err := u.gyr(s)
		if err == errNoTier {
			continue
		}
		if err != nil {
			if _, ok := err.(invalidError); ok {
				return err
			}
			kind, _, _ := strings.Cut(err.Error(), "\n")
			return &difference{s, "error " + digits.ReplaceAllString(kind, "#"), err.Error()}
		}
		switch {
		case i > 0:
			gas, first := ref, list[0]
			if s.withoutPhaseA() {
				if first.whole = true; whole == nil {
					if whole, err = u.gyr(first); err != nil {
						return &difference{first, "error", err.Error()}
					}
				}
				gas = whole
			}
			for k, o := range got {
				what := ""
				switch {
				case o.out != ref[k].out || o.err != ref[k].err || o.exit != ref[k].exit:
					what = "output"
				case o.stats.Gas != gas[k].stats.Gas:
					what = "gas"
				case s.heap && o.stats != ref[k].stats:
					what = "figures"
				default:
					continue
				}
				if what != "output" && s.moves() && u.looksAtAddresses(run{first, gas}, run{s, got}) {
					continue
				}
				return &difference{s, what + " differs from " + first.String(), fmt.Sprint(u.args[k], " ", show(o, gas[k]))}
			}
		case native:
			want, err := u.native()
			if err != nil {
				return err
			}
			for k, o := range got {
				if o.out != want[k].out || o.err != want[k].err || o.exit != want[k].exit {
					return &difference{s, "output differs from native Go", fmt.Sprint(u.args[k], " ", show(o, want[k]))}
				}
			}
		}
		if i == 0 {
			ref = got
		}
	}
	return nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// show describes the difference of two outcomes.
func show(got, want outcome) string {
	d := diff(got.out, want.out)
	if d == "" {
		d = diff(got.err, want.err)
	}
	if d == "" && got.exit != want.exit {
		d = fmt.Sprintf("exit status %d, want %d", got.exit, want.exit)
	}
	if d == "" {
		d = fmt.Sprintf("%+v, want %+v", got.stats, want.stats)
	}
	return d
}

// diff names the first line in which two outputs differ, and the program.
func diff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	program := ""
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("%s line %d: %.200q, want %.200q", program, i+1, a, b)
		}
		if name, ok := strings.CutPrefix(a, "== "); ok {
			program = name
		}
	}
	return ""
}

// TestDifferential compares random programs over native Go, the tiers, subsets of the passes of
// phase B, and a collector that works hard.
func TestDifferential(t *testing.T) {
	daily.Drawn(t, "seed")
	dir := t.TempDir()
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // compilations allocate and drop much
	for first := 0; first < *programs; first += *batchSize {
		var list []*Program
		for i := first; i < min(first+*batchSize, *programs); i++ {
			list = append(list, Generate(*seed0+uint64(i), minor))
		}
		seed := *seed0 + uint64(first)
		u, err := newUnit(filepath.Join(dir, "batch"), list)
		if err != nil {
			t.Fatal(err)
		}
		err = u.compare(true, settings(seed))
		if err == nil {
			t.Logf("%d programs from seed %d: equal", len(list), seed)
			continue
		}
		t.Errorf("seeds %d to %d: %v", seed, seed+uint64(len(list))-1, err)
		var d *difference
		if !errors.As(err, &d) {
			continue // a bug of the generator
		}
		if *tries == 0 {
			continue
		}
		found := 0
		for i := range list {
			if found < 3 && single(t, dir, seed+uint64(i), d, settings(seed)[0]) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("no program alone shows the difference")
		}
	}
}

// single looks for the difference of a batch in one program alone, and reduces that program if it
// has the difference.
func single(t *testing.T, dir string, seed uint64, d *difference, first setting) bool {
	native := strings.HasSuffix(d.kind, "native Go")
	few := []setting{first, d.setting}
	if native || strings.HasPrefix(d.kind, "error ") {
		few = few[1:]
	}
	check := func(p *Program) error {
		u, err := newUnit(filepath.Join(dir, "single"), []*Program{p})
		if err != nil {
			t.Fatal(err)
		}
		return u.compare(native, few)
	}
	var one *difference
	if !errors.As(check(Generate(seed, minor)), &one) {
		return false
	}
	valid := newChecker()
	p := Reduce(Generate(seed, minor), *tries, func(p *Program) int {
		if !valid(p) {
			return Invalid
		}
		var e *difference
		if errors.As(check(p), &e) && e.kind == one.kind {
			return Bad
		}
		return Good
	})
	var small *difference
	errors.As(check(p), &small)
	out := filepath.Join(*failures, p.Name)
	if _, err := newUnit(out, []*Program{p}); err != nil {
		t.Fatal(err)
	}
	args := ""
	if len(tiers) == 1 {
		args = " -tier=" + string(first.tier)
	}
	if len(d.setting.nopass) > 0 {
		args += " -nopass=" + strings.Join(d.setting.nopass, ":")
	}
	t.Errorf("%v\nreduced: %v\nthe program is in %s, after\n\tgo test ./internal/suites/randgo -run TestDifferential -seed=%d -programs=1%s",
		one, small, out, seed, args)
	return true
}

// newChecker returns a function that type-checks programs, which takes milliseconds.
func newChecker() func(*Program) bool {
	fset := token.NewFileSet()
	cfg := types.Config{Importer: importer.ForCompiler(fset, "source", nil), Error: func(error) {}}
	return func(p *Program) bool {
		var files []*ast.File
		for _, text := range []string{p.Source(), Prelude([]*Program{p})} {
			f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
			if err != nil {
				return false
			}
			files = append(files, f)
		}
		_, err := cfg.Check("main", fset, files, nil)
		return err == nil
	}
}

// TestGenerate: a seed gives the same program every time, and another seed another program.
func TestGenerate(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(30) {
		s := Generate(seed, minor).Source()
		if s != Generate(seed, minor).Source() {
			t.Fatalf("seed %d gives two programs", seed)
		}
		s = strings.ReplaceAll(s, fmt.Sprintf("r%d_", seed), "r_")
		if other, ok := seen[s]; ok {
			t.Errorf("seeds %d and %d give one program", seed, other)
		}
		seen[s] = seed
	}
}

// TestReduce: the failing part of a program remains, and little else.
func TestReduce(t *testing.T) {
	p := Generate(3, minor)
	p.decls = append(p.decls, block(text{"func extra()"}, []*node{
		line("a()"), block(text{"if ", mk(boolType, "f(", mk(intType, "1 + 2"), ")")}, []*node{line("b()"), line("the culprit(", mk(intType, "(", mk(intType, "x"), " + y)"), ")")})}))
	r := Reduce(p, 2000, func(p *Program) int {
		if strings.Contains(p.Source(), "the culprit") {
			return Bad
		}
		return Good
	})
	want := header + "\nthe culprit(opaque(int(3)))\n"
	if got := r.Source(); got != want {
		t.Errorf("reduced to\n%s", strings.TrimPrefix(got, header))
	}
}
