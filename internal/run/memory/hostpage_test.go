package memory

import (
	"testing"

	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/pagesize"
)

func init() { HostPage = pagesize.Of(HostPage) }

// TestHostPage runs the package's tests with larger pages, but those that count the kernel's pages.
func TestHostPage(t *testing.T) {
	daily.Turn(t, 3, false)
	pagesize.Test(t, "-test.skip=^TestRewind")
}
