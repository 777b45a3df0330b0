package gyrhttp

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr"
)

// A Warm is one instance of a program that serves all requests, one at a time, in no particular
// order. The guest's variables last from one request to the next, until a request ends the program:
// then the instance is reset.
type Warm struct {
	p    *gyr.Program
	cfg  gyr.Config
	turn chan struct{} // has a value while the instance is free
	in   *gyr.Instance // nil: not made yet, or closed
}

// NewWarm returns a Warm, which makes its instance at the first request. The limits of cfg, gas
// among them, cover all requests up to a reset.
func NewWarm(p *gyr.Program, cfg gyr.Config) *Warm {
	w := &Warm{p: p, cfg: cfg, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w
}

// Get waits until the instance is free or ctx ends.
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

// Put takes the instance back, and resets it if its program has ended. An instance whose reset
// fails is closed and replaced.
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

// overContext is a context that has ended. A call with it does not begin an instance whose request
// ended first, because the guest's initialisation belongs under the limits of the next request.
var overContext = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Close waits until the instance is free, and closes it.
func (w *Warm) Close() error {
	<-w.turn
	defer func() { w.turn <- struct{}{} }()
	in := w.in
	w.in = nil
	return in.Close()
}
