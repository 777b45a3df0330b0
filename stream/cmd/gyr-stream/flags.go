package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/stream"
)

// flags returns the flag set of a verb.
func (v *verb) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("gyr-stream "+v.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses flags. -h prints the help. A verb has at least least and at most most arguments.
func (v *verb) parse(fs *flag.FlagSet, args []string, least, most int) error {
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "usage: gyr-stream %s %s\n\n%s\n\nThe flags are:\n\n", v.name, v.usage, v.long)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return err
	case err != nil:
		return usageError{v.name + ": " + err.Error()}
	case fs.NArg() < least || fs.NArg() > most:
		return usageError{fmt.Sprintf("usage: gyr-stream %s %s", v.name, v.usage)}
	}
	return nil
}

// A connection is how to reach the cluster.
type connection struct{ server, creds string }

func (c *connection) register(fs *flag.FlagSet) {
	url := os.Getenv("NATS_URL")
	if url == "" {
		url = nats.DefaultURL
	}
	fs.StringVar(&c.server, "server", url, "`URLs` of the NATS servers, with commas between them; the environment's NATS_URL sets the default")
	fs.StringVar(&c.creds, "creds", os.Getenv("NATS_CREDS"), "`file` of the user's credentials; the environment's NATS_CREDS sets the default")
}

// dial connects. A connection that breaks is made again, for ever.
func (c *connection) dial() (*nats.Conn, error) {
	opts := []nats.Option{nats.Name("gyr-stream"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond)}
	if c.creds != "" {
		opts = append(opts, nats.UserCredentials(c.creds))
	}
	nc, err := nats.Connect(c.server, opts...)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", c.server, err)
	}
	return nc, nil
}

// with connects, and gives a pipeline of a name to f.
func (c *connection) with(ctx context.Context, cfg stream.Config, f func(*stream.Pipeline) error) error {
	nc, err := c.dial()
	if err != nil {
		return err
	}
	defer nc.Close()
	p, err := stream.Open(ctx, nc, cfg)
	if err != nil {
		return err
	}
	return f(p)
}

// A sizeFlag is a number of bytes with an optional unit.
type sizeFlag uint64

func (s *sizeFlag) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *sizeFlag) Set(text string) error {
	n, err := rt.ParseSize(text)
	*s = sizeFlag(n)
	return err
}

// A listFlag may be repeated, and may have commas.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }

func (l *listFlag) Set(text string) error {
	*l = append(*l, strings.Split(text, ",")...)
	return nil
}
