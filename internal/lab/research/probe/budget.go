//go:build go1.17

package probe

import "time"

// A budget is the most processor time that calls may take together. On a busy machine wall time
// passes while a process waits for its turn. With wall time a candidate would be called less there,
// and could pass because of that.
type budget struct {
	most  time.Duration
	spent time.Duration // by the process before the budget began
	since time.Time
}

func newBudget(most time.Duration) budget { return budget{most, processTime(), time.Now()} }

// leastShare is the share of a processor below which a process is not waiting for its turn, but for
// something else.
const leastShare = 0.02

// left reports whether another call may begin, or this one continue.
func (b budget) left() bool {
	elapsed := time.Since(b.since)
	if elapsed < b.most {
		return true
	}
	return processTime()-b.spent < b.most && !b.blocked()
}

// blocked reports whether the calls wait for something: the time is over, and hardly any was used.
func (b budget) blocked() bool {
	elapsed := time.Since(b.since)
	return elapsed >= b.most && (processTime()-b.spent).Seconds() <= leastShare*elapsed.Seconds()
}
