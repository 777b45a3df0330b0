//go:build unix

package native

import (
	"testing"

	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestPatterns: the machine code of every pattern computes the same as its operations for all
// triples of boundary operands.
func TestPatterns(t *testing.T) {
	needsCode(t)
	for _, p := range irtest.Today(t) {
		t.Run(p.Name, func(t *testing.T) {
			for _, i := range []int{0, 2} { // with and without package unsafe
				mod, err := p.Module()
				if err != nil {
					t.Fatal(err)
				}
				started.Compare(t, mod, i, 0)
			}
		})
	}
}
