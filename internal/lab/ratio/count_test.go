package ratio

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var (
	instructions = flag.String("instructions", "", "count the instructions of the programs whose names match this `expression`, on arm64, by gyr and by native Go")
	rounds       = flag.Int("rounds", 5, "how often each is counted; the figure is the median")
)

// A count is how many instructions a process has executed: in the text of a Go program, and elsewhere,
// which is machine code of guests.
type count struct{ host, guest float64 }

func (c count) all() float64 { return c.host + c.guest }

// A counter counts the instructions of processes of arm64, with a plug-in of qemu.
type counter struct {
	*testing.T
	qemu, dir, plugin string
}

// newCounter makes a counter, or skips the test where something for it is missing.
func newCounter(t *testing.T) *counter {
	t.Helper()
	if *instructions == "" {
		t.Skip("needs -instructions")
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no qemu-aarch64, of Debian's package qemu-user, which has plug-ins")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc, which compiles the plug-in")
	}
	c := &counter{T: t, qemu: qemu, dir: t.TempDir()}
	c.plugin = filepath.Join(c.dir, "plugin.so")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-O2", "-o", c.plugin, filepath.Join("testdata", "plugin.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

// build builds a package for arm64, by "go build" or "go test -c".
func (c *counter) build(pkg string, command ...string) string {
	out := filepath.Join(c.dir, filepath.Base(pkg))
	cmd := exec.Command("go", append(command, "-o", out, "github.com/gyrvm/gyr/"+pkg)...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		c.Fatalf("%v\n%s", err, b)
	}
	return out
}

func (c *counter) run(args ...string) (n count) {
	out := filepath.Join(c.dir, "count")
	cmd := exec.Command(c.qemu, append([]string{"-plugin", c.plugin + ",out=" + out}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GYRCACHE="+filepath.Join(c.dir, "cache"))
	if b, err := cmd.CombinedOutput(); err != nil {
		c.Fatalf("%v\n%s", err, b)
	}
	b, err := os.ReadFile(out)
	if err == nil {
		_, err = fmt.Sscan(string(b), &n.host, &n.guest)
	}
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// A row counts a program at two sizes, by gyr and natively; its figures are differences.
type row struct {
	name        string
	per         float64 // the difference of the sizes, or 1
	guest, host func(large bool) count
	more        string // a further cell
}

// table prints the rows: of the whole process, and of the guest's code alone, both against native Go's
// process.
func (c *counter) table(head, unit string, scale float64, rows []row) {
	only := regexp.MustCompile(*instructions)
	logs, n := [2]float64{}, 0.0
	published, rule := "", ""
	if rows[0].more != "" {
		published, rule = " MEP-39, time |", "---:|"
	}
	fmt.Printf("| %s | native Go, %s | gyr | guest code alone | spread |%s\n|---|---:|---:|---:|---:|%s\n", head, unit, published, rule)
	for _, r := range rows {
		if !only.MatchString(r.name) {
			continue
		}
		r.guest(true) // fills the cache
		var ours, alone, theirs []float64
		for range *rounds {
			large, small := r.guest(true), r.guest(false)
			ours = append(ours, large.all()-small.all())
			alone = append(alone, large.guest-small.guest)
			theirs = append(theirs, r.host(true).all()-r.host(false).all())
		}
		a, b, d := middle(ours), middle(alone), middle(theirs)
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %.1f %% |%s\n", r.name, d/r.per/scale, a/d, b/d, 100*(slices.Max(ours)-slices.Min(ours))/a, r.more)
		logs[0], logs[1], n = logs[0]+math.Log(a/d), logs[1]+math.Log(b/d), n+1
	}
	fmt.Printf("| geometric mean | | %.2f | %.2f | |\n", math.Exp(logs[0]/n), math.Exp(logs[1]/n))
}

// TestInstructions counts the instructions that programs/ execute on arm64 at their small sizes, less those
// at the tiny sizes.
func TestInstructions(t *testing.T) {
	c := newCounter(t)
	gyr := c.build("cmd/gyr", "build")
	var rows []row
	for _, p := range Programs {
		size := func(large bool) string {
			if large {
				return p.Small
			}
			return p.Tiny
		}
		bin := ""
		rows = append(rows, row{name: p.Name, per: 1,
			guest: func(large bool) count {
				return c.run(gyr, "run", filepath.Join("..", "..", "..", "programs", p.Name), size(large))
			},
			host: func(large bool) count {
				if bin == "" {
					bin = c.build("programs/"+p.Name, "build")
				}
				return c.run(bin, size(large))
			}})
	}
	c.table("program", "million", 1e6, rows)
}

// published has the time of MEP-39's last table, against native Go's, for the kernels that are in it, at the
// larger of its sizes, on arm64 under macOS.
var published = map[string]float64{"SpectralNorm": 50, "NBody": 95, "Mandelbrot": 29, "Fannkuch": 40, "BinaryTrees12": 1.82,
	"ReverseComplement": 1.09}

// TestKernelInstructions counts the instructions of one operation of programs/kernels: of twice as many
// operations, less those of once as many.
func TestKernelInstructions(t *testing.T) {
	c := newCounter(t)
	gyr, native := c.build("cmd/gyr", "build"), c.build("programs/kernels", "test", "-c")
	var rows []row
	for _, k := range []struct {
		name string
		ops  int
	}{
		{"SpectralNorm", 300}, {"NBody", 20000}, {"Mandelbrot", 1000}, {"Fannkuch", 50000}, {"BinaryTrees8", 300},
		{"BinaryTrees12", 20}, {"ReverseComplement", 1000}, {"ReverseComplementInPlace", 1000}, {"PairThroughput", 300},
		{"PairThroughputTail", 300}, {"PairSwap", 300}, {"PairSwapTail", 300}, {"PairWalk", 300}, {"PairWalkTail", 300},
	} {
		bench := func(large bool, prefix string) []string {
			ops := k.ops
			if large {
				ops *= 2
			}
			return []string{prefix + "run=^$", prefix + "bench=^Benchmark" + k.name + "$", fmt.Sprintf("%sbenchtime=%dx", prefix, ops)}
		}
		r := row{name: k.name, per: float64(k.ops),
			guest: func(large bool) count {
				return c.run(append(append([]string{gyr, "test"}, bench(large, "-")...), filepath.Join("..", "..", "..", "programs", "kernels"))...)
			},
			host: func(large bool) count { return c.run(append([]string{native}, bench(large, "-test.")...)...) }}
		r.more = " |"
		if p := published[k.name]; p != 0 {
			r.more = fmt.Sprintf(" %g |", p)
		}
		rows = append(rows, r)
	}
	c.table("kernel", "an operation", 1, rows)
}

func middle(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
