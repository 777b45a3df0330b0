package show_test

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/fixture"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
)

// TestWithoutSetup: in each output a benchmark whose setup is taken off has the times and rates of its
// iterations alone, and the text says so.
func TestWithoutSetup(t *testing.T) {
	r := result.Of(fixture.Setup())
	if out := goFormat(t, r); strings.Count(out, "BenchmarkA\t    1000\t250 ns/op\t1000 MB/s\n") != 8 {
		t.Errorf("in the format of go test:\n%s", out)
	}
	var text, mark strings.Builder
	if err := show.Text(&text, r, show.Options{Width: 300}); err != nil {
		t.Fatal(err)
	}
	if err := show.Markdown(&mark, r); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), mark.String()} {
		if !strings.Contains(out, "250.0 ns") || !strings.Contains(out, "ns/op is without it.") {
			t.Errorf("it lacks the time, or that it is without the setup:\n%s", out)
		}
	}
}
