package measure

import (
	"math"
	"testing"
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
