//go:build unix

package native

import "testing"

// started makes the machines of tests.
var started = startOn(thisHost)

// needsCode skips a test where code cannot be made executable.
func needsCode(t *testing.T) {
	if err := Check(); err != nil {
		t.Skip(err)
	}
}

func TestRandom(t *testing.T) {
	needsCode(t)
	started.TestRandom(t)
}

func TestOperations(t *testing.T) {
	needsCode(t)
	t.Run("type-safe", func(t *testing.T) { started.TestOperations(t, 0, false) })
	t.Run("checked", func(t *testing.T) { started.TestOperations(t, 2, true) })
}
