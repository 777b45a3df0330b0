package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gyrvm/gyr"
	gyrprometheus "github.com/gyrvm/gyr/prometheus"
	"github.com/gyrvm/gyr/stream"
)

var runVerb = &verb{name: "run", usage: "-subject SUBJECT -fn DIRECTORY [flags]", short: "run a worker of a pipeline",
	long: `Run runs a worker. The first one makes the pipeline. Further ones share its partitions,
on this machine or others: start as many as are needed. An interrupt ends a worker after its
present batches.

-fn is a Go package with the function, or an image of one that gyr build -exports has made. If it is
not the pipeline's function already, it becomes the next version of it, in all workers. Without -fn a
worker runs the function that the pipeline has.`, run: run}

var deployVerb = &verb{name: "deploy", usage: "-name NAME -fn DIRECTORY [flags]", short: "change a pipeline's function",
	long: `Deploy makes a function the next version of a pipeline's. Workers change to it between two batches.
The state goes over by the old one's Export() ([]byte, error) and the new one's Import([]byte) error.`, run: deploy}

// runFlags are those of run and deploy.
type runFlags struct {
	connection
	cfg        stream.Config
	fn, cache  string
	mem, memOf sizeFlag
	metrics    string
	verbose    bool
	output     bool
	out        listFlag
	lend       bool
}

func (r *runFlags) register(fs *flag.FlagSet) {
	r.connection.register(fs)
	fs.StringVar(&r.cfg.Name, "name", "", "`name` of the pipeline; default: that of the function's directory")
	fs.StringVar(&r.fn, "fn", "", "`directory` of the function's package, or its image")
	fs.StringVar(&r.cache, "cache", defaultCache(), "`directory` that keeps the compiled standard library; \"\": none")
	fs.Int64Var(&r.cfg.Gas, "gas", 100_000_000, "`units` of gas that a message may use")
	fs.Var(&r.mem, "mem", "memory limit of a partition, a `size` such as 64M; the same for all workers; default 64M")
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gyr-stream")
}

// config returns the Config. The cache of the standard library is opened.
func (r *runFlags) config(ctx context.Context) (stream.Config, error) {
	c := r.cfg
	if c.Name == "" && r.fn != "" {
		path, err := filepath.Abs(r.fn)
		if err != nil {
			return c, err
		}
		c.Name = filepath.Base(path)
	}
	if c.Name == "" {
		return c, usageError{"no -name, and no -fn that has one"}
	}
	c.Memory, c.MessageMemory, c.Outputs = uint64(r.mem), uint64(r.memOf), r.out
	if c.Lend = -1; r.lend {
		c.Lend = 1
	}
	base, err := gyr.OpenBase(ctx, gyr.BaseConfig{Cache: r.cache})
	if err != nil {
		return c, err
	}
	c.Compile = &gyr.CompileOptions{Base: base, State: true}
	return c, nil
}

// image returns the function's image.
func (r *runFlags) image(ctx context.Context, c *stream.Config) ([]byte, error) {
	info, err := os.Stat(r.fn)
	if err != nil {
		return nil, fmt.Errorf("-fn: %w", err)
	}
	if !info.IsDir() {
		return os.ReadFile(r.fn)
	}
	return gyr.Build(ctx, gyr.Source{Dir: r.fn, Exports: true, Unsafe: gyr.UnsafeDependencies}, c.Compile)
}

func run(ctx context.Context, v *verb, args []string) error {
	var r runFlags
	fs := v.flags()
	r.register(fs)
	fs.StringVar(&r.cfg.Subject, "subject", "", "`subject` of the input, with wildcards")
	fs.Var(&r.out, "out", "`subjects` on which the function may publish, with commas between them; may be repeated")
	fs.DurationVar(&r.cfg.Keep, "keep", 0, "`time` that published messages and dead letters stay; 0: for ever")
	fs.IntVar(&r.cfg.Replicas, "replicas", 0, "`number` of replicas of the pipeline's streams; 0: as many as the input has")
	fs.Var(&r.memOf, "messagemem", "by which memory may grow for a message, a `size`; default: up to -mem")
	fs.IntVar(&r.cfg.Batch, "batch", 512, "largest `number` of messages of a commit")
	fs.BoolVar(&r.lend, "lend", false, "lend messages to the function instead of copying them: for large ones")
	fs.DurationVar(&r.cfg.Idle, "idle", time.Second, "`time` without a message after which Tick is called")
	fs.StringVar(&r.cfg.TimeHeader, "timeheader", "", "`header` that has a message's time, in RFC 3339; default: when JetStream stored it")
	fs.DurationVar(&r.cfg.Lease, "lease", 10*time.Second, "`time` that a worker that does not answer keeps its partitions; the first worker decides")
	fs.IntVar(&r.cfg.Snapshots, "snapshots", 256, "`number` of commits after which the state is written as a whole")
	fs.StringVar(&r.cfg.ID, "id", "", "`name` of the worker, unique; default: made up")
	fs.StringVar(&r.metrics, "metrics", "", "`address` of a page of metrics for Prometheus: localhost:9100")
	fs.BoolVar(&r.verbose, "v", false, "log more")
	fs.BoolVar(&r.output, "output", false, "print what the function prints, to the standard error; a message that is handled again prints again")
	if err := v.parse(fs, args, 0, 0); err != nil {
		return err
	}
	c, err := r.config(ctx)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if r.verbose {
		level = slog.LevelDebug
	}
	c.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	if r.output {
		c.Stderr = stderr
	}
	c.Metrics = stream.NewMetrics()
	if r.metrics != "" {
		calls, err := gyrprometheus.New(nil)
		if err != nil {
			return err
		}
		c.Hooks = calls.Hooks()
		close, err := page(r.metrics, c.Log, c.Metrics, calls)
		if err != nil {
			return err
		}
		defer close()
	}
	return r.with(ctx, c, func(p *stream.Pipeline) error {
		if r.fn != "" {
			image, err := r.image(ctx, &c)
			if err != nil {
				return err
			}
			version, err := p.Deploy(ctx, image)
			if err != nil {
				return err
			}
			c.Log.Info("function", "version", version, "partitions", p.Partitions())
		}
		return p.Run(ctx)
	})
}

// page serves metrics, until the function that it returns is called.
func page(address string, log *slog.Logger, metrics ...prometheus.Collector) (func(), error) {
	registry := prometheus.NewRegistry()
	for _, m := range metrics {
		if err := registry.Register(m); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics", "error", err)
		}
	}()
	log.Info("metrics", "url", "http://"+l.Addr().String()+"/metrics")
	return func() { _ = s.Close() }, nil
}

func deploy(ctx context.Context, v *verb, args []string) error {
	var r runFlags
	fs := v.flags()
	r.register(fs)
	if err := v.parse(fs, args, 0, 0); err != nil {
		return err
	}
	if r.fn == "" {
		return usageError{"deploy: -fn is missing"}
	}
	c, err := r.config(ctx)
	if err != nil {
		return err
	}
	return r.with(ctx, c, func(p *stream.Pipeline) error {
		image, err := r.image(ctx, &c)
		if err != nil {
			return err
		}
		version, err := p.Deploy(ctx, image)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: version %d\n", c.Name, version)
		return nil
	})
}
