package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/stream"
)

var pubVerb = &verb{name: "pub", usage: "[SUBJECT TEXT]", short: "publish a message, or each line of the standard input",
	long: `Pub publishes TEXT on SUBJECT, or each line of the standard input: the subject, a space, and the text.
It returns when JetStream has stored everything.`, run: pub}

var catVerb = &verb{name: "cat", usage: "SUBJECT", short: "print stored messages",
	long: `Cat prints the messages that a stream has for a subject: a line of subject and text each.`, run: cat}

var deadVerb = &verb{name: "dead", usage: "-name NAME [flags]", short: "print a pipeline's dead letters",
	long: `Dead prints the dead letters of a pipeline, a line of JSON each: the subject and the text of the
message, its sequence in the input, and the error with the place in the function.`, run: dead}

func pub(ctx context.Context, v *verb, args []string) error {
	var c connection
	fs := v.flags()
	c.register(fs)
	if err := v.parse(fs, args, 0, 2); err != nil {
		return err
	}
	if fs.NArg() == 1 {
		return usageError{"usage: gyr-stream pub " + v.usage}
	}
	nc, err := c.dial()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		return err
	}
	n := 0
	var acks []jetstream.PubAckFuture
	publish := func(subject, text string) error {
		f, err := js.PublishAsync(subject, []byte(text))
		if err != nil {
			return fmt.Errorf("publishing on %s: %w", subject, err)
		}
		n++
		acks = append(acks, f)
		return nil
	}
	if fs.NArg() == 2 {
		if err := publish(fs.Arg(0), fs.Arg(1)); err != nil {
			return err
		}
	} else {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			subject, text, _ := strings.Cut(lines.Text(), " ")
			if err := publish(subject, text); err != nil {
				return err
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	for _, f := range acks {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if errors.Is(err, jetstream.ErrNoStreamResponse) {
				return &stream.MissingError{Kind: "stream with subject", Name: f.Msg().Subject, Cure: "gyr-stream init makes one", Err: err}
			}
			return fmt.Errorf("publishing on %s: %w", f.Msg().Subject, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	fmt.Fprintf(stdout, "%d published\n", n)
	return nil
}

// each calls f for the messages that the stream of a subject has for a filter now.
func (c *connection) each(ctx context.Context, name, filter string, f func(jetstream.Msg) error) error {
	nc, err := c.dial()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = js.StreamNameBySubject(ctx, filter); errors.Is(err, jetstream.ErrStreamNotFound) {
			return &stream.MissingError{Kind: "stream with subject", Name: filter, Cure: "gyr-stream init makes one", Err: err}
		} else if err != nil {
			return err
		}
	}
	consumer, err := js.OrderedConsumer(ctx, name, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return &stream.MissingError{Kind: "stream", Name: name, Cure: "gyr-stream run makes the pipeline", Err: err}
	}
	if err != nil {
		return err
	}
	for left := consumer.CachedInfo().NumPending; left > 0; {
		m, err := consumer.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			return err
		}
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		left = md.NumPending
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

func cat(ctx context.Context, v *verb, args []string) error {
	var c connection
	fs := v.flags()
	c.register(fs)
	if err := v.parse(fs, args, 1, 1); err != nil {
		return err
	}
	return c.each(ctx, "", fs.Arg(0), func(m jetstream.Msg) error {
		_, err := fmt.Fprintln(stdout, m.Subject(), printable.Line(string(m.Data())))
		return err
	})
}

func dead(ctx context.Context, v *verb, args []string) error {
	var c connection
	cfg, _, err := named(v, args, &c, "", "")
	if err != nil {
		return err
	}
	return c.each(ctx, "GYR_"+cfg.Name, "gyr."+cfg.Name+".dead.*", func(m jetstream.Msg) error {
		h := m.Headers()
		b, err := json.Marshal(struct {
			Subject  string `json:"subject"`
			Text     string `json:"text"`
			Stream   string `json:"stream"`
			Sequence string `json:"sequence"`
			Kind     string `json:"kind"`
			Error    string `json:"error"`
		}{h.Get(stream.HeaderSubject), string(m.Data()), h.Get(stream.HeaderStream), h.Get(stream.HeaderSequence), h.Get(stream.HeaderKind), h.Get(stream.HeaderError)})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "%s\n", b)
		return err
	})
}
