package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// A guest is the instance of the function for a partition. One goroutine uses it.
type guest struct {
	cfg     *Config
	largest int // size of a message, as the server takes it
	program *gyr.Program
	in      *gyr.Instance
	copied  *gyr.Func[copiedArgs, results]
	lent    *gyr.Func[lentArgs, results]
	tick    *gyr.Func[tickArgs, results] // nil: the function has no Tick
	tree    state.Tree                   // of the last state that was encoded
	whole   bool                         // there was none
	gas     int64                        // of successful and failed calls since the last look
	garbage uint64                       // bytes allocated since memory was compacted
	compact int64                        // gas that compacting took the last time
}

type (
	copiedArgs struct {
		Subject string
		At      int64
		Data    []byte
	}
	lentArgs struct {
		Subject string
		At      int64
		Data    *gyr.Buffer
	}
	tickArgs struct{ At int64 }
	results  struct{ Out []message }
	message  struct {
		Subject string
		Data    []byte
	}
)

// An event is a message of the input.
type event struct {
	msg     ackable
	seq     uint64 // in the input stream
	subject string // as it was published
	at      int64  // its time
	data    []byte
	lag     uint64 // messages of the partition after it, as the consumer knew
}

// ackable is what a guest need not know of a message of JetStream.
type ackable interface{ Ack() error }

// newGuest makes an instance that goes on from a state, or a fresh one if it is nil.
func (p *Pipeline) newGuest(ctx context.Context, program *gyr.Program, root state.Hash, from *state.File) (g *guest, err error) {
	cfg := &p.cfg
	c := gyr.Config{Memory: cfg.Memory, Tier: cfg.Tier, Stdout: cfg.Stderr, Stderr: cfg.Stderr, Hooks: cfg.Hooks, Labels: map[string]string{"pipeline": cfg.Name}}
	g = &guest{cfg: cfg, largest: int(p.nc.MaxPayload()), program: program}
	if from == nil {
		g.whole = true
		g.in, err = program.NewInstance(ctx, c)
	} else {
		g.tree = from.Tree()
		g.in, err = program.Restore(ctx, c, root, from)
	}
	if err != nil {
		return nil, err
	}
	if err := g.bind(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// handle is the signature that a function has.
const handle = "func Handle(subject string, at int64, data []byte) ([]Message, error), with type Message struct { Subject string; Data []byte }"

// bind finds the functions of the instance.
func (g *guest) bind(ctx context.Context) (err error) {
	if g.copied, err = gyr.FuncOf[copiedArgs, results](ctx, g.in, "Handle"); err == nil {
		g.lent, err = gyr.FuncOf[lentArgs, results](ctx, g.in, "Handle")
	}
	if err != nil {
		return &FunctionError{"Handle", fmt.Errorf("%w; a function of a pipeline has %s", err, handle)}
	}
	g.tick = nil
	for _, x := range g.program.Exports() {
		if x.Name != "Tick" {
			continue
		}
		if g.tick, err = gyr.FuncOf[tickArgs, results](ctx, g.in, "Tick"); err != nil {
			return &FunctionError{"Tick", fmt.Errorf("%w; it has func Tick(at int64) ([]Message, error)", err)}
		}
	}
	return nil
}

func (g *guest) close() { g.in.Close() }

func (g *guest) limits() gyr.CallOptions {
	return gyr.CallOptions{Gas: g.cfg.Gas, Memory: g.cfg.MessageMemory}
}

func (g *guest) count(s gyr.CallStats) {
	g.gas += s.Gas
	g.garbage += s.AllocBytes
}

// tidy clears what the function no longer reaches, so that it is not in the state. gas says how long it
// takes: 10 units a nanosecond.
func (g *guest) tidy(ctx context.Context) error {
	stats, err := g.in.Compact(ctx)
	g.garbage, g.compact = 0, stats.Gas
	return err
}

// gasOfByte is the gas of compacting that a byte of garbage in a commit is worth: hashing it, writing
// it and publishing it to three servers takes 5 ns of processors.
const gasOfByte = 50

// A failure is a message whose call failed for a reason that lies in the message and the function.
type failure struct {
	event *event
	err   error
}

// run calls the function for a batch. It returns the number of messages that are done with, what the
// function returned for them, and the failure of the last of them, if it failed. The state is then as
// if that message had never been. Any other error makes the guest useless.
func (g *guest) run(ctx context.Context, batch []event) (done int, out []message, failed *failure, err error) {
	size := 0
	for i := range batch {
		size += len(batch[i].data)
	}
	if g.cfg.Lend > 0 && size >= g.cfg.Lend && len(batch) > 1 {
		if done, out, ok, err := g.lend(ctx, batch, size); ok || err != nil {
			return done, out, nil, err
		}
	}
	done, out, failed, err = g.try(ctx, batch)
	if failed == nil || err != nil {
		return done, out, nil, err
	}
	// Everything is undone. The messages before it do what they did.
	at := done
	if done, out, again, err := g.try(ctx, batch[:at]); err != nil || again != nil || done != at {
		return 0, nil, nil, fmt.Errorf("stream: message %d behaves otherwise the second time: %v %w", batch[done].seq, again, err)
	} else {
		return at + 1, out, failed, nil
	}
}

// outputsOfMessage and outputsOfBatch bound what is published with a commit: a batch ends with the
// message that reaches outputsOfBatch.
const (
	outputsOfMessage = 200
	outputsOfBatch   = maxOutputs - outputsOfMessage - 1 // and a dead letter
)

// try calls the function for messages, as a transaction. If one fails, done is its index, and nothing
// has changed.
func (g *guest) try(ctx context.Context, batch []event) (done int, out []message, failed *failure, err error) {
	if err := g.in.Begin(ctx); err != nil {
		return 0, nil, nil, err
	}
	for i := range batch {
		e := &batch[i]
		r, stats, err := g.copied.CallWith(ctx, g.limits(), copiedArgs{e.subject, e.at, e.data})
		g.count(stats)
		if err == nil {
			err = g.check(r.Out)
		}
		if err != nil {
			return i, nil, &failure{e, err}, g.undo(err)
		}
		if out = append(out, r.Out...); len(out) >= outputsOfBatch {
			return i + 1, out, nil, g.in.Commit()
		}
	}
	return len(batch), out, nil, g.in.Commit()
}

// undo rolls back after a failed call. It returns an error if that does not follow from the function
// and the message.
func (g *guest) undo(err error) error {
	var output *OutputError
	if errors.As(err, &output) || errors.As(err, new(*gyr.GuestError)) || errors.As(err, new(*gyr.CallError)) {
		return g.in.Rollback() // the others have rolled back
	}
	if !gyr.Reproducible(err) {
		return err
	}
	return nil
}

// lend calls the function for a batch in a buffer. Not ok means that nothing has changed and that the
// batch has to be copied: some message fails, or the function keeps a part of the buffer, or writes to
// it. Buffers do not go together with transactions, so a fork is what is left if something fails.
func (g *guest) lend(ctx context.Context, batch []event, size int) (done int, out []message, ok bool, err error) {
	before, err := g.in.Fork(ctx, gyr.ForkConfig{})
	if err != nil {
		return 0, nil, false, err
	}
	defer func() {
		if ok || err != nil {
			before.Close()
			return
		}
		g.in.Close()
		g.in = before
		err = g.bind(ctx)
	}()
	b, err := g.in.NewBuffer(size)
	if errors.As(err, new(*gyr.BufferError)) {
		return 0, nil, false, nil // the instance has not as much memory left
	}
	if err != nil {
		return 0, nil, false, err
	}
	into, at, last := b.Bytes(), 0, len(batch)-1
	for i := range batch[:last] {
		at += copy(into[at:], batch[i].data)
	}
	// The guest forgets a buffer that was freed when its collector does not find it. What a call leaves
	// on the stack is found, until another call is there. So the last message is copied.
	at = 0
	for done = range batch {
		e := &batch[done]
		var r results
		var stats gyr.CallStats
		if done < last {
			r, stats, err = g.lent.CallWith(ctx, g.limits(), lentArgs{e.subject, e.at, b.Slice(at, at+len(e.data))})
		} else if err = b.Free(); err == nil {
			r, stats, err = g.copied.CallWith(ctx, g.limits(), copiedArgs{e.subject, e.at, e.data})
		}
		g.count(stats)
		if err == nil {
			err = g.check(r.Out)
		}
		if err != nil {
			return 0, nil, false, notReproducible(err)
		}
		at += len(e.data)
		if out = append(out, r.Out...); len(out) >= outputsOfBatch {
			break
		}
	}
	if done < last {
		return 0, nil, false, nil // too much is published for one commit
	}
	if err := g.tidy(ctx); err != nil {
		return 0, nil, false, notReproducible(err)
	}
	if _, err := g.in.State(ctx); errors.As(err, new(*gyr.TransactionError)) {
		return 0, nil, false, nil // it keeps a part of the buffer
	} else if err != nil {
		return 0, nil, false, err
	}
	return len(batch), out, true, nil
}

func notReproducible(err error) error {
	if errors.As(err, new(*OutputError)) || gyr.Reproducible(err) {
		return nil
	}
	return err
}

// check looks at what the function has returned for a message.
func (g *guest) check(out []message) error {
	if len(out) > outputsOfMessage {
		return &OutputError{out[outputsOfMessage].Subject, fmt.Errorf("%d messages are more than %d for one", len(out), outputsOfMessage)}
	}
	for _, m := range out {
		if err := g.checkOutput(m); err != nil {
			return &OutputError{m.Subject, err}
		}
	}
	return nil
}

func (g *guest) checkOutput(m message) error {
	if err := checkSubject(m.Subject, false); err != nil {
		return err
	}
	if most := g.largest - room; len(m.Data) > most {
		return fmt.Errorf("%d bytes are more than %d", len(m.Data), most)
	}
	if strings.HasPrefix(m.Subject, "gyr.") {
		return errors.New("subjects that begin with gyr. are the pipeline's own")
	}
	for _, s := range g.cfg.Outputs {
		if matches(s, m.Subject) {
			return nil
		}
	}
	return fmt.Errorf("the pipeline's outputs are %q: -out adds one", g.cfg.Outputs)
}

// idle calls Tick, if there is one. What it does takes effect if it returns a message.
func (g *guest) idle(ctx context.Context, at int64) ([]message, error) {
	if g.tick == nil {
		return nil, nil
	}
	if err := g.in.Begin(ctx); err != nil {
		return nil, err
	}
	r, stats, err := g.tick.CallWith(ctx, g.limits(), tickArgs{at})
	g.count(stats)
	if err == nil {
		err = g.check(r.Out)
	}
	switch {
	case err != nil:
		g.cfg.Log.Warn("Tick failed", "error", err)
		g.cfg.Metrics.ticksFailed.Inc()
		return nil, g.undo(err)
	case len(r.Out) == 0:
		return nil, g.in.Rollback()
	}
	return r.Out, g.in.Commit()
}

// save returns the state: its root, and the difference from the one before or, if that is asked for
// or there is none, everything. It is compacted first if that takes less than what the garbage costs.
func (g *guest) save(ctx context.Context, whole bool) (root state.Hash, file []byte, err error) {
	whole = whole || g.whole
	if whole || g.garbage*gasOfByte > uint64(max(g.compact, 0)) {
		if err := g.tidy(ctx); err != nil {
			return root, nil, err
		}
	}
	s, err := g.in.State(ctx)
	if err != nil {
		return root, nil, err
	}
	base := &g.tree
	if whole {
		base = nil
	}
	var b bytes.Buffer
	if err := state.Write(&b, base, &s.Tree, s.Sections, s.Page); err != nil {
		return root, nil, err
	}
	g.tree, g.whole = s.Tree, false
	return s.Root, b.Bytes(), nil
}

// published makes a message of JetStream.
func (g *guest) published(m message, partition int, number uint64) *nats.Msg {
	x := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: nats.Header{}}
	x.Header.Set(HeaderOrigin, fmt.Sprintf("%s/%d/%d", g.cfg.Name, partition, number))
	setKeep(x, g.cfg)
	return x
}

func setKeep(m *nats.Msg, cfg *Config) {
	if cfg.Keep > 0 {
		m.Header.Set(headerTTL, cfg.Keep.String())
	}
}
