package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

const logMain = `package main

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"time"
)

type point struct {
	X int
	Y string
}

type secret string

func (secret) LogValue() slog.Value { return slog.GroupValue(slog.String("kind", "secret")) }

type loud struct{}

func (loud) String() string { panic("loud") }

var early = slog.With("early", true)

func main() {
	switch os.Args[1] {
	case "all":
		slog.Info("hello", "i", -1, "s", "x y", "d", time.Second, "err", errors.New("bad"), "p", point{1, "q"}, "nil", nil, "f", 1.5,
			"u", uint64(1<<63), "b", true, "at", time.Date(2020, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600)), "bytes", []byte("zz"))
		early.Debug("quiet")
		slog.Debug("quiet", "x", loud{})
		early.Warn("early", "secret", secret("x"), "loud", loud{}, slog.Attr{}, "odd")
		l := slog.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h")
		l.Warn("grouped", slog.Group("i", "c", 3, slog.Group("none")), slog.Group("", "inline", 4))
		l.Error("group without attributes")
		time.Sleep(time.Second)
		log.Println("plain", 3)
		slog.Log(nil, 12, "strange level")
		fmt.Println(slog.Default().Enabled(nil, slog.LevelDebug), slog.Default().Enabled(nil, slog.LevelError))
	case "large":
		slog.Info(strings.Repeat("é", 20000), strings.Repeat("k", 17000), strings.Repeat("v", 17000))
		var args []any
		for i := range 100 {
			args = append(args, slog.String(fmt.Sprint("k", i), strings.Repeat("v", 1000)))
		}
		slog.Info("many", args...)
		deep := slog.Int("x", 1)
		for range 40 {
			deep = slog.Attr{Key: "g", Value: slog.GroupValue(deep)}
		}
		slog.Info("deep", deep)
		l := slog.Default()
		for range 40 {
			l = l.WithGroup("g")
		}
		l.Info("deep", "x", 1)
	case "flood":
		for i := 0; ; i++ {
			slog.Info("line", "i", i) // the flood
		}
	case "own":
		slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "time" {
				return slog.Attr{}
			}
			return a
		}})))
		slog.Info("own", "k", 1)
		log.Print("text")
	case "fatal":
		log.Fatal("the end")
	}
}
`

// logTo returns a Logger that writes the received records to w.
func logTo(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// runLogging runs a program in both tiers. It returns what the program wrote and logged, which must
// be the same in both, as must the gas.
func runLogging(t *testing.T, p *gyr.Program, how string, cfg gyr.Config, level slog.Leveler) (out, logged string, err error) {
	t.Helper()
	gas := int64(-1)
	for _, tier := range bothTiers {
		var o, l bytes.Buffer
		cfg.Args, cfg.Stdout, cfg.Stderr, cfg.Tier = []string{how}, &o, &o, tier
		cfg.Log = logTo(&l, level)
		in := newInstance(t, p, cfg)
		err = in.Run(t.Context())
		if gas >= 0 && (in.Stats().Gas != gas || o.String() != out || l.String() != logged) {
			t.Errorf("%s: another run has gas %d and %d,\n%s\n%s\n%s\n%s", how, gas, in.Stats().Gas, out, o.String(), logged, l.String())
		}
		gas, out, logged = in.Stats().Gas, o.String(), l.String()
	}
	return out, logged, err
}

// TestLog: records that a guest logs with the default Logger reach the host's handler.
func TestLog(t *testing.T) {
	p := compileText(t, logMain)
	out, logged, err := runLogging(t, p, "all", gyr.Config{}, slog.LevelInfo)
	if err != nil {
		t.Error(err)
	}
	if out != "false true\n" {
		t.Errorf("output %q", out)
	}
	var got []string
	for line := range strings.Lines(logged) {
		stamp, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		at, err := time.Parse(time.RFC3339, strings.TrimPrefix(stamp, "time="))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, fmt.Sprintf("%d %s", at.Unix()-time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), rest))
	}
	want := []string{
		`0 level=INFO msg=hello i=-1 s="x y" d=1s err=bad p="{X:1 Y:q}" nil=<nil> f=1.5 u=9223372036854775808 b=true ` +
			`at=2020-02-03T03:05:06.000Z bytes=zz`,
		`0 level=WARN msg=early early=true secret.kind=secret loud="%!v(PANIC=String method: loud)" !BADKEY=odd`,
		`0 level=WARN msg=grouped a=1 g.b=2 g.h.i.c=3 g.h.inline=4`,
		`0 level=ERROR msg="group without attributes" a=1 g.b=2`,
		`1 level=INFO msg="plain 3"`,
		`1 level=ERROR+4 msg="strange level"`,
	}
	for i := range max(len(got), len(want)) {
		if g, w := at(got, i), at(want, i); g != w {
			t.Errorf("record %d:\n%s, want\n%s", i, g, w)
		}
	}
	if out, logged, err := runLogging(t, p, "own", gyr.Config{}, slog.LevelInfo); err != nil || logged != "" ||
		out != "level=INFO msg=own k=1\nlevel=INFO msg=text\n" {
		t.Errorf("a guest with a handler of its own: %q, %q, %v", out, logged, err)
	}
	out, logged, err = runLogging(t, p, "fatal", gyr.Config{}, slog.LevelInfo)
	if exit := (*gyr.ExitError)(nil); !errors.As(err, &exit) || exit.Code != 1 || out != "" || !strings.HasSuffix(logged, `level=INFO msg="the end"`+"\n") {
		t.Errorf("log.Fatal: %q, %q, %v", out, logged, err)
	}
	if _, logged, _ := runLogging(t, p, "fatal", gyr.Config{}, slog.LevelError); logged != "" {
		t.Errorf("below the level: %q", logged)
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// TestLogWithoutSlog: package log alone logs to the host too. Without Config.Log it writes to
// Stderr as usual.
func TestLogWithoutSlog(t *testing.T) {
	p := compileText(t, "package main\nimport \"log\"\nfunc main() { log.Print(\"x\\n\\n\"); log.Print(\"\") }\n")
	out, logged, err := runLogging(t, p, "", gyr.Config{}, slog.LevelInfo)
	if err != nil || out != "" || logged != "time=2026-01-01T00:00:00.000Z level=INFO msg=\"x\\n\"\ntime=2026-01-01T00:00:00.000Z level=INFO msg=\"\"\n" {
		t.Errorf("%q, %q, %v", out, logged, err)
	}
	var errs strings.Builder
	in := newInstance(t, p, gyr.Config{Stderr: &errs})
	if err := in.Run(t.Context()); err != nil || errs.String() != "2026/01/01 00:00:00 x\n\n2026/01/01 00:00:00 \n" {
		t.Errorf("%q, %v", errs.String(), err)
	}
}

// TestLogSizes: no record exceeds the documented sizes, and an omission is reported.
func TestLogSizes(t *testing.T) {
	var records []slog.Record
	p := compileText(t, logMain)
	in := newInstance(t, p, gyr.Config{Args: []string{"large"}, Log: slog.New(handler(func(_ context.Context, r slog.Record) error {
		records = append(records, r)
		return nil
	}))})
	if err := in.Run(t.Context()); err != nil || len(records) != 4 {
		t.Fatalf("%v, %d records", err, len(records))
	}
	first := func(r slog.Record) (a slog.Attr) {
		r.Attrs(func(b slog.Attr) bool { a = b; return false })
		return a
	}
	if r := records[0]; r.Message != strings.Repeat("é", 8<<10) || first(r).Key != strings.Repeat("k", 16<<10) || len(first(r).Value.String()) != 16<<10 {
		t.Errorf("a message of %d bytes, a key of %d", len(r.Message), len(first(r).Key))
	}
	kept, dropped := 0, uint64(0)
	records[1].Attrs(func(a slog.Attr) bool {
		if a.Key == "!DROPPED" {
			dropped = a.Value.Uint64()
		} else {
			kept++
		}
		return true
	})
	if kept != 65 || dropped != 35 {
		t.Errorf("%d attributes kept, %d dropped", kept, dropped)
	}
	for _, r := range records[2:] {
		depth := 0
		a := first(r)
		for ; a.Value.Kind() == slog.KindGroup; a = a.Value.Group()[0] {
			depth++
		}
		if depth != 16 {
			t.Errorf("groups %d deep, in them %v", depth, a)
		}
	}
}

// A handler is a function that handles records of all levels.
type handler func(context.Context, slog.Record) error

func (h handler) Enabled(context.Context, slog.Level) bool        { return true }
func (h handler) Handle(ctx context.Context, r slog.Record) error { return h(ctx, r) }
func (h handler) WithAttrs([]slog.Attr) slog.Handler              { panic("WithAttrs") }
func (h handler) WithGroup(string) slog.Handler                   { panic("WithGroup") }

// TestLogLimits: records count as output and cost gas by their size. A handler that panics, ends
// its goroutine or hangs has the same effect as such a Writer.
func TestLogLimits(t *testing.T) {
	p := compileText(t, logMain)
	_, logged, err := runLogging(t, p, "flood", gyr.Config{Output: 10_000, Gas: 1_000_000_000}, slog.LevelInfo)
	if limit := (*gyr.OutputLimitError)(nil); !errors.As(err, &limit) || limit.Func != "main.main" || strings.Count(logged, "\n") < 100 {
		t.Errorf("%v after %d lines", err, strings.Count(logged, "\n"))
	}
	_, _, err = runLogging(t, p, "flood", gyr.Config{Gas: 1_000_000}, slog.LevelInfo)
	if limit := (*gyr.OutOfGasError)(nil); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}

	run := func(ctx context.Context, h handler) error {
		in := newInstance(t, p, gyr.Config{Args: []string{"flood"}, Log: slog.New(h), Gas: 1_000_000_000})
		return in.Run(ctx)
	}
	err = run(t.Context(), func(context.Context, slog.Record) error { panic(io.ErrClosedPipe) })
	var crash *gyr.HostPanicError
	var host *gyr.HostError
	if !errors.As(err, &crash) || crash.Method != "Handle" || !errors.Is(err, io.ErrClosedPipe) || !errors.As(err, &host) || host.Op != "Config.Log" {
		t.Errorf("a panic: %v", err)
	}
	gone := make(chan bool)
	go func() {
		defer close(gone)
		run(t.Context(), func(context.Context, slog.Record) error { runtime.Goexit(); return nil })
		t.Error("Run returned")
	}()
	<-gone
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	release := make(chan bool)
	defer close(release)
	err = run(ctx, func(ctx context.Context, r slog.Record) error {
		if ctx.Value(key{}) != "value" {
			t.Error("another context")
		}
		cancel()
		<-release
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a handler that hangs: %v", err)
	}
	n := 0
	err = run(t.Context(), func(context.Context, slog.Record) error {
		if n++; n == 50 {
			panic("enough")
		}
		return io.EOF
	})
	if n != 50 || !errors.As(err, &crash) || crash.Value != "enough" {
		t.Errorf("a handler that fails: called %d times, %v", n, err)
	}
}

type key struct{}

// BenchmarkLog measures a record with two attributes from the guest's call to the return of a
// handler that does nothing; a record below the handler's level; and the line on Stderr without
// Config.Log.
func BenchmarkLog(b *testing.B) {
	p, err := gyr.Compile(b.Context(), gyr.Source{Exports: true, FS: fstest.MapFS{
		"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")},
		"lib.go": {Data: []byte("package lib\n\nimport \"log/slog\"\n\nfunc Log(n int) {\n\tfor i := range n {\n\t\tslog.Info(\"message\", \"number\", i, \"text\", \"some text\")\n\t}\n}\n")},
	}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		cfg  gyr.Config
	}{
		{"record", gyr.Config{Log: slog.New(handler(func(context.Context, slog.Record) error { return nil }))}},
		{"below", gyr.Config{Log: logTo(io.Discard, slog.LevelWarn)}},
		{"stderr", gyr.Config{Stderr: io.Discard}},
	} {
		b.Run(c.name, func(b *testing.B) {
			in, err := p.NewInstance(b.Context(), c.cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer in.Close()
			f, err := gyr.FuncOf[struct{ N int }, struct{}](b.Context(), in, "Log")
			if err != nil {
				b.Fatal(err)
			}
			call := func(n int) {
				if _, err := f.Call(context.Background(), struct{ N int }{n}); err != nil {
					b.Fatal(err)
				}
			}
			call(1000)
			gas := in.Stats().Gas
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cpuTime()
			call(b.N)
			b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(in.Stats().Gas-gas)/float64(b.N), "gas/op")
		})
	}
}
