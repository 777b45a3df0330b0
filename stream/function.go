package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// A version is a version of the pipeline's function. Its image is in the object store, so that a
// worker needs neither the sources nor Go.
type version struct {
	version int
	program *gyr.Program
}

// A versionRecord is the message that makes a version the pipeline's function.
type versionRecord struct {
	Version int    `json:"version"` // from 1
	Object  string `json:"object"`
	Sum     string `json:"sum"` // SHA-256 of the image
	Time    string `json:"time"`
}

func imageName(version int) string { return "function/" + strconv.Itoa(version) }

// lastVersion reads which version is the function, and the sequence of the message that says so.
func (p *Pipeline) lastVersion(ctx context.Context) (v versionRecord, seq uint64, err error) {
	m, err := p.stream.GetLastMsgForSubject(ctx, p.functionSubject())
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return v, 0, nil
	}
	if err != nil {
		return v, 0, fmt.Errorf("stream: the version of the function: %w", err)
	}
	if err := json.Unmarshal(m.Data, &v); err != nil || v.Version < 1 {
		return v, 0, fmt.Errorf("stream: message %d of stream %s is not a version: %w", m.Sequence, p.streamName(), err)
	}
	return v, m.Sequence, nil
}

// Deploy makes an image ([gyr.Build]) the function of the pipeline. Workers change to it between two
// batches. An image that is the function already changes nothing. Deploy returns the version.
//
// If the pipeline has a function, both keep their state in functions of their own: the old one has
// Export, the new one Import, for [gyr.Migrate], and a partition changes to the new one in one commit.
// A [*FunctionError] says what is missing.
func (p *Pipeline) Deploy(ctx context.Context, image []byte) (int, error) {
	next, err := p.compile(ctx, image)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(image)
	text := hex.EncodeToString(sum[:])
	for {
		v, seq, err := p.lastVersion(ctx)
		if err != nil || v.Sum == text {
			return v.Version, err
		}
		if v.Version > 0 {
			old, err := p.image(ctx, v.Version)
			if err != nil {
				return 0, err
			}
			if err := followsOn(old, next); err != nil {
				return 0, err
			}
		}
		v = versionRecord{v.Version + 1, imageName(v.Version+1) + "/" + text, text, time.Now().UTC().Format(time.RFC3339)}
		if err := p.keep(ctx, v.Object, image); err != nil {
			return 0, fmt.Errorf("stream: keeping the image of version %d: %w", v.Version, err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			return 0, err
		}
		m := &nats.Msg{Subject: p.functionSubject(), Data: b, Header: nats.Header{}}
		_, err = p.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(seq), jetstream.WithMsgID(""))
		api := (*jetstream.APIError)(nil)
		if errors.As(err, &api) && wrongSequence(api) {
			continue // another was deployed meanwhile
		}
		if err != nil {
			return 0, fmt.Errorf("stream: deploying version %d: %w", v.Version, err)
		}
		return v.Version, nil
	}
}

// followsOn says why a program cannot take over the state of another.
func followsOn(old, next *gyr.Program) error {
	has := func(p *gyr.Program, name string) bool {
		for _, x := range p.Exports() {
			if x.Name == name {
				return true
			}
		}
		return false
	}
	const cure = "a new version takes the state over from Export() ([]byte, error) of the old one by Import([]byte) error; without them it is another pipeline"
	switch {
	case !has(old, "Export"):
		return &FunctionError{"Export", errors.New("the version that runs has none: " + cure)}
	case !has(next, "Import"):
		return &FunctionError{"Import", errors.New("the new version has none: " + cure)}
	}
	return nil
}

// compile compiles an image and checks that it is a function.
func (p *Pipeline) compile(ctx context.Context, image []byte) (*gyr.Program, error) {
	opts := gyr.CompileOptions{}
	if p.cfg.Compile != nil {
		opts = *p.cfg.Compile
	}
	opts.State, opts.Hooks = true, p.cfg.Hooks
	program, err := gyr.CompileImage(ctx, image, &opts)
	if err != nil {
		return nil, &FunctionError{"Handle", err}
	}
	g, err := p.newGuest(ctx, program, state.Hash{}, nil)
	if err != nil {
		return nil, err
	}
	defer g.close()
	// A function whose initialisation leaves goroutines or files behind has no state.
	if _, err := g.in.State(ctx); err != nil {
		return nil, &FunctionError{"Handle", err}
	}
	return program, nil
}

// image compiles the image of a version.
func (p *Pipeline) image(ctx context.Context, number int) (*gyr.Program, error) {
	last, seq, err := p.lastVersion(ctx)
	if err != nil {
		return nil, err
	}
	// The records of all versions stay in the stream.
	for at := seq; last.Version != number; {
		if at <= 1 || last.Version < number {
			return nil, &MissingError{"function", fmt.Sprintf("version %d of pipeline %s", number, p.cfg.Name), "stream " + p.streamName() + " has lost it", nil}
		}
		m, before, err := p.versionBefore(ctx, at)
		if err != nil {
			return nil, err
		}
		at, last = before, m
	}
	b, err := p.objects.GetBytes(ctx, last.Object)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, &MissingError{"function", fmt.Sprintf("version %d of pipeline %s", number, p.cfg.Name), "restore object store " + p.storeName(), err}
	}
	if err != nil {
		return nil, fmt.Errorf("stream: the image of version %d: %w", number, err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != last.Sum {
		return nil, &FunctionError{"Handle", fmt.Errorf("the image of version %d has another sum than the stream says", number)}
	}
	return p.compile(ctx, b)
}

// versionBefore finds the version before the one with a sequence.
func (p *Pipeline) versionBefore(ctx context.Context, seq uint64) (v versionRecord, at uint64, err error) {
	for from := uint64(1); ; {
		m, err := p.stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(p.functionSubject()))
		if err != nil {
			return v, at, err
		}
		if m.Sequence >= seq {
			return v, at, nil
		}
		if err := json.Unmarshal(m.Data, &v); err != nil {
			return v, at, err
		}
		at, from = m.Sequence, m.Sequence+1
	}
}

// swap changes a partition to another version of the function. The old one goes on if the new one
// does not take its state.
func (p *partition) swap(ctx context.Context, v *version) error {
	next, err := p.newGuest(ctx, v.program, state.Hash{}, nil)
	if err != nil {
		return err
	}
	_, err = gyr.Migrate(ctx, p.guest.in, next.in, gyr.Migration{Export: "Export", Import: "Import", Gas: 100 * p.cfg.Gas})
	if err != nil {
		next.close()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.refused = v.version
		p.cfg.Metrics.swapsFailed.Inc()
		p.cfg.Log.Error("partition stays at its version", "partition", p.number, "version", p.last.Function, "refused", v.version, "error", err)
		return nil
	}
	was := p.guest
	p.guest = next
	r := p.last
	r.Function = v.version
	if err := p.commit(ctx, r, nil, true); err != nil {
		was.close()
		return err
	}
	was.close()
	p.cfg.Log.Info("partition changed to another version", "partition", p.number, "version", v.version)
	return nil
}
