package sample

import (
	"fmt"
	"sync"
	"time"
)

// A Config says how a Sampler samples.
type Config struct {
	Hz     int  // samples a second of processor time; 0: DefaultHz. The kernel may deliver fewer.
	Kernel bool // also samples within the kernel, where permitted
	Calls  bool // with the chain of calls, as far as frame pointers tell it: in Go's code, not in the guest's
	// Clock uses the kernel's clock even if the processor has counters.
	Clock bool
	// Stack is the number of bytes of the stack, from the stack pointer on, that Unwind gets for
	// each sample; a multiple of 8, 0: none. Unwind finds the calls of code without frame pointers.
	// One goroutine at a time calls it, some milliseconds after the sample. It returns return
	// addresses, the innermost first, and keeps none of the bytes.
	Stack  int
	Unwind func(ip, sp uint64, stack []byte) []uint64
}

// DefaultHz is a rate that costs about a hundredth of the time.
const DefaultHz = 4000

func (c *Config) hz() int {
	if c.Hz > 0 {
		return c.Hz
	}
	return DefaultHz
}

// A Sample is one sample.
type Sample struct {
	IP     uint64
	Kernel bool     // the address is in the kernel
	Chain  []uint64 // return addresses, the innermost first, without IP; with Config.Calls or Config.Unwind
}

// A DeniedError says why there are no samples.
type DeniedError struct {
	What string // was to be opened
	Why  string // for people: "perf_event_paranoid is 4"
	Err  error  // of the system; nil: the system has no sampling
}

func (e *DeniedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.What, e.Why)
	}
	return fmt.Sprintf("%s: %v (%s)", e.What, e.Err, e.Why)
}

func (e *DeniedError) Unwrap() error { return e.Err }

// A Sampler collects samples between Start and Stop, which may be called repeatedly, from any
// goroutine. It is not safe for concurrent use.
type Sampler struct {
	by    string
	rings []*ring

	mu      sync.Mutex // guards the fields below, and reading the rings
	samples []Sample
	lost    int

	stop    chan struct{}
	stopped sync.WaitGroup
}

// By is the event that triggers a sample: "cycles" or "cpu-clock".
func (s *Sampler) By() string { return s.by }

// drainEvery is how often samples are fetched. A ring has room for a few times as many, even with
// pieces of the stack.
const drainEvery = 20 * time.Millisecond

// Start begins to sample.
func (s *Sampler) Start() error {
	if s.stop != nil {
		return nil
	}
	for _, r := range s.rings {
		if err := r.enable(true); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	s.stop = stop
	s.stopped.Go(func() {
		tick := time.NewTicker(drainEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				s.drain()
			}
		}
	})
	return nil
}

// Stop ends sampling.
func (s *Sampler) Stop() error {
	if s.stop == nil {
		return nil
	}
	var first error
	for _, r := range s.rings {
		if err := r.enable(false); err != nil && first == nil {
			first = err
		}
	}
	close(s.stop)
	s.stopped.Wait()
	s.stop = nil
	s.drain()
	return first
}

func (s *Sampler) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rings {
		var lost int
		s.samples, lost = r.read(s.samples)
		s.lost += lost
	}
}

// Samples returns the samples so far, and how many were lost because they were not fetched in time.
func (s *Sampler) Samples() (list []Sample, lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.samples, s.lost
}

// Discard drops the samples so far.
func (s *Sampler) Discard() {
	s.drain()
	s.mu.Lock()
	s.samples, s.lost = nil, 0
	s.mu.Unlock()
}

// Close stops sampling and releases everything. The samples stay.
func (s *Sampler) Close() error {
	err := s.Stop()
	for _, r := range s.rings {
		if e := r.close(); e != nil && err == nil {
			err = e
		}
	}
	s.rings = nil
	return err
}
