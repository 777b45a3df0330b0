// Package window groups what a function of a pipeline gets by time: the time of the messages and not
// of the machine, so that a message that comes again, or late after an outage, falls into the same
// window.
//
// A window is a span of a fixed length, begun at a multiple of it since 1970. It ends when a message
// has come whose time is the window's end plus the time that late messages have. What comes for a
// window that has ended is late for good.
//
//	var minutes = window.New[tally](time.Minute, 10*time.Second)
//
//	func Handle(subject string, at int64, data []byte) (out []Message, err error) {
//		if t := minutes.At(at, subject); t != nil {
//			t.clicks++
//		}
//		minutes.Ended(100, func(start int64, key string, t *tally) { out = append(out, …) })
//		return out, nil
//	}
//
// A partition that gets no message sees no time pass. A function's Tick tells it: [Windows.Pass].
//
// Windows are variables of the function, so they are part of its state. They use no clock.
package window

import (
	"slices"
	"time"
)

// Windows are the windows that have not ended, with a value for each key.
type Windows[V any] struct {
	length, late int64
	latest       int64              // the largest time
	open         map[int64]*keys[V] // by start
	missed       int
}

type keys[V any] struct {
	names  []string // in the order in which they came
	values map[string]*V
}

// New returns windows of a length, which stay open for late messages for a time after their end. It
// panics if the length is not positive, or the time negative.
func New[V any](length, late time.Duration) *Windows[V] {
	if length <= 0 || late < 0 {
		panic("window: a length that is not positive, or a negative time for late messages")
	}
	return &Windows[V]{length: int64(length), late: int64(late), open: map[int64]*keys[V]{}}
}

// start returns the start of the window of a time.
func (w *Windows[V]) start(at int64) int64 {
	into := at % w.length
	if into < 0 {
		into += w.length
	}
	return at - into
}

// At returns the value of a key in the window of a time, in nanoseconds since 1970: zero when it is
// asked for first. It returns nil if that window has ended, and counts it.
func (w *Windows[V]) At(at int64, key string) *V {
	w.Pass(at)
	start := w.start(at)
	if w.ended(start) {
		w.missed++
		return nil
	}
	k := w.open[start]
	if k == nil {
		k = &keys[V]{values: map[string]*V{}}
		w.open[start] = k
	}
	v := k.values[key]
	if v == nil {
		v = new(V)
		k.names = append(k.names, key)
		k.values[key] = v
	}
	return v
}

func (w *Windows[V]) ended(start int64) bool { return start+w.length+w.late <= w.latest }

// Pass says that a time has been reached.
func (w *Windows[V]) Pass(at int64) { w.latest = max(w.latest, at) }

// Ended calls f for each key of each window that has ended, in the order of the windows and then of
// the keys' first messages, and forgets them. It does so at most times, and goes on with the next call:
// a message may publish 200 messages, and a window may have more keys.
func (w *Windows[V]) Ended(most int, f func(start int64, key string, value *V)) {
	var starts []int64
	for start := range w.open {
		if w.ended(start) {
			starts = append(starts, start)
		}
	}
	slices.Sort(starts)
	for _, start := range starts {
		k := w.open[start]
		for ; len(k.names) > 0; k.names = k.names[1:] {
			if most--; most < 0 {
				return
			}
			name := k.names[0]
			f(start, name, k.values[name])
			delete(k.values, name)
		}
		delete(w.open, start)
	}
}

// Missed returns how often At was asked for a window that had ended.
func (w *Windows[V]) Missed() int { return w.missed }
