package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// A partition is one that a worker owns. One goroutine uses it.
type partition struct {
	*Pipeline
	w      *Worker
	number int

	guest  *guest
	last   record // the last commit
	at     uint64 // and its sequence in the pipeline's stream
	reader *reader
	rest   []event // read, and not handled

	heard   time.Time // when the last batch was handled, or the partition taken
	more    bool      // Tick had something to publish: ask again at once
	refused int       // the version of the function that did not take the state
}

// work takes the partition over and handles messages until ctx ends, which is also how it is told to
// stop at once, or until stop is closed: then it ends after the present batch.
func (p *partition) work(ctx context.Context, stop <-chan struct{}) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer func() { p.guest.close() }()
	p.reader = newReader(ctx, p.Pipeline, p.number, p.last.Epoch, p.last.Input)
	defer p.reader.close()
	p.cfg.Log.Info("partition taken", "partition", p.number, "after", p.last.Input, "epoch", p.last.Epoch)
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if v := p.w.function.Load(); v.version > p.last.Function && v.version != p.refused {
			if err := p.swap(ctx, v); err != nil {
				return err
			}
		}
		batch, err := p.next(ctx, stop)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			err = p.tick(ctx)
		} else {
			err = p.handle(ctx, batch)
		}
		if err != nil {
			return err
		}
	}
}

// take reads the state and commits that the partition has a new owner.
func (p *partition) take(ctx context.Context) error {
	for {
		r, seq, delta, err := p.lastCommit(ctx, p.number)
		if err != nil {
			return err
		}
		if r == nil { // the first owner of all
			f := p.w.function.Load()
			p.last = record{Partition: p.number, Function: f.version}
			p.guest, err = p.newGuest(ctx, f.program, state.Hash{}, nil)
		} else {
			p.last = *r
			p.guest, err = p.restore(ctx, r, seq, delta)
		}
		if err != nil {
			return err
		}
		p.at = seq
		p.last.Epoch++
		err = p.commit(ctx, p.last, nil, false)
		if err == nil {
			p.cfg.Metrics.taken.Inc()
			p.heard = time.Now()
			return nil
		}
		p.guest.close()
		if !errors.As(err, new(*FencedError)) {
			return err
		}
		// The owner before has committed meanwhile. The lease is ours, so that it soon will not.
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func (p *partition) restore(ctx context.Context, r *record, seq uint64, delta []byte) (*guest, error) {
	f, err := p.w.version(ctx, r.Function)
	if err != nil {
		return nil, err
	}
	file, err := p.load(ctx, r, seq, delta)
	if err != nil {
		return nil, err
	}
	g, err := p.newGuest(ctx, f.program, file.Root(), file)
	if errors.As(err, new(*gyr.StateError)) {
		err = &StateError{p.cfg.Name, p.number, seq, err}
	}
	return g, err
}

// next waits for messages: for the first one as long as Idle, and then takes what has arrived.
func (p *partition) next(ctx context.Context, stop <-chan struct{}) ([]event, error) {
	batch := p.rest
	p.rest = nil
	if len(batch) == 0 {
		wait := p.cfg.Idle
		if p.more {
			wait = 0
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case e := <-p.reader.fresh:
			batch = append(batch, e)
		case <-timer.C:
		case <-stop:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	for len(batch) > 0 && len(batch) < p.cfg.Batch {
		select {
		case e := <-p.reader.fresh:
			batch = append(batch, e)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// handle handles a batch and commits it.
func (p *partition) handle(ctx context.Context, batch []event) error {
	began := time.Now()
	done, out, failed, err := p.guest.run(ctx, batch)
	p.cfg.Metrics.gas.Add(float64(p.guest.gas))
	p.guest.gas = 0
	if err != nil {
		return fmt.Errorf("stream: partition %d after message %d: %w", p.number, p.last.Input, err)
	}
	p.cfg.Metrics.function.Observe(time.Since(began).Seconds())
	p.rest = batch[done:]
	batch = batch[:done]
	end := &batch[done-1]
	r := p.last
	r.Input = end.seq
	r.Handled += uint64(done)
	for i := range batch {
		r.Time = max(r.Time, batch[i].at)
	}
	messages := p.messages(&r, out)
	if failed != nil {
		r.Dead++
		messages = append(messages, p.dead(failed))
		p.cfg.Log.Warn("dead letter", "partition", p.number, "subject", failed.event.subject, "sequence", failed.event.seq, "error", failed.err)
	}
	if err := p.commit(ctx, r, messages, p.last.Deltas >= p.cfg.Snapshots); err != nil {
		return err
	}
	_ = end.msg.Ack() // the position is in the commit
	p.heard = time.Now()
	m := p.cfg.Metrics
	m.messages.Add(float64(done))
	m.batch.Observe(float64(done))
	m.setLag(p.number, end.lag)
	if failed != nil {
		m.dead.WithLabelValues(gyr.Kind(failed.err)).Inc()
	}
	return nil
}

// messages makes the messages of the function for JetStream, and counts them.
func (p *partition) messages(r *record, out []message) []*nats.Msg {
	list := make([]*nats.Msg, len(out), len(out)+1)
	for i, m := range out {
		r.Published++
		list[i] = p.guest.published(m, p.number, r.Published)
	}
	return list
}

// dead makes a dead letter. A message that has no room for the headers is cut off; the input has all of
// it.
func (p *partition) dead(f *failure) *nats.Msg {
	m := &nats.Msg{Subject: p.deadSubject(p.number), Data: f.event.data, Header: nats.Header{}}
	if most := int(p.nc.MaxPayload()) - room; len(m.Data) > most {
		m.Data = m.Data[:most]
		m.Header.Set(HeaderCut, fmt.Sprint(len(f.event.data)))
	}
	m.Header.Set(HeaderError, headerText(f.err.Error()))
	m.Header.Set(HeaderKind, gyr.Kind(f.err))
	m.Header.Set(HeaderSubject, f.event.subject)
	m.Header.Set(HeaderStream, p.in.name)
	m.Header.Set(HeaderSequence, fmt.Sprint(f.event.seq))
	setKeep(m, &p.cfg)
	return m
}

// tick lets the function do what is due without a message. Its time is that of the messages, and what
// has passed since the last of them: messages that were sent long ago are not late because of it.
func (p *partition) tick(ctx context.Context) error {
	if p.last.Handled == 0 {
		return nil
	}
	out, err := p.guest.idle(ctx, p.last.Time+time.Since(p.heard).Nanoseconds())
	p.cfg.Metrics.gas.Add(float64(p.guest.gas))
	p.guest.gas = 0
	p.more = len(out) > 0
	if err != nil || !p.more {
		return err
	}
	r := p.last
	return p.commit(ctx, r, p.messages(&r, out), false)
}

// commit commits a record with the present state. whole: as a snapshot. The partition's last commit is
// then this one.
func (p *partition) commit(ctx context.Context, r record, messages []*nats.Msg, whole bool) error {
	began := time.Now()
	r.Number++
	r.Owner = p.cfg.ID
	r.Before, r.Snapshot = p.at, ""
	root, file, err := p.guest.save(ctx, whole)
	if err == nil && !whole && (p.at == 0 || len(file) > int(p.nc.MaxPayload())-room) {
		p.guest.whole, whole = true, true
		root, file, err = p.guest.save(ctx, true)
	}
	if err != nil {
		return fmt.Errorf("stream: the state of partition %d: %w", p.number, err)
	}
	p.cfg.Metrics.stateBytes.Add(float64(len(file)))
	r.Root = rootText(root)
	if whole {
		r.Before, r.Deltas, r.Bytes = 0, 0, 0
		r.Snapshot = p.snapshotName(&r, nuid.Next())
		if err := p.keep(ctx, r.Snapshot, file); err != nil {
			return err
		}
		file = nil
	} else {
		r.Deltas++
		r.Bytes += len(file)
	}
	seq, err := p.publish(ctx, &r, p.at, file, messages)
	if err != nil {
		if errors.As(err, new(*FencedError)) {
			p.cfg.Metrics.fenced.Inc()
			if whole {
				_ = p.objects.Delete(ctx, r.Snapshot)
			}
		}
		return err
	}
	p.last, p.at = r, seq
	p.cfg.Metrics.commits.Observe(time.Since(began).Seconds())
	p.cfg.Metrics.published.Add(float64(len(messages)))
	if whole {
		p.cfg.Metrics.snapshots.Inc()
		if err := p.sweep(ctx, &r, seq); err != nil {
			p.cfg.Log.Warn("commits before a snapshot stay", "partition", p.number, "error", err)
		}
	}
	return nil
}

// headerText makes an error's text fit into a header.
func headerText(s string) string {
	b := []byte(s)
	if len(b) > 2000 {
		b = b[:2000]
	}
	for i, c := range b {
		if c < ' ' {
			b[i] = ' '
		}
	}
	return string(b)
}
