package measure

import (
	"math"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestStatistics(t *testing.T) {
	if m := Median([]float64{5, 1, 3}); m != 3 {
		t.Errorf("median of three is %v", m)
	}
	if m := Median([]float64{5, 1, 3, 4}); m != 3.5 {
		t.Errorf("median of four is %v", m)
	}
	if g := GeoMean([]float64{2, 8}); math.Abs(g-4) > 1e-12 {
		t.Errorf("geometric mean is %v", g)
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(GeoMean(nil)) {
		t.Error("statistics of nothing are numbers")
	}
}

// TestCommand runs this binary as the command: it takes memory and time.
func TestCommand(t *testing.T) {
	if os.Getenv("GYR_MEASURE_CHILD") != "" {
		b := make([]byte, 64<<20)
		for i := range b {
			b[i] = byte(i)
		}
		for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
			b[0]++
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCommand$")
	cmd.Env = append(os.Environ(), "GYR_MEASURE_CHILD=1")
	u, err := Command(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if u.Wall <= 0 || u.CPU <= 0 || u.Peak != 0 && u.Peak < 1<<20 {
		t.Errorf("%+v", u)
	}
	if _, err := Command(exec.Command(os.Args[0], "-no-such-flag")); err == nil {
		t.Error("exit status 2 is no error")
	}
}
