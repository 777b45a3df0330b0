package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A reader reads a partition of the input in order. Each owner has a durable consumer of its own, so
// that a worker that was stopped takes no message away from the next. The position is in the commit;
// the consumer begins after it. Its acknowledged sequence follows the commits, for whoever looks at
// consumers.
//
// JetStream delivers a message again if it does not know that it has arrived, and then after later
// ones. The reader sees that from the consumer's own count of deliveries: it skips what it has seen,
// and makes a consumer anew from the last message if one is missing.
type reader struct {
	p         *Pipeline
	partition int
	epoch     uint64
	attempt   int // consumers made by this reader

	seen    uint64 // sequence of the last message that was read
	consume uint64 // the consumer's count of it
	name    string // of the consumer; "": there is none
	msgs    jetstream.MessagesContext
	fresh   chan event
	done    chan struct{}
	sweeps  sync.WaitGroup
	cancel  context.CancelFunc
}

// consumerPrefix begins the names of a partition's consumers.
func consumerPrefix(pipeline string, partition int) string {
	return fmt.Sprintf("gyr-%s-%d-", pipeline, partition)
}

// consumerOf reports whether a consumer is one of the partition's (the prefix, epoch, -, attempt), and
// its epoch.
func consumerOf(pipeline string, partition int, name string) (epoch uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, consumerPrefix(pipeline, partition))
	of, attempt, ok2 := strings.Cut(rest, "-")
	epoch, err := strconv.ParseUint(of, 10, 64)
	_, err2 := strconv.ParseUint(attempt, 10, 64)
	return epoch, ok && ok2 && err == nil && err2 == nil
}

// newReader begins to read after a sequence.
func newReader(ctx context.Context, p *Pipeline, partition int, epoch, after uint64) *reader {
	ctx, cancel := context.WithCancel(ctx)
	r := &reader{p: p, partition: partition, epoch: epoch, seen: after, fresh: make(chan event, p.cfg.Batch), done: make(chan struct{}), cancel: cancel}
	go r.loop(ctx)
	return r
}

// close ends the reader and deletes its consumer, if that is possible at once.
func (r *reader) close() {
	r.cancel()
	<-r.done
}

func (r *reader) loop(ctx context.Context) {
	defer close(r.done)
	defer func() {
		r.stop()
		r.sweeps.Wait()
		if r.name != "" {
			r.p.deleteConsumer(context.WithoutCancel(ctx), r.name)
		}
	}()
	for ctx.Err() == nil {
		err := r.begin(ctx)
		for err == nil {
			err = r.next(ctx)
		}
		r.stop()
		if ctx.Err() == nil {
			r.p.cfg.Log.Debug("a consumer is made anew", "partition", r.partition, "after", r.seen, "error", err)
			_ = sleep(ctx, 200*time.Millisecond)
		}
	}
}

// begin makes a consumer from the message after the last one, and deletes those before it.
func (r *reader) begin(life context.Context) error {
	ctx, cancel := context.WithTimeout(life, 10*time.Second)
	defer cancel()
	r.attempt++
	name := fmt.Sprintf("%s%d-%d", consumerPrefix(r.p.cfg.Name, r.partition), r.epoch, r.attempt)
	c, err := r.p.in.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: name, FilterSubject: r.p.in.filter(r.partition),
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: r.seen + 1,
		AckPolicy: jetstream.AckAllPolicy, AckWait: time.Minute, MaxAckPending: 8*r.p.cfg.Batch + 1000,
		InactiveThreshold: 10 * time.Minute, // of a worker that ended and of a partition that nobody took over
	})
	if err != nil {
		return err
	}
	r.name, r.consume = name, 0
	r.sweeps.Go(func() { r.sweep(life, name) })
	r.msgs, err = c.Messages(jetstream.PullMaxMessages(2*r.p.cfg.Batch), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	return err
}

// sweep deletes the consumers of earlier owners, and none of a later one. A server may not answer if
// somebody else deletes the same consumer, so nobody waits for sweep. A consumer that stays ends by
// itself.
func (r *reader) sweep(ctx context.Context, mine string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for name := range r.p.in.stream.ConsumerNames(ctx).Name() {
		if epoch, ok := consumerOf(r.p.cfg.Name, r.partition, name); ok && name != mine && epoch <= r.epoch {
			r.p.deleteConsumer(ctx, name)
		}
	}
}

// deleteConsumer deletes a consumer of the input, or leaves it to its InactiveThreshold.
func (p *Pipeline) deleteConsumer(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = p.in.stream.DeleteConsumer(ctx, name)
}

func (r *reader) stop() {
	if r.msgs != nil {
		r.msgs.Stop()
		r.msgs = nil
	}
}

var errMissing = errors.New("a delivery is missing")

// next passes a message on.
func (r *reader) next(ctx context.Context) error {
	m, err := r.msgs.Next(jetstream.NextContext(ctx))
	if errors.Is(err, jetstream.ErrNoHeartbeat) && ctx.Err() == nil {
		// The server that led the consumer may be gone. The next pull goes to the new one, unless the
		// consumer is gone with it.
		look, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if _, err := r.p.in.stream.Consumer(look, r.name); errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	md, err := m.Metadata()
	if err != nil {
		return err
	}
	if md.Sequence.Consumer != r.consume+1 {
		return errMissing
	}
	r.consume++
	if md.Sequence.Stream <= r.seen {
		return nil // again
	}
	e := event{m, md.Sequence.Stream, r.p.in.published(m.Subject()), md.Timestamp.UnixNano(), m.Data(), md.NumPending}
	if h := r.p.cfg.TimeHeader; h != "" {
		if t, err := time.Parse(time.RFC3339Nano, m.Headers().Get(h)); err == nil {
			e.at = t.UnixNano()
		}
	}
	select {
	case r.fresh <- e:
		r.seen = e.seq
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
