package hot

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// exported is a profile with a stack of each kind.
func exported() *record.Profile {
	at := func(name string, line int) record.Frame { return record.Frame{Func: name, File: "a.go", Line: line} }
	return &record.Profile{
		Cell: record.Cell{Bench: "p.Sum", Engine: "native"}, By: "cpu-clock", Samples: 10, N: 5,
		Shares: []record.Share{{Func: "main.loop", Kind: "guest", Share: 0.7}, {Func: "runtime.mallocgc", Kind: "runtime", Share: 0.2},
			{Func: "[kernel]", Kind: "kernel", Share: 0.1}},
		Stacks: []record.Stack{
			{Frames: []record.Frame{at("main.inner", 3), at("main.loop", 7)}, Samples: 6},
			{Frames: []record.Frame{at("main.loop", 8)}, Samples: 1},
			{Frames: []record.Frame{{Func: "runtime.mallocgc"}, at("main.loop", 7)}, Samples: 2},
			{Frames: []record.Frame{{Func: "[kernel]"}}, Samples: 1},
		},
	}
}

// pprof's own package reads the output, and finds the values, the kinds and the lines.
func TestPprof(t *testing.T) {
	for _, p := range []*record.Profile{exported(), {Shares: exported().Shares}} {
		var b, again bytes.Buffer
		if err := WritePprof(&b, p); err != nil {
			t.Fatal(err)
		}
		if WritePprof(&again, p); !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Error("the same profile is other bytes")
		}
		got, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.CheckValid(); err != nil {
			t.Fatal(err)
		}
		sum, kinds := int64(0), map[string]int64{}
		for _, s := range got.Sample {
			sum += s.Value[0]
			kinds[s.Label["share"][0]] += s.Value[0]
			if len(s.Location) == 0 || s.Location[0].Line[0].Function.Name == "" {
				t.Errorf("%+v", s)
			}
		}
		if want := map[string]int64{"guest": sum * 7 / 10, "runtime": sum * 2 / 10, "kernel": sum / 10}; kinds["guest"] != want["guest"] ||
			kinds["runtime"] != want["runtime"] || kinds["kernel"] != want["kernel"] {
			t.Errorf("%v of %d, want %v", kinds, sum, want)
		}
		if len(p.Stacks) > 0 {
			if sum != 10 || len(got.Sample[0].Location) != 2 || got.Sample[0].Location[1].Line[0].Line != 7 {
				t.Errorf("%d samples: %v", sum, got)
			}
		}
	}
}

// The file follows speedscope's schema: each frame that a sample names exists, each sample has a
// weight, and the values end where the weights do.
func TestSpeedscope(t *testing.T) {
	for _, p := range []*record.Profile{exported(), {}, {Shares: exported().Shares}} {
		var b bytes.Buffer
		if err := WriteSpeedscope(&b, p); err != nil {
			t.Fatal(err)
		}
		var f struct {
			Schema string `json:"$schema"`
			Active *int   `json:"activeProfileIndex"`
			Shared *struct {
				Frames *[]struct {
					Name string
					File *string
					Line *int
				}
			}
			Profiles []map[string]json.RawMessage
		}
		d := json.NewDecoder(&b)
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		if f.Schema != speedscopeSchema || f.Active == nil || *f.Active >= len(f.Profiles) || f.Shared == nil || f.Shared.Frames == nil {
			t.Fatalf("%+v", f)
		}
		for _, x := range *f.Shared.Frames {
			if x.Name == "" {
				t.Errorf("a frame without a name: %+v", f)
			}
		}
		q := f.Profiles[0]
		var kind, unit string
		var start, end float64
		var samples [][]int
		var weights []float64
		for name, to := range map[string]any{"type": &kind, "unit": &unit, "startValue": &start, "endValue": &end, "samples": &samples, "weights": &weights, "name": new(string)} {
			if err := json.Unmarshal(q[name], to); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		sum := 0.0
		for i, s := range samples {
			sum += weights[i]
			for _, n := range s {
				if n < 0 || n >= len(*f.Shared.Frames) {
					t.Errorf("frame %d of %d", n, len(*f.Shared.Frames))
				}
			}
		}
		if kind != "sampled" || unit != "none" || start != 0 || math.Abs(end-sum) > 1e-6 || len(samples) != len(weights) || samples == nil {
			t.Errorf("%s, %s, %g to %g, %v, %v", kind, unit, start, end, samples, weights)
		}
		if len(p.Stacks) > 0 {
			if first := samples[0]; (*f.Shared.Frames)[first[0]].Name != "main.loop" || (*f.Shared.Frames)[first[1]].Name != "main.inner" {
				t.Errorf("the outermost frame is not the first: %v", samples)
			}
		}
	}
}
