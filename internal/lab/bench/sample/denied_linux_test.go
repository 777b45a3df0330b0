package sample

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The error of a denied sampler gives the reason, and wraps the system's error.
func TestDenied(t *testing.T) {
	for err, want := range map[unix.Errno]string{
		unix.EACCES: "perf_event_paranoid is ", unix.EPERM: "perf_event_paranoid is ", unix.ENOSYS: "filter of system calls",
		unix.ENOENT: "no such event", unix.EMFILE: "too many files",
	} {
		d := denied("perf_event_open", err)
		if !errors.Is(d, err) || !strings.Contains(d.Why, want) || !strings.HasPrefix(d.Error(), "perf_event_open: ") {
			t.Errorf("%v: %v", err, d)
		}
	}
	// A process that does not exist cannot be sampled, and leaves nothing open.
	if s, err := OpenProcess(1<<22-1, Config{}); err == nil {
		s.Close()
		t.Error("a process that does not exist is sampled")
	} else if !errors.As(err, new(*DeniedError)) {
		t.Error(err)
	}
}
