package measure

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// TestThreadWait: what a thread has waited only grows, is no more than the time that went by, and sleeping is none of it.
func TestThreadWait(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/schedstat"); err != nil {
		t.Skip("this kernel does not tell how long threads wait: ", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and the thread ends with the goroutine
		begin := time.Now()
		w := NewThreadWait()
		defer w.Close()
		before := w.Total()
		for range 20 {
			spin(time.Now().Add(time.Millisecond))
			now := w.Total()
			if now < before {
				t.Errorf("the thread has waited %v, and %v before", now, before)
			}
			before = now
		}
		if all := time.Since(begin); before > all {
			t.Errorf("a thread that is %v old has waited %v", all, before)
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
