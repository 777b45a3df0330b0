package stream

import (
	"bytes"
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gyrvm/gyr/state"
)

// Fenced and Held are figures for tests.
func Fenced(m *Metrics) prometheus.Counter { return m.fenced }
func Held(m *Metrics) prometheus.Gauge     { return m.held }

// Take makes a worker the owner of a partition, without a lease.
func Take(ctx context.Context, p *Pipeline, number int) error {
	w := &Worker{Pipeline: p, versions: map[int]*version{}}
	v, _, err := p.lastVersion(ctx)
	if err != nil {
		return err
	}
	f, err := w.version(ctx, v.Version)
	if err != nil {
		return err
	}
	w.function.Store(f)
	part := &partition{Pipeline: p, w: w, number: number}
	if err := part.take(ctx); err != nil {
		return err
	}
	part.guest.close()
	return nil
}

// A Guest is an instance of a pipeline's function without a partition.
type Guest struct{ g *guest }

// NewGuest makes one of an image, fresh or with the state of a snapshot.
func NewGuest(ctx context.Context, p *Pipeline, image, snapshot []byte) (Guest, error) {
	program, err := p.compile(ctx, image)
	if err != nil {
		return Guest{}, err
	}
	var root state.Hash
	var file *state.File
	if snapshot != nil {
		if file, err = state.Read(bytes.NewReader(snapshot), nil); err != nil {
			return Guest{}, err
		}
		root = file.Root()
	}
	g, err := p.newGuest(ctx, program, root, file)
	return Guest{g}, err
}

// Run handles a batch of texts, one for each subject.
func (g Guest) Run(ctx context.Context, subjects []string, texts [][]byte) error {
	batch := make([]event, len(texts))
	for i := range batch {
		batch[i] = event{seq: uint64(i), subject: subjects[i], data: texts[i]}
	}
	done, _, failed, err := g.g.run(ctx, batch)
	if failed != nil || done != len(batch) {
		return fmt.Errorf("%d of %d messages: %v %w", done, len(batch), failed, err)
	}
	return err
}

// Save returns what a commit has of the state: everything or what has changed since the last Save.
func (g Guest) Save(ctx context.Context, whole bool) ([]byte, error) {
	_, file, err := g.g.save(ctx, whole)
	return file, err
}

// Heap returns the most bytes that the instance's heap has had in use.
func (g Guest) Heap() uint64 { return g.g.in.Stats().HeapPeak }

// Close releases the instance.
func (g Guest) Close() { g.g.close() }
