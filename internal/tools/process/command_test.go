package process

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestCommand runs this binary as the command, which uses memory and time.
func TestCommand(t *testing.T) {
	if os.Getenv("GYR_MEASURE_CHILD") != "" {
		b := make([]byte, 64<<20)
		for i := range b {
			b[i] = byte(i)
		}
		for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
			b[0]++
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCommand$")
	cmd.Env = append(os.Environ(), "GYR_MEASURE_CHILD=1")
	u, err := Command(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if u.Wall <= 0 || u.CPU <= 0 || u.Peak != 0 && u.Peak < 1<<20 {
		t.Errorf("%+v", u)
	}
	if _, err := Command(exec.Command(os.Args[0], "-no-such-flag")); err == nil {
		t.Error("exit status 2 is no error")
	}
}
