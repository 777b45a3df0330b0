package sample

// A Counting holds the processor's own counters, and some of the kernel's, for a thread. A nil
// Counting counts nothing.
type Counting struct{ list []named }

type named struct {
	unit string
	counter
}

// Start begins to count. Stop ends it.
func (c *Counting) Start() error { return c.each(func(x named) error { return x.enable(true) }) }

func (c *Counting) Stop() error { return c.each(func(x named) error { return x.enable(false) }) }

func (c *Counting) each(do func(named) error) (first error) {
	if c == nil {
		return nil
	}
	for _, x := range c.list {
		if err := do(x); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Close releases the counters.
func (c *Counting) Close() {
	c.each(func(x named) error { x.close(); return nil })
}

// PerOp returns the counts per iteration, of n iterations, by unit (record.Counters). It leaves out
// events that the machine does not count. It also leaves out events that were counted less than a
// tenth of the time, because the machine has too few counters.
func (c *Counting) PerOp(n int) map[string]float64 {
	out := map[string]float64{}
	if n > 0 {
		c.each(func(x named) error {
			if count, part := x.read(); part >= 0.1 {
				out[x.unit] = float64(count) / part / float64(n)
			}
			return nil
		})
	}
	return out
}
