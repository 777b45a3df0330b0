package hot

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/run/profile"
)

// stacksOf are the stacks of a profile. A profile without samples has a stack of one frame for each
// function.
func stacksOf(p *record.Profile) []record.Stack {
	if len(p.Stacks) > 0 {
		return p.Stacks
	}
	var list []record.Stack
	for _, s := range p.Shares {
		list = append(list, record.Stack{Frames: []record.Frame{{Func: s.Func}}, Samples: s.Share * wholeProfile})
	}
	return list
}

// wholeProfile is the total of the weights of a profile without samples.
const wholeProfile = 100_000

// WritePprof writes the stacks of a profile in the format that go tool pprof reads, compressed.
func WritePprof(w io.Writer, p *record.Profile) error {
	kinds := map[string]string{}
	for _, s := range p.Shares {
		kinds[s.Func] = s.Kind
	}
	var list []profile.Stack
	for _, s := range stacksOf(p) {
		x := profile.Stack{Value: int64(math.Round(s.Samples))}
		for _, f := range s.Frames {
			x.Frames = append(x.Frames, profile.StackFrame{Func: f.Func, File: f.File, Line: f.Line})
		}
		for _, f := range s.Frames { // the innermost function that was compiled
			if x.Kind = kinds[f.Func]; x.Kind != "" {
				break
			}
		}
		list = append(list, x)
	}
	name := "samples"
	if len(p.Stacks) == 0 {
		name = "shares"
	}
	return profile.WriteStacks(w, list, name, "count")
}

// The file format is that of https://www.speedscope.app/file-format-schema.json: a table of frames,
// and one profile. Its samples are stacks of frame numbers, the outermost first, each with a
// weight.

type speedscopeFile struct {
	Schema   string              `json:"$schema"`
	Name     string              `json:"name"`
	Exporter string              `json:"exporter"`
	Active   int                 `json:"activeProfileIndex"`
	Shared   speedscopeShared    `json:"shared"`
	Profiles []speedscopeProfile `json:"profiles"`
}

type speedscopeShared struct {
	Frames []speedscopeFrame `json:"frames"`
}

type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

type speedscopeProfile struct {
	Type    string    `json:"type"`
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Start   float64   `json:"startValue"`
	End     float64   `json:"endValue"`
	Samples [][]int   `json:"samples"`
	Weights []float64 `json:"weights"`
}

const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// WriteSpeedscope writes the stacks of a profile as a speedscope file.
func WriteSpeedscope(w io.Writer, p *record.Profile) error {
	name := p.Bench
	if p.Engine != "" {
		name += " (" + p.Engine + ")"
	}
	f := speedscopeFile{Schema: speedscopeSchema, Name: name, Exporter: "gyr bench", Shared: speedscopeShared{Frames: []speedscopeFrame{}}}
	out := speedscopeProfile{Type: "sampled", Name: name, Unit: "none", Samples: [][]int{}, Weights: []float64{}}
	numbers := map[record.Frame]int{}
	for _, s := range stacksOf(p) {
		stack := make([]int, len(s.Frames))
		for i, x := range s.Frames {
			n, ok := numbers[x]
			if !ok {
				n = len(f.Shared.Frames)
				numbers[x] = n
				f.Shared.Frames = append(f.Shared.Frames, speedscopeFrame{x.Func, filepath.ToSlash(x.File), x.Line})
			}
			stack[len(stack)-1-i] = n
		}
		out.Samples, out.Weights = append(out.Samples, stack), append(out.Weights, s.Samples)
		out.End += s.Samples
	}
	f.Profiles = []speedscopeProfile{out}
	return json.NewEncoder(w).Encode(f)
}
