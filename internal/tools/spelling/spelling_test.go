package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"metrics", "battery", "stop", "mod", "run"}
	for name, want := range map[string]string{"metric": "metrics", "Metrics": "metrics", "batery": "battery", "stpo": "stop", "proposer": "", "foo": "", "rnu": "run", "mo": "mod", "m": "", "": ""} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
