package sample

import (
	"fmt"
	"sync"
	"time"
)

// A Config says how a Sampler looks.
type Config struct {
	Hz     int  // samples a second of processor time; 0: DefaultHz. The kernel may deliver fewer.
	Kernel bool // samples within the kernel too, where that is permitted
	Calls  bool // with the calls that led there, as far as frame pointers tell: in Go's code, not in the guest's
	// Clock takes the kernel's clock although the processor may have counters.
	Clock bool
	// Stack is how many bytes of the stack, from where its pointer points, Unwind is given for each
	// sample, to find the calls of code that has no frame pointers; a multiple of 8, 0: none.
	// Unwind is called by one goroutine at a time, some milliseconds behind the sample; it returns
	// return addresses, the innermost first, and keeps none of the bytes.
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

// A Sample is one look.
type Sample struct {
	IP     uint64
	Kernel bool     // it is an address of the kernel
	Chain  []uint64 // return addresses, the innermost first, without IP; with Config.Calls or Config.Unwind
}

// A DeniedError says why there are no samples.
type DeniedError struct {
	What string // was to be opened
	Why  string // "perf_event_paranoid is 4", for people
	Err  error  // of the system; nil: there is no such thing here
}

func (e *DeniedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.What, e.Why)
	}
	return fmt.Sprintf("%s: %v (%s)", e.What, e.Err, e.Why)
}

func (e *DeniedError) Unwrap() error { return e.Err }

// A Sampler collects samples between Start and Stop, which may be called again and again, from any
// goroutine. It is not safe for concurrent use.
type Sampler struct {
	by    string
	rings []*ring

	mu      sync.Mutex // guards what follows, and reading the rings
	samples []Sample
	lost    int

	stop    chan struct{}
	stopped sync.WaitGroup
}

// By is what makes the kernel take a sample: "cycles" or "cpu-clock".
func (s *Sampler) By() string { return s.by }

// drainEvery is how often samples are fetched: a ring holds a few times as many, even of those with
// a piece of the stack.
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

// Stop ends it.
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

// Samples returns what was collected up to now, and how many samples were lost because nobody
// fetched them in time.
func (s *Sampler) Samples() (list []Sample, lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.samples, s.lost
}

// Discard forgets the samples up to now.
func (s *Sampler) Discard() {
	s.drain()
	s.mu.Lock()
	s.samples, s.lost = nil, 0
	s.mu.Unlock()
}

// Close stops and gives everything back. The samples stay.
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
