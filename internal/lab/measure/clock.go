package measure

import "time"

// ClockStep is the least difference between two differing readings of the clock, over some thousand
// readings.
func ClockStep() time.Duration {
	least := time.Second
	for range 4096 {
		from := time.Now()
		for {
			if d := time.Since(from); d > 0 {
				least = min(least, d)
				break
			}
		}
	}
	return least
}
