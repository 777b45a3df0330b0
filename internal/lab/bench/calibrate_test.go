package bench

import (
	"context"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A model is an engine with one benchmark that only says how long n iterations take. Round is the
// number of the run.
type model func(round, n int) *reply

func (m model) Label() string                     { return "model" }
func (m model) Build(context.Context, *pkg) error { return nil }
func (m model) Open(context.Context, *pkg) (session, error) {
	round := 0
	return modelSession(func(o *order) *reply { round++; return m(round, o.N) }), nil
}

type modelSession func(*order) *reply

func (s modelSession) Run(_ context.Context, o *order) (*reply, error) { return s(o), nil }
func (s modelSession) Close() error                                    { return nil }

// modelReply has two batches of n iterations. A batch works for ns and waits for wait.
// The process used more processor time besides.
func modelReply(n int, ns, wait, more float64) *reply {
	b := named{Name: "X", Batch: record.Batch{N: n, NS: ns + wait, WaitNS: wait}}
	return &reply{Batches: []named{b, b}, CPUNS: 2*ns + more}
}

// TestCalibrate: the iterations of a batch fill it, without what they have in common, on an idle
// machine and on one where every process waits.
func TestCalibrate(t *testing.T) {
	const target = 20e6
	for _, c := range []struct {
		name  string
		model model
		least int
		most  int
		fixed float64
	}{
		{"short", func(_, n int) *reply { return modelReply(n, 30*float64(n), 0, 1e6) }, 600_000, 1_200_000, 0},
		{"long", func(_, n int) *reply { return modelReply(n, 50e6*float64(n), 0, 1e6) }, 1, 1, 0},
		{"a setup longer than a batch", func(_, n int) *reply { return modelReply(n, 30e6+30*float64(n), 0, 1e6) }, 600_000, 1_200_000, 30e6},
		{"a setup for ever", func(_, n int) *reply { return modelReply(n, 1e9+30*float64(n), 0, 1e6) }, 1, 100, 1e9},
		{"interrupted readings", func(round, n int) *reply {
			if round < 3 {
				return modelReply(n, 30*float64(n)+25e6, 0, 1e6)
			}
			return modelReply(n, 30*float64(n), 0, 1e6)
		}, 600_000, 1_200_000, 0},
		{"a loaded machine", func(round, n int) *reply {
			time.Sleep(time.Duration(round) * 10 * time.Millisecond) // each process waits longer than the one before it
			return modelReply(n, 30*float64(n), 300*float64(n), 1e6)
		}, 600_000, 1_200_000, 0},
		{"work with the timer stopped", func(_, n int) *reply { return modelReply(n, 30*float64(n), 0, 2*10_000*float64(n)) }, 10_000, 40_000, 0},
	} {
		log, err := record.NewLog(nil, &record.Run{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(&Options{Plan: record.Plan{BatchNS: target}, Log: log})
		x := &cell{Cell: record.Cell{Bench: "m.X", Engine: "model"}, bench: &record.Bench{Name: "X"}, engine: c.model}
		if err := r.calibrate(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		got := log.Record().Calibrate
		if x.failed != "" || x.n < c.least || x.n > c.most || len(got) != 1 || got[0].FixedNS < 0.9*c.fixed || got[0].FixedNS > 1.1*c.fixed+1 {
			t.Errorf("%s: %d iterations (%s), want %d to %d; noted %+v", c.name, x.n, x.failed, c.least, c.most, got)
		}
	}
}
