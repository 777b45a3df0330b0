package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr/internal/lab/research/queue"
)

var researchQueueVerb = &verb{name: "research-queue", usage: "[flags] NAME", short: "be the queue of gyr research run -workers",
	long: `Research-queue carries the trials of a session of gyr research to its workers, and the results back. The
session starts it:

	gyr research run -workers 'gyr-stream research-queue NAME'

It reads messages on the standard input and writes messages on the standard output, a line of JSON
each, and ends with its input. NAME is of letters, digits, - and _. A session has a NAME of its own:
what an earlier session has left under it is removed.

The queue is a stream GYR_RESEARCH_NAME, made if it is missing. A trial is in it until a worker has
tried it, or until the session withdraws it.`, run: researchQueue}

var researchWorkerVerb = &verb{name: "research-worker", usage: "-from KEY [flags] NAME", short: "try candidates of a session of gyr research",
	long: `Research-worker takes trials from the queue NAME, has gyr research worker try them, one after the other,
and sends the signed results back. It runs in a clone of the session's repository, which must have
the session's base. Candidates run in bubblewrap, as on the session's own machine.

Each worker has a key, in the file of -key. The session counts results of workers that it has
admitted, and a worker takes trials of the session that -from names:

	gyr research worker -show                     on the worker: prints its public key
	gyr research workers -add KEY -name NAME      where the session is: admits it
	gyr research workers                          there: prints the session's public key

gyr, Go and gyr's determinism version must be those of the session. Several workers on one machine
need a key each; measurements take turns.

A worker that dies keeps its trial for as long as -lease says; then another worker gets it. An interrupt ends a
worker at once, and gives the trial back.`, run: researchWorker}

// A researchStream is a queue in JetStream.
type researchStream struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string // of subjects
}

// Subjects below the prefix, each followed by the ID of a trial, and the consumers of both.
const (
	researchTrial   = "trial."
	researchResult  = "result."
	researchWorkers = "workers"
	researchSession = "session"
)

var researchName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// openResearch connects, and makes the stream if there is none.
func openResearch(ctx context.Context, c *connection, name string, replicas int) (*researchStream, error) {
	if !researchName.MatchString(name) {
		return nil, usageError{fmt.Sprintf("%q is no name of a queue: letters, digits, - and _", name)}
	}
	nc, err := c.dial()
	if err != nil {
		return nil, err
	}
	q := &researchStream{nc: nc, prefix: "gyr.research." + name + "."}
	if q.js, err = jetstream.New(nc); err == nil {
		q.stream, err = q.js.CreateStream(ctx, jetstream.StreamConfig{Name: "GYR_RESEARCH_" + name, Subjects: []string{q.prefix + ">"},
			Retention: jetstream.WorkQueuePolicy, Replicas: replicas})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			q.stream, err = q.js.Stream(ctx, "GYR_RESEARCH_"+name)
		}
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("the stream of queue %s: %w", name, err)
	}
	return q, nil
}

// consumer makes a consumer of one kind of subjects, or changes how long it waits.
func (q *researchStream) consumer(ctx context.Context, name, subjects string, wait time.Duration) (jetstream.Consumer, error) {
	return q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: name, FilterSubject: q.prefix + subjects + "*",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait})
}

// publish stores a message.
func (q *researchStream) publish(ctx context.Context, kind string, m queue.Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if most := q.nc.MaxPayload(); int64(len(text)) > most {
		return fmt.Errorf("a message of %d bytes, and max_payload of the server is %d: raise it", len(text), most)
	}
	_, err = q.js.Publish(ctx, q.prefix+kind+m.ID, text)
	return err
}

// next waits for a message of a consumer. It returns nil if none comes for a while.
func next(ctx context.Context, c jetstream.Consumer) (jetstream.Msg, error) {
	m, err := c.Next(jetstream.FetchMaxWait(time.Second))
	switch {
	case ctx.Err() != nil:
		if err == nil {
			_ = m.Nak() // else it is delivered again later
		}
		return nil, ctx.Err()
	case errors.Is(err, nats.ErrTimeout):
		return nil, nil
	}
	return m, err
}

// read decodes a message. One that is none would never be, so it is removed.
func read(msg jetstream.Msg) (m queue.Message, ok bool) {
	if err := json.Unmarshal(msg.Data(), &m); err != nil {
		fmt.Fprintf(stderr, "gyr-stream: %s: %v\n", msg.Subject(), err)
		_ = msg.Term() // else it comes again, and ends here again
		return m, false
	}
	return m, true
}

func researchQueue(ctx context.Context, v *verb, args []string) error {
	var c connection
	fs := v.flags()
	c.register(fs)
	replicas := fs.Int("replicas", 1, "`number` of replicas of the stream, if it is made")
	if err := v.parse(fs, args, 1, 1); err != nil {
		return err
	}
	// An interrupt of a terminal reaches the session too, which then withdraws its trials.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	q, err := openResearch(ctx, &c, fs.Arg(0), *replicas)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	if err := q.stream.Purge(ctx); err != nil {
		return err
	}
	results, err := q.consumer(ctx, researchSession, researchResult, time.Minute)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- q.pass(ctx, results, stdout) }()
	go func() { ended <- q.take(ctx, os.Stdin) }()
	err = <-ended
	// Nobody takes results any more.
	return errors.Join(err, q.stream.Purge(ctx))
}

// take stores the trials that a session gives out, and removes those that it withdraws.
func (q *researchStream) take(ctx context.Context, r io.Reader) error {
	for d := json.NewDecoder(r); ; {
		var m queue.Message
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !researchName.MatchString(m.ID):
			return fmt.Errorf("%q is no ID of a trial", m.ID)
		case m.Withdrawn:
			err = q.stream.Purge(ctx, jetstream.WithPurgeSubject(q.prefix+researchTrial+m.ID))
		default:
			err = q.publish(ctx, researchTrial, m)
		}
		if err != nil {
			return fmt.Errorf("trial %s: %w", m.ID, err)
		}
	}
}

// pass writes results to the session.
func (q *researchStream) pass(ctx context.Context, c jetstream.Consumer, w io.Writer) error {
	out := json.NewEncoder(w)
	for {
		msg, err := next(ctx, c)
		if err != nil {
			return err
		}
		if msg == nil {
			continue
		}
		if m, ok := read(msg); ok {
			if err := errors.Join(out.Encode(m), msg.Ack()); err != nil {
				return err
			}
		}
	}
}

func researchWorker(ctx context.Context, v *verb, args []string) error {
	var c connection
	fs := v.flags()
	c.register(fs)
	gyr := fs.String("gyr", "gyr", "`program` that tries the candidates; default: the gyr in PATH")
	lease := fs.Duration("lease", 30*time.Second, "`time` that a worker that does not answer keeps its trial; the same for all workers of a queue")
	from := fs.String("from", "", "public `key` of the session, which gyr research workers prints there")
	fs.String("key", "", "`file` with the worker's private key, which is made if it is missing; default gyr/worker.key in the user's configuration")
	fs.Bool("unboxed", false, "also take trials of a session that runs candidates without bubblewrap: they run as the user")
	if err := v.parse(fs, args, 1, 1); err != nil {
		return err
	}
	if _, err := queue.ParseKey(*from); err != nil {
		return usageError{"research-worker: -from: " + err.Error()}
	}
	if *lease < time.Second {
		return usageError{fmt.Sprintf("research-worker: -lease: %v is less than a second", *lease)}
	}
	q, err := openResearch(ctx, &c, fs.Arg(0), 1)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	trials, err := q.consumer(ctx, researchWorkers, researchTrial, *lease)
	if err != nil {
		return err
	}
	words := []string{"research", "worker"}
	fs.Visit(func(f *flag.Flag) {
		if f.Name == "from" || f.Name == "key" || f.Name == "unboxed" {
			words = append(words, "-"+f.Name+"="+f.Value.String())
		}
	})
	local, err := queue.Start(stderr, *gyr, words...)
	if err != nil {
		return err
	}
	for err == nil {
		var msg jetstream.Msg
		if msg, err = next(ctx, trials); msg != nil {
			err = q.try(ctx, local, msg, *lease)
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return errors.Join(err, local.Close())
}

// try has gyr try a trial, and holds the message until the result is stored.
func (q *researchStream) try(ctx context.Context, local queue.Queue, msg jetstream.Msg, lease time.Duration) (err error) {
	m, ok := read(msg)
	if !ok {
		return nil
	}
	defer func() {
		if err != nil {
			_ = msg.Nak() // else its lease ends
		}
	}()
	if err := local.Send(m); err != nil {
		return err
	}
	type answer struct {
		m   queue.Message
		err error
	}
	// A trial that is withdrawn may have no result. Then the goroutine ends with the context.
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer, 1)
	go func() {
		for {
			got, err := local.Receive(waiting)
			if err != nil || got.ID == m.ID {
				answers <- answer{got, err}
				return
			}
		}
	}()
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case a := <-answers:
			if a.err != nil {
				return a.err
			}
			if err := q.publish(ctx, researchResult, a.m); err != nil {
				return err
			}
			return msg.DoubleAck(ctx)
		case <-tick.C:
			_, err := q.stream.GetLastMsgForSubject(ctx, msg.Subject())
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return local.Send(queue.Message{ID: m.ID, Withdrawn: true})
			}
			// While the server is gone, the trial goes on; its lease may end meanwhile.
			_ = msg.InProgress()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
