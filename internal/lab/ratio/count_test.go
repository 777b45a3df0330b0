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

// TestInstructions counts, with a plug-in of qemu, the instructions that programs/ execute on arm64 at
// their small sizes, less those at the tiny sizes: of the whole process, and of the guest's code alone,
// both against native Go's process.
func TestInstructions(t *testing.T) {
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
	dir := t.TempDir()
	plugin := filepath.Join(dir, "plugin.so")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-O2", "-o", plugin, filepath.Join("testdata", "plugin.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goBuild := func(pkg string) string {
		out := filepath.Join(dir, filepath.Base(pkg))
		cmd := exec.Command("go", "build", "-o", out, "github.com/gyrvm/gyr/"+pkg)
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		return out
	}
	gyr := goBuild("cmd/gyr")
	run := func(args ...string) (c count) {
		out := filepath.Join(dir, "count")
		cmd := exec.Command(qemu, append([]string{"-plugin", plugin + ",out=" + out}, args...)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GYRCACHE="+filepath.Join(dir, "cache"))
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		b, err := os.ReadFile(out)
		if err == nil {
			_, err = fmt.Sscan(string(b), &c.host, &c.guest)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	only := regexp.MustCompile(*instructions)
	logs, n := [2]float64{}, 0.0
	fmt.Println("| program | native Go, million | gyr | guest code alone | spread |\n|---|---:|---:|---:|---:|")
	for _, p := range Programs {
		if !only.MatchString(p.Name) {
			continue
		}
		bin := goBuild("programs/" + p.Name)
		native := func(size string) count { return run(bin, size) }
		guest := func(size string) count {
			return run(gyr, "run", filepath.Join("..", "..", "..", "programs", p.Name), size)
		}
		guest(p.Small) // fills the cache
		var ours, alone, theirs []float64
		for range *rounds {
			big, small := guest(p.Small), guest(p.Tiny)
			ours = append(ours, big.all()-small.all())
			alone = append(alone, big.guest-small.guest)
			theirs = append(theirs, native(p.Small).all()-native(p.Tiny).all())
		}
		a, b, c := middle(ours), middle(alone), middle(theirs)
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %.1f %% |\n", p.Name, c/1e6, a/c, b/c, 100*(slices.Max(ours)-slices.Min(ours))/a)
		logs[0], logs[1], n = logs[0]+math.Log(a/c), logs[1]+math.Log(b/c), n+1
	}
	fmt.Printf("| geometric mean | | %.2f | %.2f | |\n", math.Exp(logs[0]/n), math.Exp(logs[1]/n))
}

func middle(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
