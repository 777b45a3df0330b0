package stream

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/gyrvm/gyr/state"
)

// A record is a commit of a partition: a line of JSON, and after it the state's difference from the
// commit before, unless Snapshot names it.
type record struct {
	Partition int    `json:"partition"`
	Number    uint64 `json:"number"` // of the partition's commits
	Mark      string `json:"mark"`   // of the attempt: a worker recognises its own commit
	Owner     string `json:"owner"`
	Epoch     uint64 `json:"epoch"` // owners so far
	Input     uint64 `json:"input"` // sequence of the last message handled
	Time      int64  `json:"time"`  // the largest time of a message, in nanoseconds
	Function  int    `json:"function"`
	Root      string `json:"root"`
	Snapshot  string `json:"snapshot,omitempty"` // an object; "": a difference follows
	Before    uint64 `json:"before,omitempty"`   // the stream's sequence of the commit from which it differs
	Deltas    int    `json:"deltas,omitempty"`   // commits since the snapshot
	Bytes     int    `json:"bytes,omitempty"`    // and their bytes
	Handled   uint64 `json:"handled"`            // messages so far
	Published uint64 `json:"published"`          // messages of the function so far
	Dead      uint64 `json:"dead"`               // dead letters so far
}

// encode returns a record and what follows it.
func (r *record) encode(delta []byte) ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(append(b, '\n'), delta...), nil
}

// decodeRecord undoes encode.
func decodeRecord(b []byte) (*record, []byte, error) {
	line, delta, ok := bytes.Cut(b, []byte("\n"))
	if !ok {
		return nil, nil, errors.New("a commit without an end of line")
	}
	r := &record{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, nil, fmt.Errorf("a commit that is not one: %w", err)
	}
	return r, delta, nil
}

func rootText(h state.Hash) string { return hex.EncodeToString(h[:]) }

func parseRoot(s string) (h state.Hash, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is not a root", s)
	}
	return state.Hash(b), nil
}

// Headers of JetStream, and of ours.
const (
	headerBatch    = "Nats-Batch-Id"
	headerSequence = "Nats-Batch-Sequence"
	headerCommit   = "Nats-Batch-Commit"
	headerExpected = "Nats-Expected-Last-Subject-Sequence"
	headerTTL      = "Nats-TTL"

	// HeaderOrigin of a published message says which partition published it, and as which of its
	// messages: "clicks/3/17".
	HeaderOrigin = "Gyr-Origin"
	// Headers of a dead letter.
	HeaderError    = "Gyr-Error"    // the error's text, with the place in the function
	HeaderKind     = "Gyr-Kind"     // the error in a word: see gyr.Kind
	HeaderSubject  = "Gyr-Subject"  // of the message
	HeaderStream   = "Gyr-Stream"   // the input stream
	HeaderSequence = "Gyr-Sequence" // of the message in the input stream
	HeaderCut      = "Gyr-Cut"      // the message's size, if it was cut off because of its own
)

// Codes of errors of JetStream (nats-server, errors.json).
const (
	codeWrongSequence         = 10071
	codeWrongSequenceConstant = 10164
	codeBatchDisabled         = 10174
	codeBatchTooLarge         = 10199
)

// maxOutputs is the number of messages that a batch may have beside the commit. JetStream's limit is
// 1,000 with it.
const maxOutputs = 990

// publish publishes messages and a commit after the one with sequence last. It returns the new
// commit's sequence. It tries until the outcome is known or the context ends. A [*FencedError] says
// that another owner has committed.
func (p *Pipeline) publish(ctx context.Context, r *record, last uint64, delta []byte, outputs []*nats.Msg) (uint64, error) {
	r.Mark = nuid.Next()
	body, err := r.encode(delta)
	if err != nil {
		return 0, err
	}
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		seq, err := p.attempt(ctx, r.Partition, last, body, outputs)
		if err == nil {
			return seq, nil
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		api := (*jetstream.APIError)(nil)
		if errors.As(err, &api) && (api.ErrorCode == codeBatchDisabled || api.ErrorCode == codeBatchTooLarge || api.Code == 400 && !wrongSequence(api)) && !incomplete(api) {
			return 0, fmt.Errorf("stream: commit of partition %d: %w", r.Partition, err)
		}
		// Was it stored?
		found, at, _, lookErr := p.lastCommit(ctx, r.Partition)
		switch {
		case lookErr != nil: // ask again
		case found != nil && found.Mark == r.Mark:
			return at, nil
		case found == nil && last != 0:
			return 0, &MissingError{"commit of partition", strconv.Itoa(r.Partition), "stream " + p.streamName() + " was made anew or purged: start the worker again", nil}
		case at != last:
			return 0, &FencedError{r.Partition, found.Owner}
		}
		p.cfg.Log.Debug("a commit is tried again", "partition", r.Partition, "error", err)
		p.cfg.Metrics.retries.Inc()
		if err := sleep(ctx, wait); err != nil {
			return 0, err
		}
	}
}

func wrongSequence(e *jetstream.APIError) bool {
	return e.ErrorCode == codeWrongSequence || e.ErrorCode == codeWrongSequenceConstant
}

// incomplete reports whether the server lost a part of the batch, or has no room for one now.
func incomplete(e *jetstream.APIError) bool { return e.ErrorCode == 10176 || e.ErrorCode == 10210 }

// attempt publishes an atomic batch once.
func (p *Pipeline) attempt(ctx context.Context, partition int, last uint64, body []byte, outputs []*nats.Msg) (uint64, error) {
	batch := nuid.Next()
	for i, m := range outputs {
		m.Header.Set(headerBatch, batch)
		m.Header.Set(headerSequence, strconv.Itoa(i+1))
		if err := p.nc.PublishMsg(m); err != nil {
			return 0, err
		}
	}
	m := &nats.Msg{Subject: p.commitSubject(partition), Data: body, Header: nats.Header{}}
	m.Header.Set(headerExpected, strconv.FormatUint(last, 10))
	if len(outputs) > 0 {
		m.Header.Set(headerBatch, batch)
		m.Header.Set(headerSequence, strconv.Itoa(len(outputs)+1))
		m.Header.Set(headerCommit, "1")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := p.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return 0, err
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		Seq   uint64              `json:"seq"`
	}
	switch err := json.Unmarshal(answer.Data, &ack); {
	case err != nil:
		return 0, fmt.Errorf("answer %q: %w", answer.Data, err)
	case ack.Error != nil:
		return 0, ack.Error
	case ack.Seq == 0:
		return 0, fmt.Errorf("answer %q has no sequence", answer.Data)
	}
	return ack.Seq, nil
}

// lastCommit reads the last commit of a partition: nil and 0 if there is none.
func (p *Pipeline) lastCommit(ctx context.Context, partition int) (*record, uint64, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	m, err := p.stream.GetLastMsgForSubject(ctx, p.commitSubject(partition))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil, nil
	}
	if err != nil {
		return nil, 0, nil, fmt.Errorf("stream: the last commit of partition %d: %w", partition, err)
	}
	r, delta, err := decodeRecord(m.Data)
	if err != nil {
		return nil, 0, nil, &StateError{p.cfg.Name, partition, m.Sequence, err}
	}
	return r, m.Sequence, delta, nil
}

// sleep waits, or returns why the context has ended.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
