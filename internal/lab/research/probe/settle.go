package probe

import (
	"runtime"
	"time"
)

// A settler lets goroutines that a call began go on until they end or wait, before the next call. Without that the
// order in which two of them run would be an answer of the package, and another one in the next run.
type settler struct {
	base     int           // goroutines that are there between calls
	serving  bool          // some of them are the object's: they go on with what a call gave them
	patience time.Duration // how long a goroutine may take to end
}

// Patience for goroutines at first, and where such as never end were met often.
const (
	mostPatience  = 60 * time.Millisecond
	leastPatience = 2 * time.Millisecond
	shortPause    = 20 * time.Microsecond
)

func newSettler() *settler { return &settler{base: runtime.NumGoroutine(), patience: mostPatience} }

// anew begins with another object. The goroutines of those before are nobody's any more.
func (s *settler) anew() { s.base, s.serving = runtime.NumGoroutine(), false }

// settle comes behind a call and, where the caller writes to the call's memory afterwards, behind that: what a goroutine reads
// there is to be seen.
func (s *settler) settle() {
	if s.serving {
		runtime.Gosched()
		time.Sleep(shortPause)
	}
	began := time.Now()
	for pause := shortPause; runtime.NumGoroutine() > s.base; pause *= 2 {
		if time.Since(began) >= s.patience {
			s.base, s.serving = runtime.NumGoroutine(), true
			if s.patience /= 2; s.patience < leastPatience {
				s.patience = leastPatience
			}
			return
		}
		runtime.Gosched()
		time.Sleep(pause)
	}
}
