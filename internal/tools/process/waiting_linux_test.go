package process

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// TestThreadWait: a thread's waiting time only grows, and by no more than the time that passes.
func TestThreadWait(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/schedstat"); err != nil {
		t.Skip("this kernel does not tell how long threads wait: ", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // not unlocked, so the thread ends with the goroutine
		w := NewThreadWait()
		defer w.Close()
		begin := time.Now()
		first := w.Total() // the thread may have run before
		before := first
		for range 20 {
			spin(time.Now().Add(time.Millisecond))
			now := w.Total()
			if now < before {
				t.Errorf("the thread has waited %v, and %v before", now, before)
			}
			before = now
		}
		if all := time.Since(begin); before-first > all {
			t.Errorf("in %v the thread has waited %v", all, before-first)
		}
	}()
	<-done
}

func spin(until time.Time) {
	for time.Now().Before(until) {
	}
}

// TestThreadWaitUnknown: where the system does not tell, no time counts as waiting.
func TestThreadWaitUnknown(t *testing.T) {
	w := &ThreadWait{}
	if w.Total() != 0 {
		t.Error("a thread that nobody watches has waited")
	}
	w.Close()
}
