package order

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

var conversions = flag.Int("conversions", 1000, "random floats that are converted to each type of integers")

// TestConversions: the specification also leaves open the conversion of a float that is out of an
// integer type's range. Floats of all magnitudes, at the edges of the types, infinities and NaNs
// give the same as in gc: in a loop, and as values that the compiler knows.
func TestConversions(t *testing.T) {
	integers := []string{"int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint", "uintptr"}
	edges := []float64{0, math.Copysign(0, -1), 0.99, -0.99, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32,
		math.Inf(1), math.Inf(-1), math.NaN()}
	for _, bits := range []int{7, 8, 15, 16, 31, 32, 53, 63, 64} {
		for _, f := range []float64{math.Ldexp(1, bits), math.Ldexp(-1, bits)} {
			edges = append(edges, f, math.Nextafter(f, 0), math.Nextafter(f, 2*f), f-1, f+1, f-0.5, f+0.5, float64(math.Nextafter32(float32(f), 0)))
		}
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n\t\"math/rand/v2\"\n)\n\nvar edges = []uint64{")
	for _, f := range edges {
		fmt.Fprintf(&b, "%#x, ", math.Float64bits(f))
	}
	fmt.Fprintf(&b, "}\n\nfunc values(seed uint64) (list []float64) {\n\tfor _, e := range edges {\n\t\tlist = append(list, math.Float64frombits(e))\n\t}\n"+
		"\tr := rand.New(rand.NewPCG(%d, seed))\n\tfor range %d {\n\t\tx := r.Uint64()\n"+
		"\t\tif x&3 != 0 {\n\t\t\tx = x&^(0x7ff<<52) | (1020+r.Uint64N(70))<<52\n\t\t}\n\t\tlist = append(list, math.Float64frombits(x))\n\t}\n\treturn\n}\n", *seed, *conversions)
	for _, to := range integers {
		for _, from := range []string{"float64", "float32"} {
			fmt.Fprintf(&b, "\nfunc %s_%s() {\n\tsum := uint64(14695981039346656037)\n\tfor i, v := range values(1) {\n\t\tx := %[1]s(%[2]s(v))\n"+
				"\t\tsum = (sum ^ uint64(x)) * 1099511628211\n\t\tif i < len(edges) {\n\t\t\tfmt.Print(\" \", x)\n\t\t}\n\t}\n\tfmt.Println(\"\", sum)\n", to, from)
			r := rand.New(rand.NewPCG(*seed, 2))
			for range 12 {
				fmt.Fprintf(&b, "\tfmt.Print(\" \", func() %s { f := math.Float64frombits(%#x); return %[1]s(%[3]s(f)) }())\n", to, math.Float64bits(edges[r.IntN(len(edges))]), from)
			}
			b.WriteString("\tfmt.Println()\n}\n")
		}
	}
	b.WriteString("\nfunc main() {\n")
	var names []string
	for _, to := range integers {
		for _, from := range []string{"float64", "float32"} {
			fmt.Fprintf(&b, "\t%s_%s()\n", to, from)
			names = append(names, from+" to "+to, from+" to "+to+", known")
		}
	}
	b.WriteString("}\n")
	dir := t.TempDir()
	write(t, dir, b.String())
	want := native(t, dir, "")
	if plain := native(t, dir, "-N -l"); len(want) != len(names) || strings.Join(plain, "\n") != strings.Join(want, "\n") {
		t.Fatalf("gc's builds differ, or have %d lines, not %d", len(want), len(names))
	}
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		for i, got := range ours(t, dir, tier) {
			if got != want[i] {
				t.Errorf("%s, %v:\n%s\nGo:\n%s", names[i], tier, got, want[i])
			}
		}
	}
}
