package research

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// TestWaiting: a session that waits for the machine's lock says so and names the holder, once for
// each candidate. It adds up the time, and holds the lock only for samples. Exact figures need none.
func TestWaiting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	held, err := measure.TryLock(file)
	if err != nil || held == nil {
		t.Skip("no locks here: ", err)
	}
	var out strings.Builder
	s := &Session{out: &out, state: &state{next: 7}, lockFile: file}
	noisy := &source{from: "gobench", metrics: []*Metric{{Name: "n", Class: "auto"}, {Name: "e", Class: "auto"}}}
	for range 2 {
		got := make(chan *measure.Lock)
		go func() {
			l, err := s.measureLock(t.Context(), noisy)
			if err != nil {
				t.Error(err)
			}
			got <- l
		}()
		time.Sleep(10 * time.Millisecond)
		held.Release()
		held = <-got
	}
	if n := strings.Count(out.String(), "waiting: process "); n != 1 {
		t.Errorf("said %d times: %s", n, out.String())
	}
	if s.waiting <= 0 {
		t.Error("no time waited")
	}
	s.state.calibration = &calibration{Classes: map[string]measure.Class{"n": measure.Noisy, "e": measure.Exact}}
	for _, c := range []struct {
		src  *source
		want bool
	}{
		{noisy, true},
		{&source{from: "gobench", metrics: noisy.metrics[1:]}, false},
		{&source{from: "command", metrics: []*Metric{{Name: "x", Class: "exact"}}}, false},
		{&source{from: "command", metrics: []*Metric{{Name: "x", Class: "near-exact"}}}, true},
		{&source{from: "engine", metrics: []*Metric{{Name: "g", Class: "auto"}}}, false},
		{&source{from: "file", metrics: []*Metric{{Name: "f", Class: "auto"}}}, false},
	} {
		if got := s.needsTurn(c.src); got != c.want {
			t.Errorf("%s %s: %v", c.src.from, c.src.metrics[0].Name, got)
		}
	}
	if l, err := s.measureLock(t.Context(), &source{from: "engine"}); l != nil || err != nil {
		t.Errorf("a lock for exact figures: %v, %v", l, err)
	}
	held.Release()
}
