package probe

import "time"

// A budget is how much of the processor's time calls may take together. On a busy machine the clock runs on while
// a process waits for its turn: by the clock alone, a candidate would be called less there and pass for it.
type budget struct {
	most  time.Duration
	spent time.Duration // by the process when the budget began
	since time.Time
}

func newBudget(most time.Duration) budget { return budget{most, processTime(), time.Now()} }

// leastShare is the part of a processor below which a process does not wait for its turn, but for something else.
const leastShare = 0.02

// left reports whether another call may begin, or this one go on.
func (b budget) left() bool {
	elapsed := time.Since(b.since)
	if elapsed < b.most {
		return true
	}
	spent := processTime() - b.spent
	return spent < b.most && spent.Seconds() > leastShare*elapsed.Seconds()
}
