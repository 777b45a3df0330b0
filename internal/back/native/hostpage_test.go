//go:build unix

package native

import (
	"testing"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/pagesize"
)

func init() { memory.HostPage = pagesize.Of(memory.HostPage) }

// TestHostPage publishes and runs code with larger pages.
func TestHostPage(t *testing.T) {
	daily.Turn(t, 3, false)
	pagesize.Test(t, "-test.run=^(TestArena|TestEnter|TestUnderFire|TestBase|TestRandomBase|TestSharedBase|TestStoredBase|TestStoredCode|TestRandom|TestCases|TestBulk|TestWideFrames|TestUnsafeCalls)$")
}
