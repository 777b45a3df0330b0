package embedding_test

import (
	"testing"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/pagesize"
)

func init() { memory.HostPage = pagesize.Of(memory.HostPage) }

// TestHostPage restores, forks, resets and upgrades instances with larger pages.
func TestHostPage(t *testing.T) {
	daily.Turn(t, 3, false)
	pagesize.Test(t, "-test.run=^(TestRoots|TestForks|TestForkAlone|TestUndo|TestTransactions|TestPoolGivesFresh|TestPoolResets|TestUpgrade|TestCompact|TestLoan|TestCacheOfMachineCode)$")
}
