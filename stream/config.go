package stream

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nuid"

	"github.com/gyrvm/gyr"
)

// A Config holds the settings of a pipeline and of a worker. All workers of a pipeline have the same
// Name, Subject, Memory and Stack; the others may differ.
type Config struct {
	Name    string // of the pipeline: letters, digits, - and _
	Subject string // of the input, with wildcards; "": that of the pipeline, which exists

	// Outputs are the subjects on which the function may publish. They belong to the pipeline's
	// stream, and to no other stream of the account.
	Outputs []string
	// Keep is how long published messages and dead letters stay; 0: for ever. Commits stay as long as
	// they are needed.
	Keep time.Duration
	// Replicas of what the pipeline makes in the cluster. 0: as many as the input stream has.
	Replicas int

	Gas           int64  // of a message; 0: 100,000,000
	MessageMemory uint64 // by which memory may grow for a message; 0: up to Memory
	Memory        uint64 // of an instance, as gyr.Config.Memory; 0: 64 MiB

	// Batch is the largest number of messages of a commit; 0: 512. A commit takes what has arrived, so
	// batches are small while there is little to do.
	Batch int
	// Lend is the number of bytes from which a batch is lent to the function as a buffer instead of
	// being copied; 0: 1 MiB, negative: never. The results are the same.
	Lend int
	// Idle is how long a partition waits for a message before Tick is called; 0: a second.
	Idle time.Duration
	// TimeHeader is the header that has the message's time, in RFC 3339. A message without it has the
	// time at which JetStream stored it, and so has every message if TimeHeader is empty.
	TimeHeader string
	// Lease is how long a worker that does not answer keeps its partitions; 0: 10 seconds. The first
	// worker decides.
	Lease time.Duration
	// Snapshots is the number of commits after which the state is written as a whole; 0: 256.
	Snapshots int

	ID      string              // of the worker, unique; "": made up
	Log     *slog.Logger        // nil: none
	Stderr  io.Writer           // gets what the function prints, possibly more than once; nil: nobody
	Hooks   *gyr.Hooks          // of instances and of compilations
	Metrics *Metrics            // nil: none
	Tier    gyr.Tier            // as in gyr.Config
	Compile *gyr.CompileOptions // Base, Cache and GOROOT for the function; nil: the defaults
}

// room is left of a message's size for its headers.
const room = 4096

var goodName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check returns the Config with its defaults.
func (c Config) check() (Config, error) {
	bad := func(field, text string, args ...any) (Config, error) {
		return c, &ConfigError{field, fmt.Errorf(text, args...)}
	}
	switch {
	case !goodName.MatchString(c.Name):
		return bad("Name", "%q: a name has 1 to 64 letters, digits, - and _", c.Name)
	case c.Subject != "" && checkSubject(c.Subject, true) != nil:
		return bad("Subject", "%q: %w", c.Subject, checkSubject(c.Subject, true))
	case c.Gas < 0:
		return bad("Gas", "%d is negative", c.Gas)
	case c.Batch < 0 || c.Batch > 10_000:
		return bad("Batch", "%d is not between 1 and 10,000", c.Batch)
	case c.Lease != 0 && c.Lease < 500*time.Millisecond:
		return bad("Lease", "%v is less than half a second", c.Lease)
	case c.Keep != 0 && c.Keep < time.Second:
		return bad("Keep", "%v is less than a second", c.Keep)
	case c.Snapshots < 0:
		return bad("Snapshots", "%d is negative", c.Snapshots)
	case c.ID != "" && !goodName.MatchString(c.ID):
		return bad("ID", "%q: an ID has 1 to 64 letters, digits, - and _", c.ID)
	}
	for _, s := range c.Outputs {
		if err := checkSubject(s, true); err != nil {
			return bad("Outputs", "%q: %w", s, err)
		}
	}
	orElse(&c.Gas, 100_000_000)
	orElse(&c.Memory, 64<<20)
	orElse(&c.Batch, 512)
	orElse(&c.Lend, 1<<20)
	orElse(&c.Idle, time.Second)
	orElse(&c.Lease, 10*time.Second)
	orElse(&c.Snapshots, 256)
	if c.ID == "" {
		host, _ := os.Hostname()
		c.ID = strings.Map(func(r rune) rune {
			if goodName.MatchString(string(r)) {
				return r
			}
			return '-'
		}, fmt.Sprintf("%.30s-%d-%s", host, os.Getpid(), nuid.Next()[16:]))
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("pipeline", c.Name, "worker", c.ID)
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	return c, nil
}

func orElse[T comparable](value *T, other T) {
	if *value == *new(T) {
		*value = other
	}
}

// checkSubject says what is wrong with a subject.
func checkSubject(subject string, wildcards bool) error {
	if subject == "" {
		return errors.New("the subject is empty")
	}
	tokens := strings.Split(subject, ".")
	for i, t := range tokens {
		switch {
		case t == "":
			return errors.New("a token is empty")
		case strings.ContainsAny(t, " \t\r\n\x00"):
			return errors.New("a token has a space")
		case (t == "*" || t == ">") && !wildcards:
			return errors.New("it has a wildcard")
		case t == ">" && i != len(tokens)-1:
			return errors.New("> is not the last token")
		}
	}
	return nil
}

// matches reports whether a subject without wildcards is among those of a pattern.
func matches(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, t := range p {
		if t == ">" {
			return len(s) > i
		}
		if i >= len(s) || t != "*" && t != s[i] {
			return false
		}
	}
	return len(p) == len(s)
}
