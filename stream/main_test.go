package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
	"github.com/gyrvm/gyr/stream/internal/cluster"
)

var (
	kills    = flag.Int("kills", 3, "how many workers and how many servers TestKill kills")
	messages = flag.Int("messages", 3000, "how many messages TestKill has at least")
)

const workerEnv = "GYR_STREAM_TEST_WORKER"

// A workerConfig is what a worker's process gets.
type workerConfig struct {
	URL, Cache string
	Config     stream.Config
}

var (
	servers *cluster.Cluster
	scratch string // for the caches of the standard library and of the function
	images  = map[string][]byte{}
)

func TestMain(m *testing.M) {
	cluster.Main()
	if text := os.Getenv(workerEnv); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if text := os.Getenv(nativeEnv); text != "" {
		if err := native(text); err != nil {
			fmt.Fprintln(os.Stderr, "native:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gyr-stream")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	scratch = dir
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if servers, err = cluster.Start(ctx, filepath.Join(dir, "js"), 3); err != nil {
		panic(err)
	}
	defer servers.Stop()
	return m.Run()
}

func compileOptions(cache string) (*gyr.CompileOptions, error) {
	base, err := gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: cache})
	return &gyr.CompileOptions{Base: base, State: true}, err
}

// work is a worker's process. It ends with the test, and after an interrupt.
func work(text string) error {
	var c workerConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	go func() {
		for parent := os.Getppid(); os.Getppid() == parent; {
			time.Sleep(200 * time.Millisecond)
		}
		os.Exit(0)
	}()
	nc, err := nats.Connect(c.URL, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	if c.Config.Compile, err = compileOptions(c.Cache); err != nil {
		return err
	}
	level := slog.LevelError
	if os.Getenv("GYR_STREAM_TEST_LOG") != "" {
		level = slog.LevelDebug
	}
	c.Config.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	for {
		p, err := stream.Open(ctx, nc, c.Config)
		if err == nil {
			err = p.Run(ctx)
		}
		if err == nil || ctx.Err() != nil || errors.As(err, new(*stream.MissingError)) {
			return err
		}
		fmt.Fprintln(os.Stderr, "worker:", err)
		time.Sleep(100 * time.Millisecond)
	}
}

// A pipe is a pipeline of a test, with an input of its own.
type pipe struct {
	*testing.T
	nc     *nats.Conn
	js     jetstream.JetStream
	cfg    stream.Config
	pipe   *stream.Pipeline
	name   string
	expect map[string]*account // what the function has to have published, by key
}

// An account is the model of a key.
type account struct{ count, sum int }

// newPipe makes an input with partitions, and a pipeline with the function count.
func newPipe(t *testing.T, partitions int, change func(*stream.Config)) *pipe {
	t.Helper()
	return newPipeOf(t, "count", partitions, change)
}

// newPipeOf makes one with a function of testdata.
func newPipeOf(t *testing.T, function string, partitions int, change func(*stream.Config)) *pipe {
	t.Helper()
	nc, err := servers.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer("/", "-", ",", "", " ", "-", "_", "-").Replace(t.Name())
	p := &pipe{T: t, nc: nc, js: js, name: name, expect: map[string]*account{}}
	in := strings.ToLower(name) + ".*"
	if _, err := stream.InitInput(t.Context(), js, name, in, partitions, 3); err != nil {
		t.Fatal(err)
	}
	p.cfg = stream.Config{Name: name, Subject: in, Outputs: []string{"counted." + "*"}, Lease: time.Second, Gas: 5_000_000, Memory: 32 << 20,
		MessageMemory: 8 << 20, Batch: 100, Snapshots: 20, Idle: 100 * time.Millisecond}
	if change != nil {
		change(&p.cfg)
	}
	var options error
	p.cfg.Compile, options = compileOptions(filepath.Join(scratch, "cache"))
	if options != nil {
		t.Fatal(options)
	}
	if os.Getenv("GYR_STREAM_TEST_LOG") != "" {
		p.cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if p.pipe, err = stream.Open(t.Context(), nc, p.cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = p.pipe.Delete(ctx)
		_ = js.DeleteStream(ctx, name)
	})
	if _, err := p.pipe.Deploy(t.Context(), image(t, function)); err != nil {
		t.Fatal(err)
	}
	return p
}

// image builds a function of testdata once.
func image(t *testing.T, name string) []byte {
	t.Helper()
	if images[name] == nil {
		opts, err := compileOptions(filepath.Join(scratch, "cache"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := gyr.Build(t.Context(), gyr.Source{Dir: filepath.Join("testdata", name), Exports: true}, opts)
		if err != nil {
			t.Fatal(err)
		}
		images[name] = b
	}
	return images[name]
}

// publish publishes a text for a key, until JetStream has it once.
func (p *pipe) publish(key, text string, id int) {
	p.Helper()
	m := nats.NewMsg(strings.TrimSuffix(p.cfg.Subject, "*") + key)
	m.Data = []byte(text)
	for {
		ctx, cancel := context.WithTimeout(p.Context(), 2*time.Second)
		_, err := p.js.PublishMsg(ctx, m, jetstream.WithMsgID(fmt.Sprint(id)))
		cancel()
		if err == nil {
			return
		}
		if p.Context().Err() != nil {
			p.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// count publishes a number and tells the model.
func (p *pipe) count(key string, n, id int) {
	p.publish(key, strconv.Itoa(n), id)
	a := p.expect[key]
	if a == nil {
		a = &account{}
		p.expect[key] = a
	}
	a.count++
	a.sum += n
}

// start starts a worker in this process, and returns what stops it.
func (p *pipe) start() (stop func()) {
	p.Helper()
	ctx, cancel := context.WithCancel(p.Context())
	done := make(chan error, 1)
	go func() { done <- p.pipe.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			p.Error(err)
		}
	})
}

// child starts a worker as a process.
func (p *pipe) child(id string) *exec.Cmd {
	p.Helper()
	cfg := p.cfg
	cfg.Compile, cfg.Log, cfg.Metrics, cfg.ID = nil, nil, nil, id
	b, err := json.Marshal(workerConfig{servers.URL, filepath.Join(scratch, "cache"), cfg})
	if err != nil {
		p.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), workerEnv+"="+string(b), "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// A published message of the pipeline's stream.
type published struct {
	subject, text, origin string
	header                nats.Header
}

// read reads what the pipeline has published on a subject. A cluster that has lost a server may take a
// while to answer.
func (p *pipe) read(subject string) []published {
	p.Helper()
	var err error
	for range 20 {
		var list []published
		if list, err = p.tryRead(subject); err == nil {
			return list
		}
		p.Logf("reading %s again: %v", subject, err)
	}
	p.Fatal(err)
	return nil
}

func (p *pipe) tryRead(subject string) (list []published, err error) {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	s, err := p.js.Stream(ctx, "GYR_"+p.name)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return nil, err
	}
	want := uint64(0)
	for _, n := range info.State.Subjects {
		want += n
	}
	if want == 0 {
		return nil, nil
	}
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		return nil, err
	}
	it, err := c.Messages()
	if err != nil {
		return nil, err
	}
	defer it.Stop()
	for uint64(len(list)) < want {
		m, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return nil, err
		}
		list = append(list, published{m.Subject(), string(m.Data()), m.Headers().Get(stream.HeaderOrigin), m.Headers()})
	}
	return list, nil
}

// settle waits until the pipeline has published n messages and letters.
func (p *pipe) settle(n int) { p.Helper(); p.settleOn(n, "counted.*", "gyr."+p.name+".dead.*") }

// settleOn waits until the pipeline has published n messages on subjects.
func (p *pipe) settleOn(n int, subjects ...string) {
	p.Helper()
	for {
		ctx, cancel := context.WithTimeout(p.Context(), 5*time.Second)
		have := uint64(0)
		for _, filter := range subjects {
			s, err := p.js.Stream(ctx, "GYR_"+p.name)
			if err != nil {
				continue
			}
			if info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter)); err == nil {
				for _, n := range info.State.Subjects {
					have += n
				}
			}
		}
		cancel()
		if have >= uint64(n) {
			return
		}
		if p.Context().Err() != nil {
			p.Fatalf("%d messages of %d", have, n)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// check compares what was published with the model: for each key the counts 1, 2, 3 in order, once
// each, and the sum at the end.
func (p *pipe) check() {
	p.Helper()
	got := map[string]*account{}
	origins := map[string]bool{}
	for _, m := range p.read("counted.*") {
		key := strings.TrimPrefix(m.subject, "counted.")
		var n, sum int
		if _, err := fmt.Sscan(m.text, &n, &sum); err != nil {
			p.Fatalf("%q: %v", m.text, err)
		}
		a := got[key]
		if a == nil {
			a = &account{}
			got[key] = a
		}
		if a.count++; n != a.count {
			p.Errorf("%s: count %d comes as number %d", key, n, a.count)
		}
		a.sum = sum
		if origins[m.origin] {
			p.Errorf("%s was published twice", m.origin)
		}
		origins[m.origin] = true
	}
	lost, doubled := 0, 0
	for key, want := range p.expect {
		have := got[key]
		if have == nil {
			have = &account{}
		}
		lost += max(0, want.count-have.count)
		doubled += max(0, have.count-want.count)
		if *have != *want {
			p.Errorf("%s: %+v, want %+v", key, *have, *want)
		}
	}
	p.Logf("%d keys, %d messages; lost %d, doubled %d", len(p.expect), len(origins), lost, doubled)
	if len(got) != len(p.expect) {
		p.Errorf("%d keys, want %d", len(got), len(p.expect))
	}
}

// dead returns the kinds of dead letters, sorted.
func (p *pipe) dead() (kinds []string) {
	for _, m := range p.read("gyr." + p.name + ".dead.*") {
		kinds = append(kinds, m.header.Get(stream.HeaderKind))
	}
	slices.Sort(kinds)
	return kinds
}
