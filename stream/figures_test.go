package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
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

var (
	figures     = flag.Int("figures", 0, "how many events TestFigures measures each time; 0: none")
	keyFigures  = flag.String("keys", "", "with how many keys TestKeys measures, with commas between; empty: none")
	idleFigures = flag.String("idle", "", "with how many workers TestIdle measures, with commas between; empty: none")
)

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
		{"1 worker, 10,000 users", 1, 10_000, nil},
		{"1 worker, 100,000 users", 1, 100_000, nil},
		{"1 worker, 100,000 users, batches of 64", 1, 100_000, func(c *stream.Config) { c.Batch = 64 }},
		{"2 workers", 2, 50, nil},
		{"4 workers", 4, 50, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeOf(t, "purchases", partitions, func(cfg *stream.Config) {
				cfg.Batch, cfg.Snapshots, cfg.Lend, cfg.Lease = 512, 256, -1, 10*time.Second
				if c.change != nil {
					c.change(cfg)
				}
			})
			start := time.Duration(0)
			if c.workers > 0 {
				start = p.starting()
			}
			before := p.serverTime()
			p.load(*figures, c.users)
			loaded := p.serverTime()
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
			handled := p.serverTime()
			commits := uint64(0)
			if c.workers > 0 {
				status, err := p.pipe.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range status {
					commits += s.Commits
				}
			}
			cpu, memory := time.Duration(0), 0
			for _, cmd := range cmds {
				memory = max(memory, peakOf(t, cmd.Process.Pid))
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
			perEvent := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
			t.Logf("%s: %.1f µs of the servers' processors an event for storing it, %.1f afterwards; %d commits; a process of at most %d MiB", c.name, perEvent(loaded-before), perEvent(handled-loaded), commits, memory>>10)
			t.Logf("%s: %.1f µs of the workers' processors an event, %.0f events a second in %v, with the start, which takes %v of a processor", c.name, perEvent(cpu), float64(n)/wall.Seconds(), wall.Round(time.Millisecond), start.Round(time.Millisecond))
		})
	}
}

// serverTime returns the processor time of all servers so far.
func (p *pipe) serverTime() time.Duration {
	p.Helper()
	d, err := servers.ProcessorTime()
	if err != nil {
		p.Fatal(err)
	}
	return d
}

// peakOf returns the most resident memory of a process, in KiB, as Linux tells it.
func peakOf(t *testing.T, pid int) (kib int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// numbers reads a flag with numbers and commas.
func numbers(t *testing.T, text string) (list []int) {
	t.Helper()
	if text == "" {
		t.Skip("a flag with numbers measures")
	}
	for f := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestKeys measures a partition by the number of its keys, without the cluster: the snapshot, what goes
// on from it, and batches of events of random keys, whose calls and states are measured by themselves.
func TestKeys(t *testing.T) {
	for _, keys := range numbers(t, *keyFigures) {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			p := newPipeOf(t, "purchases", 1, func(cfg *stream.Config) { cfg.Memory, cfg.Lend = 1<<30, -1 })
			g, err := stream.NewGuest(t.Context(), p.pipe, image(t, "purchases"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { g.Close() }()
			events := func(n int, number func() int) (subjects []string, texts [][]byte) {
				for range n {
					user, text := purchase(number(), keys)
					subjects, texts = append(subjects, user), append(texts, []byte(text))
				}
				return subjects, texts
			}
			spent := func(do func() error) time.Duration {
				began := processorTime(t)
				if err := do(); err != nil {
					t.Fatal(err)
				}
				return processorTime(t) - began
			}
			run := func(n int, number func() int) time.Duration {
				subjects, texts := events(n, number)
				return spent(func() error { return g.Run(t.Context(), subjects, texts) })
			}
			next := -1
			for left := keys; left > 0; left -= 512 {
				run(min(left, 512), func() int { next++; return next })
			}
			micros := func(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }
			var file []byte
			d := spent(func() (err error) { file, err = g.Save(t.Context(), true); return err })
			t.Logf("%d keys: a snapshot of %d bytes, %.1f ms", keys, len(file), micros(d, 1000))
			heap := g.Heap()
			var second stream.Guest
			d = spent(func() (err error) {
				second, err = stream.NewGuest(t.Context(), p.pipe, image(t, "purchases"), file)
				return err
			})
			t.Logf("%d keys: a heap of at most %d bytes; going on from the snapshot, compiling too, %.1f ms", keys, heap, micros(d, 1000))
			g.Close()
			g = second
			random := rand.New(rand.NewPCG(1, 2))
			pick := func() int { return random.IntN(keys) }
			for _, batch := range []int{1, 8, 64, 512} {
				const commits = 31
				var calls, saves, sizes []float64
				for range commits {
					calls = append(calls, micros(run(batch, pick), batch))
					d := spent(func() (err error) { file, err = g.Save(t.Context(), false); return err })
					saves, sizes = append(saves, micros(d, 1)), append(sizes, float64(len(file)))
				}
				t.Logf("%d keys, batches of %d: a call %.1f µs, its state %.0f µs and %.0f bytes (medians); %.0f µs and %.0f bytes (means)",
					keys, batch, median(calls), median(saves), median(sizes), mean(saves), mean(sizes))
			}
		})
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}

// TestIdle measures workers that have nothing to do: what their looks at the leases cost the servers,
// and each other.
func TestIdle(t *testing.T) {
	const lasts = 20 * time.Second
	for _, workers := range numbers(t, *idleFigures) {
		for _, lease := range []time.Duration{2 * time.Second, 10 * time.Second} {
			t.Run(fmt.Sprint(workers, lease), func(t *testing.T) {
				p := newPipe(t, 2*workers, func(c *stream.Config) { c.Lease, c.Idle = lease, time.Hour })
				for i := range workers {
					one := *p
					one.cfg.ID = fmt.Sprint("w", i)
					var err error
					if one.pipe, err = stream.Open(t.Context(), p.nc, one.cfg); err != nil {
						t.Fatal(err)
					}
					defer one.start()()
				}
				waitFor(t, func() bool {
					list, err := p.pipe.Status(p.Context())
					owners := map[string]int{}
					for _, s := range list {
						owners[s.Leased]++
					}
					return err == nil && owners[""] == 0 && len(owners) == workers
				})
				server, own := p.serverTime(), processorTime(t)
				time.Sleep(lasts)
				perSecond := func(d time.Duration) float64 { return float64(d.Milliseconds()) / lasts.Seconds() }
				t.Logf("%d workers, %d partitions, leases of %v: a second takes %.1f ms of the servers and %.1f ms of all workers", workers, 2*workers, lease, perSecond(p.serverTime()-server), perSecond(processorTime(t)-own))
			})
		}
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
		if _, err := js.PublishAsync(strings.TrimSuffix(p.cfg.Subject, "*")+user, []byte(text), jetstream.WithStallWait(time.Minute)); err != nil {
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
