package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"metrics", "battery", "stop"}
	for name, want := range map[string]string{"metric": "metrics", "Metrics": "metrics", "batery": "battery", "stpo": "stop", "proposer": "", "": ""} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
