//go:build go1.17

package probe

import (
	"bytes"
	"runtime"
	"time"
)

// A settler lets the goroutines of a call run until they end or wait, before the next call.
// Otherwise the order in which two of them run would show in the package's answers and differ in
// the next run.
type settler struct {
	base     int           // goroutines that exist between calls
	serving  bool          // some of them belong to the object: they go on with what a call gave them
	patience time.Duration // how long a goroutine may take to end
	stacks   []byte
}

// Patience for goroutines at first, and after many that never ended.
const (
	mostPatience  = 60 * time.Millisecond
	leastPatience = 2 * time.Millisecond
	shortPause    = 20 * time.Microsecond
)

func newSettler() *settler { return &settler{base: runtime.NumGoroutine(), patience: mostPatience} }

// anew begins with another object. The goroutines of earlier objects belong to nobody.
func (s *settler) anew() { s.base, s.serving = runtime.NumGoroutine(), false }

// rest reports whether all goroutines but this one wait for something.
func (s *settler) rest() bool {
	if s.stacks == nil {
		s.stacks = make([]byte, 64<<10)
	}
	text := s.stacks[:runtime.Stack(s.stacks, true)]
	return bytes.Count(text, []byte(" [runnable")) == 0 && bytes.Count(text, []byte(" [running")) <= 1
}

// settle is called after a call. If the caller then writes to the call's memory, it is called again
// after that, to see what a goroutine reads there. It reports whether goroutines stay.
func (s *settler) settle() (stay bool) {
	began := time.Now()
	for s.serving {
		runtime.Gosched()
		time.Sleep(shortPause)
		if s.rest() || time.Since(began) >= mostPatience {
			break // on a busy machine they wait for a processor, too
		}
	}
	for pause := shortPause; runtime.NumGoroutine() > s.base; pause *= 2 {
		if time.Since(began) >= s.patience {
			s.base, s.serving = runtime.NumGoroutine(), true
			if s.patience /= 2; s.patience < leastPatience {
				s.patience = leastPatience
			}
			return true
		}
		runtime.Gosched()
		time.Sleep(pause)
	}
	return false
}
