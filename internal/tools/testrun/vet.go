package testrun

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/tools/buildjson"
	"github.com/gyrvm/gyr/internal/tools/vet"
)

// A sharedVetter analyses the packages of a run, and analyses what they import once.
type sharedVetter struct {
	once sync.Once
	v    *vet.Vetter // nil: no analysis
	err  error
}

// open returns the vetter, or nil if nothing is to be analysed.
func (s *sharedVetter) open(o *Options) (*vet.Vetter, error) {
	s.once.Do(func() {
		src := o.Source
		src.Dir, src.Progress = o.Dir, nil
		s.v, s.err = o.Vet.New(vet.Options{Source: src, Jobs: o.Jobs})
	})
	return s.v, s.err
}

func (s *sharedVetter) close(c *counters) {
	if s.v == nil {
		return
	}
	stats := s.v.Stats()
	s.v.Close()
	c.Vetted = stats.Analysed
	c.trouble(stats.Note)
}

// vetName is the part of a test result's name that the analyzers decide.
func (o *Options) vetName() string {
	if o.Vet == nil {
		return "no vet"
	}
	return "vet " + strings.Join(o.Vet.Flags, " ")
}

// A vetting is the analysis of one package.
type vetting struct {
	cancel  context.CancelFunc
	done    chan struct{}
	results []vet.Result
}

// wait waits for the end and returns the results; stop ends the analysis.
func (x *vetting) wait() []vet.Result { <-x.done; x.cancel(); return x.results }
func (x *vetting) stop()              { x.cancel(); <-x.done }

// vet starts to analyse the package and its tests, concurrently with its compilation.
//
// It leaves out packages of the standard library, which their authors vet, and packages of another
// revision, whose tests only run for their usage.
func (j *job) vet(ctx context.Context) *vetting {
	x := &vetting{done: make(chan struct{})}
	ctx, x.cancel = context.WithCancel(ctx)
	if j.o.Vet == nil || j.Std || j.o.Revision != nil || !j.HasGo && !j.HasTests {
		close(x.done)
		return x
	}
	go func() {
		defer close(x.done)
		v, err := j.vets.open(j.o)
		var results []vet.Result
		if v != nil {
			results, err = v.Packages(ctx, []load.Listed{j.Listed})
		}
		if err != nil && ctx.Err() == nil {
			x.results = []vet.Result{{Path: j.Path, Err: err}}
		}
		for _, r := range results {
			if !r.OK() {
				x.results = append(x.results, r)
			}
		}
	}()
	return x
}

// vetFailed prints the findings of vet, as go test does.
func (j *job) vetFailed(results []vet.Result) verdict {
	var events []buildjson.Event
	for i := range results {
		r := &results[i]
		var text bytes.Buffer
		p := vet.Printer{W: &text, Dir: j.o.Dir, Context: -1, Slash: true, Heads: true}
		p.Print(r)
		unit := r.Path
		if r.Tested {
			unit += " [" + j.Path + ".test]"
		}
		for line := range strings.Lines(text.String()) {
			events = append(events, buildjson.Event{ImportPath: unit, Action: buildjson.BuildOutput, Output: line})
		}
		events = append(events, buildjson.Event{ImportPath: unit, Action: buildjson.BuildFail})
	}
	return j.buildFailed(events, "build failed", events[len(events)-1].ImportPath)
}
