package engine

import (
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/lazy"
)

// These methods are for a run's own writers and observers. They are called on the goroutine of the
// run, which has taken the instance, so they do not take it. Nothing else may call them.

// StatsWithin is Stats, with the wall time of collections.
func (in *Instance) StatsWithin() (s Stats, collecting time.Duration) {
	return in.figures(), in.vm.Stats().GCTime
}

// CallersWithin returns up to n frames of the guest, the innermost first.
func (in *Instance) CallersWithin(n int) []api.Position { return in.vm.Traceback(n) }

// Work returns the cost of compiling functions in this process, of the program and what it
// continues, to register code and machine code, and the bytes of the program's own machine code.
func (p *Program) Work() (w lazy.Work, code int64) {
	if p.register.made.Load() {
		w = p.register.code.Work()
	}
	if p.native.made.Load() {
		n, bytes := p.native.code.work()
		w.Functions, w.Time, code = w.Functions+n.Functions, w.Time+n.Time, bytes
	}
	return w, code
}
