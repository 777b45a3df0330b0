package stream

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Leases are keys of the KV bucket, whose TTL is their length: partition.N has the ID of the worker
// that has it, worker.ID is there as long as the worker is. The holder of a lease updates it at the
// revision that it knows. Leases share work out. Commits keep it right.

const (
	leasePrefix  = "partition."
	workerPrefix = "worker."
)

func leaseKey(partition int) string { return leasePrefix + strconv.Itoa(partition) }

// A view is what the bucket says.
type view struct {
	workers []string     // sorted, this one among them
	leased  map[int]bool // partitions that somebody has
}

// look renews this worker's key and reads the bucket.
func (w *Worker) look(ctx context.Context) (v view, err error) {
	if _, err := w.leases.PutString(ctx, workerPrefix+w.cfg.ID, ""); err != nil {
		return v, err
	}
	keys, err := w.leases.ListKeys(ctx)
	if err != nil {
		return v, err
	}
	defer keys.Stop()
	v.leased = map[int]bool{}
	v.workers = []string{w.cfg.ID}
	for key := range keys.Keys() {
		if id, ok := strings.CutPrefix(key, workerPrefix); ok && id != w.cfg.ID {
			v.workers = append(v.workers, id)
		} else if n, err := strconv.Atoi(strings.TrimPrefix(key, leasePrefix)); err == nil {
			v.leased[n] = true
		}
	}
	slices.Sort(v.workers)
	return v, ctx.Err()
}

// share returns how many of the partitions are the worker's: all workers have as many, and the first
// ones have one more.
func (v view) share(id string, partitions int) int {
	n := partitions / len(v.workers)
	if slices.Index(v.workers, id) < partitions%len(v.workers) {
		n++
	}
	return n
}

// acquire takes a lease that nobody has. It returns the revision, or 0 if somebody was faster.
func (w *Worker) acquire(ctx context.Context, partition int) (uint64, error) {
	revision, err := w.leases.Create(ctx, leaseKey(partition), []byte(w.cfg.ID))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return 0, nil
	}
	return revision, err
}

// renew renews a lease. errLost says that it has gone.
func (w *Worker) renew(ctx context.Context, partition int, revision uint64) (uint64, error) {
	next, err := w.leases.Update(ctx, leaseKey(partition), []byte(w.cfg.ID), revision)
	api := (*jetstream.APIError)(nil)
	if errors.As(err, &api) && wrongSequence(api) {
		// The update before may have been stored without an answer.
		e, err := w.leases.Get(ctx, leaseKey(partition))
		if err == nil && string(e.Value()) == w.cfg.ID {
			return e.Revision(), nil
		}
		if err == nil || errors.Is(err, jetstream.ErrKeyNotFound) {
			return 0, errLost
		}
		return 0, err
	}
	return next, err
}

// release gives a lease back.
func (w *Worker) release(ctx context.Context, partition int, revision uint64) {
	_ = w.leases.Delete(ctx, leaseKey(partition), jetstream.LastRevision(revision)) // else it ends by itself
}
