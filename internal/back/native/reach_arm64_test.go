package native

import (
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/arm64"
)

// TestReach runs operations, cases and random modules in the longer forms of code.
func TestReach(t *testing.T) {
	needsCode(t)
	for name, reach := range map[string]arm64.Reach{"1 MiB": arm64.Reach1M, "128 MiB": arm64.Reach128M} {
		t.Run(name, func(t *testing.T) {
			start := startOn(newHost(arm64.CPU{Reach: reach}, Enter, exitAddress))
			t.Run("operations", func(t *testing.T) { start.TestOperations(t, 0, false) })
			t.Run("random", func(t *testing.T) { start.TestRandom(t) })
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) { start.TestText(t, c.text, 0) })
			}
		})
	}
}
