package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Worker works on partitions of a pipeline.
type Worker struct {
	*Pipeline
	function atomic.Pointer[version] // the last one

	mu       sync.Mutex
	versions map[int]*version

	held map[int]*held // one goroutine uses it
}

// A held partition is one whose lease the worker has.
type held struct {
	revision uint64
	stop     chan struct{} // closed: end after the present batch
	stopping bool
	cancel   context.CancelCauseFunc
	done     chan struct{}
	err      error // after done
}

// Run works until ctx ends. Then it ends the batches that it has begun, gives its partitions back and
// returns nil. An error of a partition, in the cluster or in its state, is logged, and a worker tries
// again. Run itself fails if the pipeline has no function, or if a part of it is gone.
func (p *Pipeline) Run(ctx context.Context) error {
	w := &Worker{Pipeline: p, versions: map[int]*version{}, held: map[int]*held{}}
	v, _, err := p.lastVersion(ctx)
	if err != nil {
		return err
	}
	if v.Version == 0 {
		return &MissingError{"function", "of pipeline " + p.cfg.Name, "deploy one: gyr-stream run -fn DIRECTORY", nil}
	}
	first, err := w.version(ctx, v.Version)
	if err != nil {
		return err
	}
	w.function.Store(first)
	status, err := p.leases.Status(ctx)
	if err != nil {
		return err
	}
	ttl := status.TTL()
	if ttl <= 0 {
		return &ConfigError{"KV bucket " + p.bucketName() + ": TTL", errors.New("it has none: the lease of a worker that ends would never end")}
	}
	// What ends with ctx is the decision to go on. Batches go on until they are done.
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	for ctx.Err() == nil {
		err := w.turn(ctx, inner, ttl)
		if gone := (*MissingError)(nil); errors.As(err, &gone) || errors.Is(err, jetstream.ErrStreamNotFound) {
			w.end(cancel, ttl)
			return err
		}
		if err != nil && ctx.Err() == nil {
			p.cfg.Log.Warn("leases", "error", err)
		}
		_ = sleep(ctx, ttl/4+time.Duration(rand.Int64N(int64(ttl/12)+1)))
	}
	w.end(cancel, ttl)
	return nil
}

// turn renews leases, takes and gives back partitions, and looks for another function.
func (w *Worker) turn(ctx, inner context.Context, ttl time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, max(ttl/2, 2*time.Second))
	defer cancel()
	for n, h := range w.held {
		select {
		case <-h.done:
			delete(w.held, n)
			w.release(ctx, n, h.revision)
			if missing := (*MissingError)(nil); errors.As(h.err, &missing) && missing.Kind == "commit of partition" {
				return h.err
			}
			if h.err != nil && !errors.Is(h.err, errLost) {
				w.cfg.Metrics.failed.Inc()
				w.cfg.Log.Error("partition failed", "partition", n, "error", h.err)
			}
			continue
		default:
		}
		revision, err := w.renew(ctx, n, h.revision)
		switch {
		case errors.Is(err, errLost):
			w.cfg.Log.Warn("lease lost", "partition", n)
			h.cancel(errLost)
			<-h.done
			delete(w.held, n)
		case err != nil: // it may be ours still: a commit shows
			w.cfg.Log.Warn("lease not renewed", "partition", n, "error", err)
		default:
			h.revision = revision
		}
	}
	w.cfg.Metrics.held.Set(float64(len(w.held)))
	v, err := w.look(ctx)
	if err != nil {
		return err
	}
	w.balance(ctx, inner, v)
	last, _, err := w.lastVersion(ctx)
	if err == nil && last.Version > w.function.Load().version {
		var next *version
		if next, err = w.version(inner, last.Version); err == nil {
			w.function.Store(next)
		}
	}
	return err
}

// balance takes partitions that nobody has, up to the worker's share, and gives back what it has
// above.
func (w *Worker) balance(ctx, inner context.Context, v view) {
	share := v.share(w.cfg.ID, w.in.partitions)
	going := 0
	for _, h := range w.held {
		if !h.stopping {
			going++
		}
	}
	for n, h := range w.held {
		if going > share && !h.stopping {
			w.cfg.Log.Info("partition given back", "partition", n, "workers", len(v.workers))
			h.stopping = true
			close(h.stop)
			going--
		}
	}
	first := rand.IntN(w.in.partitions) // so that workers that start together seldom try the same
	for i := range w.in.partitions {
		n := (first + i) % w.in.partitions
		if going >= share || v.leased[n] || w.held[n] != nil {
			continue
		}
		revision, err := w.acquire(ctx, n)
		if err != nil {
			w.cfg.Log.Warn("lease not taken", "partition", n, "error", err)
			return
		}
		if revision == 0 {
			continue
		}
		going++
		w.start(inner, n, revision)
	}
	w.cfg.Metrics.held.Set(float64(len(w.held)))
}

// start begins to work on a partition.
func (w *Worker) start(ctx context.Context, n int, revision uint64) {
	ctx, cancel := context.WithCancelCause(ctx)
	h := &held{revision: revision, stop: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	w.held[n] = h
	go func() {
		defer close(h.done)
		defer cancel(nil)
		p := &partition{Pipeline: w.Pipeline, w: w, number: n}
		h.err = p.work(ctx, h.stop)
		if cause := context.Cause(ctx); h.err != nil && cause != nil {
			h.err = cause
		}
		w.cfg.Metrics.dropLag(n)
	}()
}

// end ends all partitions and gives them back.
func (w *Worker) end(cancel context.CancelCauseFunc, ttl time.Duration) {
	for _, h := range w.held {
		if !h.stopping {
			close(h.stop)
		}
	}
	late := time.AfterFunc(max(ttl, 5*time.Second), func() { cancel(errors.New("stream: the worker ends")) })
	defer late.Stop()
	ctx, done := context.WithTimeout(context.Background(), max(ttl, 5*time.Second))
	defer done()
	for n, h := range w.held {
		<-h.done
		w.release(ctx, n, h.revision)
	}
	_ = w.leases.Delete(ctx, workerPrefix+w.cfg.ID)
	w.cfg.Metrics.held.Set(0)
}

// version returns a version of the function. It compiles it once.
func (w *Worker) version(ctx context.Context, number int) (*version, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.versions[number]; v != nil {
		return v, nil
	}
	p, err := w.image(ctx, number)
	if err != nil {
		return nil, fmt.Errorf("stream: version %d of the function: %w", number, err)
	}
	v := &version{number, p}
	w.versions[number] = v
	return v, nil
}
