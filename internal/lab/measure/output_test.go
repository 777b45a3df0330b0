package measure

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

const benchText = `goos: linux
goarch: amd64
pkg: example.com/m
BenchmarkProduce/100_txs-8         	    2000	     34210 ns/op	  25697 B/op	      81 allocs/op
BenchmarkProduce/with-dash-8       	       1	      10.5 ns/op	   3.25 MB/s	       7 widgets
some output
Benchmarking is what this does
Benchmarks 1 2 ns/op
BenchmarkPlain
BenchmarkPlain 	 3 	 7 ns/op
--- BENCH: BenchmarkPlain
PASS
ok  	example.com/m	1.2s
`

func TestReadBench(t *testing.T) {
	out, err := ReadBench(strings.NewReader(benchText))
	if err != nil || len(out.Results) != 3 || !out.Passed {
		t.Fatalf("%+v %v", out, err)
	}
	r, err := out.One("BenchmarkProduce/100_txs")
	if err != nil || r.N != 2000 || r.Name != "Produce/100_txs-8" {
		t.Fatalf("%+v %v", r, err)
	}
	for unit, want := range map[string]float64{"ns/op": 34210, "B/op": 25697, "allocs/op": 81} {
		if v, ok := r.Value(unit); !ok || v != want {
			t.Errorf("%s: %v %v", unit, v, ok)
		}
	}
	if _, ok := r.Value("sec/op"); ok {
		t.Error("a unit that was not printed")
	}
	r, err = out.One("Produce/with-dash")
	if err != nil {
		t.Fatal(err)
	}
	if want := []BenchValue{{10.5, "ns/op"}, {3.25, "MB/s"}, {7, "widgets"}}; !reflect.DeepEqual(r.Values, want) {
		t.Errorf("%+v", r.Values)
	}
	if _, err := out.One("Plain"); err != nil {
		t.Error(err)
	}
	if _, err := out.One("Missing"); err == nil {
		t.Error("a benchmark that is not there")
	}
}

func TestReadBenchSuspicious(t *testing.T) {
	out, err := ReadBench(strings.NewReader("BenchmarkA 1 1 ns/op\nBenchmarkA-2 1 100 ns/op\nPASS\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.One("A"); err == nil {
		t.Error("two lines of one benchmark")
	}
	out, err = ReadBench(strings.NewReader("BenchmarkA 1 1 ns/op 2 ns/op\n"))
	if err == nil {
		if r, err := out.One("A"); err == nil {
			if _, ok := r.Value("ns/op"); ok {
				t.Error("a value that was printed twice")
			}
		}
	}
	for _, text := range []string{"BenchmarkA 1 1 ns/op\n", "PASS\n--- FAIL: BenchmarkA\n", "PASS\nFAIL\n", "FAIL\texample.com/m\t0.1s\nPASS\n", ""} {
		if out, err := ReadBench(strings.NewReader(text)); err != nil || out.Passed {
			t.Errorf("%q: %+v %v", text, out, err)
		}
	}
	for _, text := range []string{"BenchmarkA 1 x ns/op\n", "BenchmarkA 1 1\n", "BenchmarkA 1 +Inf ns/op\n", "BenchmarkA 1 NaN x\n", "BenchmarkA 0 1 x\n", "BenchmarkA -1 1 x\n"} {
		if _, err := ReadBench(strings.NewReader(text)); err == nil {
			t.Errorf("%q has no error", text)
		}
	}
}

func TestReadMetrics(t *testing.T) {
	got, err := ReadMetrics([]byte("noise\nMETRIC size=10 bytes\r\n METRIC µ/a.b-c_1=1e3\nMETRICS x=1\nMETRIC size=11 bytes\nMETRIC n=-0.5"))
	want := []Printed{{"size", "bytes", []float64{10, 11}}, {"µ/a.b-c_1", "", []float64{1000}}, {"n", "", []float64{-0.5}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"METRIC", "METRIC x", "METRIC x=", "METRIC =1", "METRIC x=1 a b", "METRIC x=nan", "METRIC x=Inf", "METRIC x=1e999", "METRIC x=0x", "METRIC -x=1",
		"METRIC x y=1", "METRIC é=1", "METRIC x=1 s\nMETRIC x=2 ms", "METRIC x=1\nMETRIC x=2 ms"} {
		if got, err := ReadMetrics([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	e := CurrentEnvironment(".")
	if e.Go == "" || e.CPU == "" || e.CPUs < 1 {
		t.Errorf("%+v", e)
	}
	f := e.Fingerprint()
	other := *e
	if other.Load++; other.Fingerprint() != f || len(f) != 16 {
		t.Errorf("the load changes fingerprint %s", f)
	}
	other.Settings = map[string]string{"GOGC": "off"}
	if other.Fingerprint() == f {
		t.Error("GOGC=off does not change the fingerprint")
	}
}

// FuzzOutput: any output of a program is read or refused, and every value that is read is finite.
//
//fuzz:runs 20000
func FuzzOutput(f *testing.F) {
	f.Add([]byte(benchText))
	f.Add([]byte("METRIC a=1 s\nMETRIC a=2 s\nPASS\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		finite := func(v float64) {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("%v of %q", v, text)
			}
		}
		if out, err := ReadBench(bytes.NewReader(text)); err == nil {
			for _, r := range out.Results {
				for _, v := range r.Values {
					finite(v.Value)
				}
				r.Base()
			}
		}
		if list, err := ReadMetrics(text); err == nil {
			for _, m := range list {
				if !MetricName(m.Name) || len(m.Samples) == 0 {
					t.Errorf("%+v", m)
				}
				for _, v := range m.Samples {
					finite(v)
				}
			}
		}
	})
}
