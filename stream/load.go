package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr/state"
)

// load reads the state of a commit: the snapshot from which its line of differences begins, and the
// differences. It checks the root.
func (p *Pipeline) load(ctx context.Context, r *record, seq uint64, delta []byte) (*state.File, error) {
	bad := func(err error) (*state.File, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &StateError{p.cfg.Name, r.Partition, seq, err}
	}
	var deltas [][]byte // the last one first
	from := r
	for from.Snapshot == "" {
		deltas = append(deltas, delta)
		before := from.Before
		m, err := p.stream.GetMsg(ctx, before)
		if err != nil {
			return bad(fmt.Errorf("commit %d, from which it differs: %w", before, err))
		}
		if from, delta, err = decodeRecord(m.Data); err != nil || from.Partition != r.Partition || m.Subject != p.commitSubject(r.Partition) {
			return bad(fmt.Errorf("message %d is not the commit from which it differs: %w", before, err))
		}
	}
	whole, err := p.objects.GetBytes(ctx, from.Snapshot)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return bad(&MissingError{"snapshot", from.Snapshot, "restore object store " + p.storeName() + ", or delete stream " + p.streamName() + " to begin anew", err})
	}
	if err != nil {
		return bad(fmt.Errorf("snapshot %s: %w", from.Snapshot, err))
	}
	file, err := state.Read(bytes.NewReader(whole), nil)
	for i := len(deltas) - 1; i >= 0 && err == nil; i-- {
		file, err = state.Read(bytes.NewReader(deltas[i]), file)
	}
	if err != nil {
		return bad(err)
	}
	if got := rootText(file.Root()); got != r.Root {
		return bad(fmt.Errorf("its root is %s, the commit says %s", got, r.Root))
	}
	return file, nil
}

// keep writes an object, and reads it: the chunks of an object are published without waiting for each
// other, so a server that is killed meanwhile may leave another order of them, or gaps. TestKill has
// met an object whose digest did not match. Nothing may refer to it, so the caller commits a name only after keep.
func (p *Pipeline) keep(ctx context.Context, name string, data []byte) error {
	for {
		err := p.put(ctx, name, data)
		if err == nil || ctx.Err() != nil {
			return err
		}
		p.cfg.Log.Warn("an object is written again", "name", name, "error", err)
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// put writes an object and reads it, once.
func (p *Pipeline) put(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := p.objects.PutBytes(ctx, name, data); err != nil {
		return err
	}
	got, err := p.objects.GetBytes(ctx, name)
	if err == nil && !bytes.Equal(got, data) {
		err = errors.New("it is not what was written")
	}
	return err
}

// snapshotName is the name of a new snapshot. No other worker makes the same, whatever it believes
// to own.
func (p *Pipeline) snapshotName(r *record, mark string) string {
	return fmt.Sprintf("state/%d/%d/%s", r.Partition, r.Number, mark)
}

// sweep deletes what is before a commit with a snapshot that the caller has made: commits, and all
// snapshots of the partition but its own. The caller was the owner when it made the commit. A worker
// that owned the partition before may write objects still, whose commit is refused; the next sweep
// deletes them.
func (p *Pipeline) sweep(ctx context.Context, r *record, seq uint64) error {
	if err := p.stream.Purge(ctx, jetstream.WithPurgeSubject(p.commitSubject(r.Partition)), jetstream.WithPurgeSequence(seq)); err != nil {
		return fmt.Errorf("stream: purging commits of partition %d: %w", r.Partition, err)
	}
	list, err := p.objects.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	prefix := fmt.Sprintf("state/%d/", r.Partition)
	for _, o := range list {
		var number uint64
		if !strings.HasPrefix(o.Name, prefix) || o.Name == r.Snapshot {
			continue
		}
		// A later owner may have made one already, with a higher number.
		if _, err := fmt.Sscanf(o.Name[len(prefix):], "%d/", &number); err != nil || number > r.Number {
			continue
		}
		if err := p.objects.Delete(ctx, o.Name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
	}
	return nil
}
