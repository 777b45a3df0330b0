package stream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Status says how far a partition is.
type Status struct {
	Partition int
	Owner     string // who made the last commit; "": nobody has
	Leased    string // who has the lease now; "": nobody
	Function  int    // version
	Position  uint64 // sequence in the input stream
	Behind    uint64 // messages of the partition after it
	Time      time.Time
	Handled   uint64
	Published uint64
	Dead      uint64
	Commits   uint64
}

// Status reads how far the partitions are.
func (p *Pipeline) Status(ctx context.Context) (list []Status, err error) {
	for i := range p.in.partitions {
		r, _, _, err := p.lastCommit(ctx, i)
		if err != nil {
			return nil, err
		}
		s := Status{Partition: i}
		if r != nil {
			s.Owner, s.Function, s.Position, s.Time = r.Owner, r.Function, r.Input, time.Unix(0, r.Time).UTC()
			s.Handled, s.Published, s.Dead, s.Commits = r.Handled, r.Published, r.Dead, r.Number
		}
		if e, err := p.leases.Get(ctx, leaseKey(i)); err == nil {
			s.Leased = string(e.Value())
		}
		if s.Behind, err = p.behind(ctx, i, s.Position); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// behind counts the messages of a partition after a sequence, by a consumer that reads none of them.
func (p *Pipeline) behind(ctx context.Context, partition int, after uint64) (uint64, error) {
	c, err := p.in.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: p.in.filter(partition),
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: 5 * time.Second})
	if err != nil {
		return 0, err
	}
	info := c.CachedInfo()
	_ = p.in.stream.DeleteConsumer(ctx, info.Name)
	return info.NumPending, nil
}
