package measure

import "testing"

// TestMachine: no constant is negative or beyond 100 µs.
func TestMachine(t *testing.T) {
	m := NewMachine(20)
	for _, r := range m.Rows() {
		t.Logf("%-30s %7.2f ns", r.Name, r.NS)
		if r.NS < 0 || r.NS > 1e5 {
			t.Errorf("%s takes %v ns", r.Name, r.NS)
		}
	}
}
