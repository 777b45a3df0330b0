package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/stream"
	"github.com/gyrvm/gyr/stream/testdata/purchases"
)

var figures = flag.Int("figures", 0, "how many events TestFigures measures each time; 0: none")

const nativeEnv = "GYR_STREAM_TEST_NATIVE"

// purchase is an event: its user, and its text.
func purchase(i, users int) (user, text string) {
	user = fmt.Sprint("user", i*7919%users)
	var items []string
	for k := range 2 + i%5 {
		items = append(items, fmt.Sprintf(`{"name":"item %d","count":%d,"each":%d}`, (i+k)%97, 1+(i+k)%4, 50+i*k%3000))
	}
	return user, fmt.Sprintf(`{"id":%d,"user":"%s","items":[%s],"tags":{"shop":"north %d","till":"%d"}}`, i, user, strings.Join(items, ","), i%3, i%9)
}

// native is a process that does the same with native Go, as a service does it by hand: a consumer for
// each partition, publishing with a message ID, acknowledging. Its state is in its own memory, and
// lasts as long as it does; beyond the duplicate window it counts twice what comes twice.
func native(text string) error {
	var c struct {
		URL, Stream, Subject string
		Partitions           int
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	nc, err := nats.Connect(c.URL)
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1024))
	if err != nil {
		return err
	}
	var mu sync.Mutex // the function has one state
	for i := range c.Partitions {
		consumer, err := js.CreateConsumer(ctx, c.Stream, jetstream.ConsumerConfig{Durable: fmt.Sprint("native-", i), FilterSubject: fmt.Sprintf("%d.%s", i, c.Subject),
			AckPolicy: jetstream.AckAllPolicy, MaxAckPending: 4000})
		if err != nil {
			return err
		}
		consume, err := consumer.Consume(func(m jetstream.Msg) {
			mu.Lock()
			out, err := purchases.Handle(m.Subject(), 0, m.Data())
			mu.Unlock()
			if err != nil {
				panic(err)
			}
			md, err := m.Metadata()
			if err != nil {
				panic(err)
			}
			for _, o := range out {
				if _, err := js.PublishAsync(o.Subject, o.Data, jetstream.WithMsgID(fmt.Sprint(md.Sequence.Stream))); err != nil {
					panic(err)
				}
			}
			if md.Sequence.Consumer%100 == 0 || md.NumPending == 0 {
				<-js.PublishAsyncComplete()
				_ = m.Ack()
			}
		}, jetstream.PullMaxMessages(1024))
		if err != nil {
			return err
		}
		defer consume.Stop()
	}
	<-ctx.Done()
	return nil
}

// TestFigures measures events through the cluster: processor time of the workers an event, and events
// a second, for native Go and for 1, 2 and 4 workers. All have the same events, stored before.
func TestFigures(t *testing.T) {
	if *figures == 0 {
		t.Skip("-figures measures")
	}
	const partitions = 8
	for _, c := range []struct {
		name    string
		workers int
		users   int
		change  func(*stream.Config)
	}{
		{"native Go", 0, 50, nil},
		{"1 worker", 1, 50, nil},
		{"1 worker, lent", 1, 50, func(c *stream.Config) { c.Lend = 1 }},
		{"1 worker, batches of 64", 1, 50, func(c *stream.Config) { c.Batch = 64 }},
		{"1 worker, interpreted", 1, 50, func(c *stream.Config) { c.Tier = gyr.TierInterp }},
		{"1 worker, 100,000 users", 1, 100_000, nil},
		{"2 workers", 2, 50, nil},
		{"4 workers", 4, 50, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeOf(t, "purchases", partitions, func(cfg *stream.Config) {
				cfg.Batch, cfg.Snapshots, cfg.Lend = 512, 256, -1
				if c.change != nil {
					c.change(cfg)
				}
			})
			start := time.Duration(0)
			if c.workers > 0 {
				start = p.starting()
			}
			p.load(*figures, c.users)
			var cmds []*exec.Cmd
			began := time.Now()
			if c.workers == 0 {
				cmds = append(cmds, p.native(partitions))
			}
			for i := range c.workers {
				cmds = append(cmds, p.child(fmt.Sprint("w", i)))
			}
			p.settle(*figures)
			wall := time.Since(began)
			cpu := time.Duration(0)
			for _, cmd := range cmds {
				_ = cmd.Process.Signal(os.Interrupt)
			}
			for _, cmd := range cmds {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
				cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			cpu -= start * time.Duration(c.workers)
			n := time.Duration(*figures)
			t.Logf("%s: %.1f µs of the workers' processors an event, %.0f events a second in %v, with the start, which takes %v of a processor", c.name, float64(cpu.Nanoseconds())/float64(n)/1000, float64(n)/wall.Seconds(), wall.Round(time.Millisecond), start.Round(time.Millisecond))
		})
	}
}

// load publishes events.
func (p *pipe) load(n, users int) {
	p.Helper()
	js, err := jetstream.New(p.nc, jetstream.WithPublishAsyncMaxPending(512))
	if err != nil {
		p.Fatal(err)
	}
	for i := range n {
		user, text := purchase(i, users)
		if _, err := js.PublishAsync(strings.TrimSuffix(p.cfg.Subject, "*")+user, []byte(text)); err != nil {
			p.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
}

// native starts the process that does without gyr.
func (p *pipe) native(partitions int) *exec.Cmd {
	p.Helper()
	b, err := json.Marshal(map[string]any{"URL": servers.URL, "Stream": p.name, "Subject": p.cfg.Subject, "Partitions": partitions})
	exe, err2 := os.Executable()
	if err := errors.Join(err, err2); err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), nativeEnv+"="+string(b), "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// starting returns the processor time of a worker that takes all partitions and ends.
func (p *pipe) starting() time.Duration {
	p.Helper()
	cmd := p.child("first")
	waitFor(p.T, func() bool {
		list, err := p.pipe.Status(p.Context())
		for _, s := range list {
			if s.Owner == "" {
				return false
			}
		}
		return err == nil
	})
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		p.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
