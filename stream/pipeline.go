package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Pipeline is a pipeline in the cluster. It is safe for concurrent use.
type Pipeline struct {
	cfg     Config
	nc      *nats.Conn
	js      jetstream.JetStream
	in      *input
	stream  jetstream.Stream // GYR_name
	leases  jetstream.KeyValue
	objects jetstream.ObjectStore
}

func (p *Pipeline) streamName() string { return "GYR_" + p.cfg.Name }
func (p *Pipeline) bucketName() string { return "gyr-" + p.cfg.Name + "-leases" }
func (p *Pipeline) storeName() string  { return "gyr-" + p.cfg.Name }

// Subjects in the pipeline's stream.
func (p *Pipeline) commitSubject(partition int) string {
	return "gyr." + p.cfg.Name + ".commit." + strconv.Itoa(partition)
}
func (p *Pipeline) deadSubject(partition int) string {
	return "gyr." + p.cfg.Name + ".dead." + strconv.Itoa(partition)
}
func (p *Pipeline) functionSubject() string { return "gyr." + p.cfg.Name + ".function" }

// Partitions returns the number of partitions.
func (p *Pipeline) Partitions() int { return p.in.partitions }

// Metadata of the pipeline's stream.
const (
	metaSubject    = "gyr.subject"
	metaInput      = "gyr.input"
	metaPartitions = "gyr.partitions"
)

// Open finds a pipeline in the cluster, and makes it if there is none of its name and the Config has a
// Subject. The connection
// stays the caller's. A [*MissingError] names a part that is gone, a [*ConfigError] a setting that
// does not fit.
func Open(ctx context.Context, nc *nats.Conn, c Config) (*Pipeline, error) {
	c, err := c.check()
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{cfg: c, nc: nc, js: js}
	if c.Subject == "" {
		if c.Subject, err = p.subject(ctx); err != nil {
			return nil, err
		}
		p.cfg.Subject = c.Subject
	}
	if p.in, err = findInput(ctx, js, c.Subject); err != nil {
		return nil, err
	}
	p.stream, err = js.Stream(ctx, p.streamName())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = p.make(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("stream: pipeline %s: %w", c.Name, err)
	}
	if err := p.fits(ctx); err != nil {
		return nil, err
	}
	cure := "its partitions' states cannot be read without it: restore it, or delete stream " + p.streamName() + " to begin anew"
	p.objects, err = js.ObjectStore(ctx, p.storeName())
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		err = &MissingError{"object store", p.storeName(), cure, err}
	}
	if err != nil {
		return nil, err
	}
	p.leases, err = js.KeyValue(ctx, p.bucketName())
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		err = &MissingError{"KV bucket", p.bucketName(), fmt.Sprintf("it has leases only: nats kv add %s --ttl=10s --replicas=%d", p.bucketName(), p.replicas()), err}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// subject returns the subject of a pipeline that exists.
func (p *Pipeline) subject(ctx context.Context) (string, error) {
	s, err := p.js.Stream(ctx, p.streamName())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", &MissingError{"pipeline", p.cfg.Name, "gyr-stream run makes one", err}
	}
	if err != nil {
		return "", fmt.Errorf("stream: pipeline %s: %w", p.cfg.Name, err)
	}
	return s.CachedInfo().Config.Metadata[metaSubject], nil
}

func (p *Pipeline) replicas() int {
	if p.cfg.Replicas > 0 {
		return p.cfg.Replicas
	}
	return p.in.stream.CachedInfo().Config.Replicas
}

// make makes the parts of a pipeline, the stream last: if it is there, the others have been. Workers
// that start at the same time make the same parts.
func (p *Pipeline) make(ctx context.Context) (err error) {
	_, err = p.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: p.storeName(), Replicas: p.replicas(),
		Description: "images and snapshots of pipeline " + p.cfg.Name})
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return fmt.Errorf("object store %s: %w", p.storeName(), err)
	}
	_, err = p.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: p.bucketName(), Replicas: p.replicas(), TTL: p.cfg.Lease,
		Description: "who works on which partition of pipeline " + p.cfg.Name})
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return fmt.Errorf("KV bucket %s: %w", p.bucketName(), err)
	}
	p.stream, err = p.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: p.streamName(), Subjects: append([]string{"gyr." + p.cfg.Name + ".>"}, p.cfg.Outputs...),
		Description: "outputs, dead letters and commits of pipeline " + p.cfg.Name,
		Replicas:    p.replicas(), Storage: jetstream.FileStorage, AllowAtomicPublish: true, AllowMsgTTL: true,
		Metadata: map[string]string{metaSubject: p.cfg.Subject, metaInput: p.in.name, metaPartitions: strconv.Itoa(p.in.partitions)},
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		p.stream, err = p.js.Stream(ctx, p.streamName())
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", p.streamName(), err)
	}
	return nil
}

// fits compares the pipeline's stream with the Config. It adds subjects of Outputs.
func (p *Pipeline) fits(ctx context.Context) error {
	cfg := p.stream.CachedInfo().Config
	bad := func(what, text string, args ...any) error {
		return &ConfigError{"stream " + cfg.Name + ": " + what, fmt.Errorf(text, args...)}
	}
	switch {
	case cfg.Metadata[metaSubject] != p.cfg.Subject:
		return bad("subject", "the pipeline reads %q, not %q: give the new one another name", cfg.Metadata[metaSubject], p.cfg.Subject)
	case cfg.Metadata[metaInput] != p.in.name:
		return bad("input", "the pipeline reads stream %s, and %s has the subject by now: give the new one another name", cfg.Metadata[metaInput], p.in.name)
	case cfg.Metadata[metaPartitions] != strconv.Itoa(p.in.partitions):
		return bad("partitions", "the pipeline has %s, and stream %s has %d by now: a key would change its partition", cfg.Metadata[metaPartitions], p.in.name, p.in.partitions)
	case !cfg.AllowAtomicPublish:
		return bad("atomic publishing", "it is off: nats-server 2.12 has it, and the stream's setting allow_atomic")
	case cfg.MaxAge != 0 || cfg.MaxMsgs > 0 || cfg.MaxBytes > 0 || cfg.MaxMsgsPerSubject > 0 || cfg.Retention != jetstream.LimitsPolicy:
		return bad("limits", "it may drop commits: Keep bounds what the function publishes")
	}
	missing := slices.DeleteFunc(slices.Clone(p.cfg.Outputs), func(s string) bool { return slices.Contains(cfg.Subjects, s) })
	if len(missing) == 0 {
		return nil
	}
	cfg.Subjects = append(cfg.Subjects, missing...)
	s, err := p.js.UpdateStream(ctx, cfg)
	if err != nil {
		return fmt.Errorf("stream: adding %q to stream %s: %w", missing, cfg.Name, err)
	}
	p.stream = s
	return nil
}

// Delete deletes the pipeline's parts from the cluster, and its consumers. The input stays.
func (p *Pipeline) Delete(ctx context.Context) error {
	names := p.in.stream.ConsumerNames(ctx)
	for name := range names.Name() {
		for i := range p.in.partitions {
			if _, ok := consumerOf(p.cfg.Name, i, name); ok {
				p.deleteConsumer(ctx, name)
			}
		}
	}
	return errors.Join(names.Err(), p.js.DeleteStream(ctx, p.streamName()), p.js.DeleteKeyValue(ctx, p.bucketName()), p.js.DeleteObjectStore(ctx, p.storeName()))
}
