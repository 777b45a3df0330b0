package bench

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// TestTrial: ignored errors and inputs made anew are told with their lines, in native Go and in gyr.
// Benchmarks of a failure and of the function that makes the input are left alone.
func TestTrial(t *testing.T) {
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import (
	"strconv"
	"testing"
)

var sink int

func gen(n, k int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i * k % 1009
	}
	return list
}

func at(list []int, i int) int { return list[i] }

func BenchmarkNumber(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink, _ = strconv.Atoi("12x")
	}
}

func BenchmarkAtoi(b *testing.B) {
	for _, text := range []string{"12", "12x"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				_, _ = strconv.Atoi(text)
			}
		})
	}
}

func BenchmarkSometimes(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, _ = strconv.Atoi([]string{"12", "x"}[i%2])
	}
}

func BenchmarkInvalid(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, _ = strconv.Atoi("12x")
	}
}

func BenchmarkAt(b *testing.B) {
	for i := 0; i < b.N; i++ {
		list := gen(10_000, 5)
		sink += at(list, i%100)
	}
}

func BenchmarkGen(b *testing.B) {
	for i := 0; i < b.N; i++ {
		list := gen(10_000, 5)
		sink += at(list, i%100)
	}
}
`})
	want := []string{"At BP12 warning 50", "Atoi/12x BP35 warning 30", "Number BP35 warning 22", "Sometimes BP35 info 38"}
	for _, engine := range []string{"go", "native"} {
		t.Run(engine, func(t *testing.T) {
			log, err := record.NewLog(nil, &record.Run{Engines: []string{engine}})
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Packages: []Package{{Path: "m", Dir: dir}}, Bench: ".", Engines: testEngines(t, engine), Log: log, Files: t.TempDir(),
				Say: func(text string) { t.Log(text) }}
			if err := Vet(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range log.Record().Statics {
				if s.Code == "BP35" || s.Code == "BP12" {
					file := filepath.Join(dir, "m_test.go")
					got = append(got, fmt.Sprintf("%s %s %s %s", s.Bench[len("m."):], s.Code, s.Severity, s.Place[min(len(s.Place), len(file)+1):]))
					if s.Cure == "" || s.Text == "" {
						t.Errorf("%+v", s)
					}
				}
			}
			slices.SortFunc(got, cmp.Compare[string])
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestProofOfGo: what gc left of a loop is told of native Go alone, without gyr's compiler.
func TestProofOfGo(t *testing.T) {
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import "testing"

var sink int

func mix(a, b int) int { return (a*31 + b) ^ a>>3 }

func BenchmarkDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mix(i, 3)
	}
}

func BenchmarkKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = mix(i, 3)
	}
}
`})
	rec, err := testRun(t, dir, "m", ".", record.Plan{Mode: "quick"}, "go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range rec.Statics {
		if s.Engine == "go" {
			got = append(got, s.Bench+" "+s.Code)
		}
	}
	if want := []string{"m.Dropped BP01", "m.Dropped BP04"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(rec.Proofs) != 2 || rec.Proofs[1].WorkLeft == 0 || rec.Proofs[1].Unknown != "" {
		t.Errorf("proofs are %+v", rec.Proofs)
	}
}

// TestProofOfDeclared: the loops of declared functions, which are in a generated file, are proved in
// native Go, too, each at the line of its function.
func TestProofOfDeclared(t *testing.T) {
	dir := writeModule(t, map[string]string{"m.go": `package m

type list struct{ all []int }

func made(n int) *list { return &list{make([]int, n)} }

//gyr:bench n=8,64 setup=made
func (l *list) sum(n int) int {
	s := 0
	for _, x := range l.all[:n] {
		s += x
	}
	return s
}

//gyr:bench inline=never
func nothing() {}

//gyr:bench
func constant() int { return 3*4 + 1 }
`})
	rec, err := testRun(t, dir, "m", ".", record.Plan{Mode: "quick"}, "go")
	if err != nil {
		t.Fatal(err)
	}
	var got, unknown []string
	for _, p := range rec.Proofs {
		got = append(got, fmt.Sprintf("%s %s left %v", p.Bench, p.Place[len(dir)+1:], p.WorkLeft > 0))
		if p.Unknown != "" {
			unknown = append(unknown, p.Bench+": "+p.Unknown)
		}
	}
	slices.Sort(got)
	if want := []string{"m.Constant m.go:20 left false", "m.ListSum/n=64 m.go:8 left true", "m.ListSum/n=8 m.go:8 left true", "m.Nothing m.go:17 left true"}; !slices.Equal(got, want) || unknown != nil {
		t.Errorf("got %q, want %q; unknown %q", got, want, unknown)
	}
	var codes []string
	for _, s := range rec.Statics {
		codes = append(codes, s.Bench+" "+s.Code)
	}
	if want := []string{"m.Constant BP01"}; !slices.Equal(codes, want) {
		t.Errorf("it is told %q, want %q", codes, want)
	}
}
