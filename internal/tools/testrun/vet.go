package testrun

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/tools/buildjson"
	"github.com/gyrvm/gyr/internal/tools/vet"
)

// vet starts to look for mistakes in the package and its tests, beside its compilation. The function that it returns waits
// for the end, and returns what there is to be said, or nil.
//
// Packages of the standard library are let alone: its authors vet them, and their sources would have to be loaded whole.
// So are those of another revision, whose tests are run for what they use.
func (j *job) vet(ctx context.Context, src engine.Source) func() []vet.Result {
	if j.o.Vet == nil || j.Std || j.o.Revision != nil || !j.HasGo && !j.HasTests {
		return func() []vet.Result { return nil }
	}
	src.Cover = nil
	src.Progress = nil
	var bad []vet.Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !j.o.Alone {
			src.Base = j.base.open(ctx, &src)
		}
		results, stats, err := vet.Packages(ctx, vet.Options{Source: src, Analyzers: j.o.Vet, Jobs: 1}, []load.Listed{j.Listed})
		j.stats.trouble(stats.Note)
		j.stats.vetted(stats)
		if err != nil && ctx.Err() == nil {
			bad = []vet.Result{{Path: j.Path, Err: err}}
		}
		for _, r := range results {
			if !r.OK() {
				bad = append(bad, r)
			}
		}
	}()
	return func() []vet.Result {
		<-done
		return bad
	}
}

// vetFailed prints what vet has to say, as go test does.
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
	verdict := "FAIL\t" + j.Path + " [build failed]\n"
	if !j.o.JSON {
		for _, e := range events {
			io.WriteString(&j.err, e.Output)
		}
		j.line("%s", verdict)
		return broken
	}
	buildjson.Write(&j.out, events)
	c := &converter{w: &j.out, pkg: j.Path, now: time.Now}
	c.emit(event{Action: "start"})
	c.printf("%s", verdict)
	c.finish("fail", 0, events[len(events)-1].ImportPath)
	return broken
}
