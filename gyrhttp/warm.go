package gyrhttp

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr"
)

// A Warm is one instance of a program that serves all requests, one at a time, in no particular order. What the guest keeps in variables
// stays from one request to the next, until a request ends the program: then the instance is reset.
type Warm struct {
	p    *gyr.Program
	cfg  gyr.Config
	turn chan struct{} // has a value while nobody has the instance
	in   *gyr.Instance // nil: not made yet, or closed
}

// NewWarm returns a Warm, which makes its instance at the first request. The limits of cfg, gas among them, are for all requests
// up to a reset.
func NewWarm(p *gyr.Program, cfg gyr.Config) *Warm {
	w := &Warm{p: p, cfg: cfg, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w
}

// Get waits until nobody has the instance, or ctx ends.
func (w *Warm) Get(ctx context.Context) (*gyr.Instance, error) {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if w.in == nil {
		in, err := w.p.NewInstance(ctx, w.cfg)
		if err != nil {
			w.turn <- struct{}{}
			return nil, err
		}
		w.in = in
	}
	return w.in, nil
}

// Put takes the instance back, and resets it if its program has ended. One that cannot be reset is closed, and another takes its place.
func (w *Warm) Put(in *gyr.Instance) (err error) {
	defer func() { w.turn <- struct{}{} }()
	if err = in.Run(overContext); err == nil {
		return nil // it waits for calls
	}
	if err = in.Reset(w.cfg); err != nil {
		w.in = nil
		return errors.Join(err, in.Close())
	}
	return nil
}

// overContext has ended. An instance that has not begun, because its request ended first, does not begin with it: what the guest does then is for the next request's limits.
var overContext = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Close waits until nobody has the instance, and closes it.
func (w *Warm) Close() error {
	<-w.turn
	defer func() { w.turn <- struct{}{} }()
	in := w.in
	w.in = nil
	return in.Close()
}
