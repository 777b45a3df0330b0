package endings

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

var arguments = flag.Int("math", 2000, "arguments of each function of package math to compare")

// differing are the functions of package math that may differ from native Go on amd64, where Exp
// and Log are assembly. Those that use Exp may differ for all arguments, those that use Log for
// subnormal ones. docs/determinism.md says how often.
var differing = map[string]string{
	"Exp": "exp", "Cosh": "exp", "Erf": "exp", "Erfc": "exp", "Gamma": "exp", "Pow": "exp", "Sinh": "exp", "Tanh": "exp",
	"Log": "log", "Log10": "log", "Lgamma": "log", "Y0": "log", "Yn": "log",
}

// TestMath compares the functions of package math with native Go on amd64, bit by bit. Functions in
// differing may differ, but only in the last bits if both results are finite and the argument is a
// normal number.
func TestMath(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("native Go has other functions in assembly here")
	}
	dir := t.TempDir()
	source, err := os.ReadFile("testdata/math/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": string(source), "go.mod": "module math50\n\ngo 1." + strconv.Itoa(minor) + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	binaryFile := filepath.Join(dir, "native.bin")
	cmd := exec.Command("go", "build", "-o", binaryFile, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	native := func(arg string) []byte {
		out, err := exec.Command(binaryFile, arg).Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	p, err := gyr.Compile(t.Context(), gyr.Source{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(native("-names")))
	n := strconv.Itoa(*arguments)
	want := native(n)
	if len(want) != 24**arguments*len(names) || len(names) < 50 {
		t.Fatalf("%d bytes for %d functions", len(want), len(names))
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if p.NativeError() == nil {
		tiers = append(tiers, gyr.TierNative)
	}
	var first []byte
	for _, tier := range tiers {
		var out bytes.Buffer
		in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{n}, Stdout: &out, Stderr: os.Stderr, Tier: tier})
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Fatalf("the tiers differ")
		}
	}
	if len(first) != len(want) {
		t.Fatalf("%d bytes, want %d", len(first), len(want))
	}
	var total int
	word := func(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	for i, name := range names {
		var normal, subnormal, differ, differSub int
		var apart uint64
		for k := range *arguments {
			at := 3 * (i**arguments + k)
			if word(first, at) != word(want, at) || word(first, at+1) != word(want, at+1) {
				t.Fatalf("%s: the arguments differ", name)
			}
			x := math.Abs(math.Float64frombits(word(want, at)))
			small := x != 0 && x < 0x1p-1022
			if small {
				subnormal++
			} else {
				normal++
			}
			g, w := word(first, at+2), word(want, at+2)
			switch {
			case g == w:
			case small:
				differSub++
			default:
				differ++
				if !math.IsInf(math.Float64frombits(g), 0) && !math.IsInf(math.Float64frombits(w), 0) {
					apart = max(apart, max(g, w)-min(g, w))
				}
			}
		}
		total += differ
		if differ+differSub == 0 {
			continue
		}
		t.Logf("| %s | %.2f %% | %d | %.0f %% |", name, 100*float64(differ)/float64(normal), apart, 100*float64(differSub)/float64(subnormal))
		if why := differing[name]; why == "" || why == "log" && differ > 0 || apart > 100 {
			t.Errorf("%s differs from native Go", name)
		}
	}
	if total == 0 {
		t.Error("nothing differs, not even Exp: the list is out of date")
	}
}
