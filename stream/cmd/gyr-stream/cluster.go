package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr/stream"
)

var initVerb = &verb{name: "init", usage: "-subject SUBJECT [flags]", short: "make a stream for the input, with partitions",
	long: `Init makes a stream of JetStream for a subject, whose messages it spreads over partitions by the
tokens that * stands for. A partition is the unit of work: a pipeline has at most as many workers at
work as partitions, and the number is for ever.`, run: initialize}

var statusVerb = &verb{name: "status", usage: "-name NAME [-wait] [flags]", short: "print how far a pipeline is",
	long: `Status prints a line for each partition: the worker that has it, the version of the function, the
sequence of the last message that was handled, the number of messages behind it, and the figures of all
commits. With -wait it first waits until every message is handled.`, run: printStatus}

var deleteVerb = &verb{name: "delete", usage: "-name NAME -yes [flags]", short: "delete a pipeline, with its state and what it published",
	long: `Delete deletes the streams and buckets of a pipeline. The input stays. Nothing brings the states
back.`, run: remove}

func initialize(ctx context.Context, v *verb, args []string) error {
	var c connection
	fs := v.flags()
	c.register(fs)
	subject := fs.String("subject", "", "`subject`, with a * for each token that is a part of the key")
	name := fs.String("stream", "", "`name` of the stream; default: made from the subject")
	partitions := fs.Int("partitions", 8, "`number` of partitions")
	replicas := fs.Int("replicas", 1, "`number` of servers that have the stream: 3 in a cluster")
	if err := v.parse(fs, args, 0, 0); err != nil {
		return err
	}
	nc, err := c.dial()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	cfg, err := stream.InitInput(ctx, js, *name, *subject, *partitions, *replicas)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "stream %s: %s, %d partitions, %d replicas\n", cfg.Name, *subject, *partitions, *replicas)
	return nil
}

// named parses the flags of a verb for a pipeline that exists. word is a flag of the verb's own, of type
// bool.
func named(v *verb, args []string, c *connection, word, help string) (cfg stream.Config, yes bool, err error) {
	fs := v.flags()
	c.register(fs)
	fs.StringVar(&cfg.Name, "name", "", "`name` of the pipeline")
	if word != "" {
		fs.BoolVar(&yes, word, false, help)
	}
	if err := v.parse(fs, args, 0, 0); err != nil {
		return cfg, yes, err
	}
	if cfg.Name == "" {
		return cfg, yes, usageError{v.name + ": -name is missing"}
	}
	return cfg, yes, nil
}

func printStatus(ctx context.Context, v *verb, args []string) error {
	var c connection
	cfg, wait, err := named(v, args, &c, "wait", "wait until every message is handled")
	if err != nil {
		return err
	}
	for {
		err := c.with(ctx, cfg, func(p *stream.Pipeline) error { return table(ctx, p, wait) })
		// A pipeline whose first worker begins is not there yet.
		if missing := (*stream.MissingError)(nil); !wait || !errors.As(err, &missing) {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// table prints a table of the partitions.
func table(ctx context.Context, p *stream.Pipeline, wait bool) error {
	list, err := p.Status(ctx)
	for wait && err == nil && slices.ContainsFunc(list, func(s stream.Status) bool { return s.Behind > 0 }) {
		select {
		case <-time.After(200 * time.Millisecond):
			list, err = p.Status(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tWORKER\tVERSION\tPOSITION\tBEHIND\tHANDLED\tPUBLISHED\tDEAD\tTIME")
	for _, s := range list {
		worker, at := s.Leased, "-"
		if worker == "" {
			worker = "-"
		}
		if s.Handled > 0 {
			at = s.Time.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", s.Partition, worker, s.Function, s.Position, s.Behind, s.Handled, s.Published, s.Dead, at)
	}
	return w.Flush()
}

func remove(ctx context.Context, v *verb, args []string) error {
	var c connection
	cfg, yes, err := named(v, args, &c, "yes", "do it")
	if err != nil {
		return err
	}
	if !yes {
		return usageError{"delete: it deletes the state of " + cfg.Name + " and all that it published: -yes does it"}
	}
	return c.with(ctx, cfg, func(p *stream.Pipeline) error { return p.Delete(ctx) })
}
