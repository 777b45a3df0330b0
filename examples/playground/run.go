package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// limits bound one request, and the number of concurrent requests.
type limits struct {
	Source  int           // of a program, in bytes
	Gas     int64         // of a run, in units
	Memory  uint64        // of a run, in bytes
	Output  int64         // of a run, both streams, in bytes
	Compile time.Duration // of a compilation
	Run     time.Duration // of a run, on the host's clock
	Runs    int           // concurrent requests that compile or run
	Wait    time.Duration // longest wait for one of these places
}

func defaultLimits() limits {
	return limits{
		Source: 64 << 10, Gas: 2_000_000_000, Memory: 64 << 20, Output: 64 << 10,
		Compile: 10 * time.Second, Run: 10 * time.Second, Runs: max(1, runtime.GOMAXPROCS(0)), Wait: 5 * time.Second,
	}
}

// A result is what the page gets about a run.
type result struct {
	Outcome string    `json:"outcome"` // ok, exit, compile, or the limit: source, gas, memory, stack, output, time; or fault
	Message string    `json:"message"` // for the user, empty after success
	Line    int       `json:"line"`    // of Message; 0: no line of the program
	Errors  []message `json:"errors"`  // of a program that does not compile
	Events  []event   `json:"events"`

	Gas        int64   `json:"gas"`
	HeapPeak   uint64  `json:"heapPeak"` // bytes, including those of the standard library before the program begins
	Mallocs    uint64  `json:"mallocs"`  // without those, like AllocBytes
	AllocBytes uint64  `json:"allocBytes"`
	CompileMS  float64 `json:"compileMS"`
	RunMS      float64 `json:"runMS"`
}

// A message is one error of the compiler.
type message struct {
	Line      int    `json:"line"` // from 1; 0: of the program as a whole
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text"`
}

// An event is a write of the program with its time.
type event struct {
	AtMS   float64 `json:"at"`     // milliseconds of the program's clock since its start
	Stream int     `json:"stream"` // 1 or 2
	Text   string  `json:"text"`
}

// fileName is the name of a program's only file.
const fileName = "main.go"

// compile compiles a program. If it does not compile, the program is nil and the result says why.
// With an error both are nil: it is an error of the host, or says that the client has left.
func (s *server) compile(ctx context.Context, source string) (*gyr.Program, *result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Compile)
	defer cancel()
	start := time.Now()
	p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{fileName: {Data: []byte(source)}}, Patterns: []string{fileName}, Limits: gyr.UntrustedLimits()},
		&gyr.CompileOptions{Base: s.base})
	r := &result{Outcome: "ok", CompileMS: milliseconds(time.Since(start))}
	var refused *gyr.CompileError
	var large *gyr.CompileLimitError
	switch {
	case errors.As(err, &refused):
		r.Outcome, r.Message = "compile", "the program does not compile"
		for _, d := range refused.List() {
			r.Errors = append(r.Errors, message{d.Line, d.Column, d.EndLine, d.EndColumn, d.Text})
		}
	case errors.As(err, &large):
		r.Outcome, r.Message, r.Line = "source", large.Error(), large.Line
	case errors.Is(err, context.DeadlineExceeded):
		r.Outcome, r.Message = "time", fmt.Sprintf("compiling took longer than %v", s.limits.Compile)
	case err != nil:
		return nil, nil, err
	}
	return p, r, nil
}

// run compiles a program and runs it.
func (s *server) run(ctx context.Context, source string) (*result, error) {
	p, r, err := s.compile(ctx, source)
	if err != nil || p == nil {
		return r, err
	}
	rec := &recording{}
	in, err := p.NewInstance(ctx, s.config(rec))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(ctx, s.limits.Run)
	defer cancel()
	err = in.Run(ctx)
	r.end(err)
	stats := in.Stats()
	r.Gas, r.RunMS, r.Events = stats.Gas, milliseconds(stats.Wall), rec.take()
	r.Mallocs, r.AllocBytes, _ = stats.Own()
	r.HeapPeak = stats.HeapPeak
	return r, nil
}

// config returns the configuration of an instance.
func (s *server) config(rec *recording) gyr.Config {
	c := gyr.Config{Gas: s.limits.Gas, Memory: s.limits.Memory, Output: s.limits.Output}
	if rec != nil {
		c.Stdout, c.Stderr = stream{rec, 1}, stream{rec, 2}
	}
	return c
}

// end records how a run ended.
func (r *result) end(err error) {
	var (
		crash  *gyr.PanicError
		exit   *gyr.ExitError
		gas    *gyr.OutOfGasError
		memory *gyr.MemoryLimitError
		stack  *gyr.StackLimitError
		output *gyr.OutputLimitError
		dead   *gyr.DeadlineError
		fault  *gyr.MemoryFaultError
	)
	at := gyr.Position{}
	switch {
	case err == nil:
		return
	case errors.As(err, &crash):
		r.Outcome = "exit"
		for _, at = range crash.Frames { // the innermost frame of the program's own
			if isOwn(at) {
				break
			}
		}
	case errors.As(err, &exit):
		r.Outcome = "exit"
	case errors.As(err, &gas):
		r.Outcome, at = "gas", gas.Position
	case errors.As(err, &memory):
		r.Outcome, at = "memory", memory.Position
	case errors.As(err, &stack):
		r.Outcome, at = "stack", stack.Position
	case errors.As(err, &output):
		r.Outcome, at = "output", output.Position
	case errors.As(err, &dead):
		r.Outcome, at = "time", dead.Position
	case errors.As(err, &fault):
		r.Outcome, at = "fault", fault.Position
	default:
		r.Outcome = "host"
	}
	r.Message = err.Error()
	if isOwn(at) {
		r.Line = at.Line
	}
}

// isOwn reports whether a position is in the program's file.
func isOwn(p gyr.Position) bool { return strings.TrimPrefix(p.File, "/") == fileName }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A recording is a program's output with times. A run that its context has ended may still have a
// write in progress, so the recording is locked, and ignores writes after it was taken.
type recording struct {
	mu     sync.Mutex
	events []event
	taken  bool
}

// Writes less than mergeMS apart are one event, and so are all writes after maxEvents.
const (
	mergeMS   = 1
	maxEvents = 5000
)

func (r *recording) add(stream int, p []byte, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken {
		return
	}
	ms := milliseconds(at.Sub(gyr.VirtualStart()))
	if n := len(r.events); n > 0 {
		if last := &r.events[n-1]; last.Stream == stream && (ms-last.AtMS < mergeMS || n >= maxEvents) {
			last.Text += string(p)
			return
		}
	}
	r.events = append(r.events, event{ms, stream, string(p)})
}

func (r *recording) take() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken = true
	return r.events
}

// A stream is one of the two outputs of a program: a gyr.TimedWriter.
type stream struct {
	rec    *recording
	number int
}

func (s stream) WriteTimed(p []byte, at time.Time) (int, error) {
	s.rec.add(s.number, p, at)
	return len(p), nil
}

func (s stream) Write(p []byte) (int, error) { return s.WriteTimed(p, gyr.VirtualStart()) }

// A hot says where the gas of a run went.
type hot struct {
	result
	Func  string    `json:"func"`    // the function of the program that used most
	FnGas int64     `json:"funcGas"` // its part of Gas
	Lines []lineGas `json:"lines"`   // of all functions, in source order
	IR    string    `json:"ir"`      // of Func
}

type lineGas struct {
	Line int    `json:"line"`
	Func string `json:"func"`
	Gas  int64  `json:"gas"`
}

// maxIR is the size at which a function's IR is cut.
const maxIR = 32 << 10

// profile runs a program again, to see where its gas goes. The interpreter takes the profile, and
// is slower: if time ends the run, the profile covers the part until then.
func (s *server) profile(ctx context.Context, source string) (*hot, error) {
	p, r, err := s.compile(ctx, source)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return &hot{result: *r}, nil
	}
	c := s.config(nil)
	c.Profiles = gyr.GasProfile
	in, err := p.NewInstance(ctx, c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(ctx, s.limits.Run)
	defer cancel()
	h := &hot{result: *r}
	h.end(in.Run(ctx))
	h.Gas = in.Stats().Gas
	lines, err := in.GasLines()
	if err != nil {
		return nil, err
	}
	h.add(lines)
	if h.Func != "" {
		var b bytes.Buffer
		if err := p.Dump(&b, "ir", regexp.MustCompile("^"+regexp.QuoteMeta(h.Func)+"$")); err != nil {
			return nil, err
		}
		h.IR = string(b.Bytes()[:min(b.Len(), maxIR)])
	}
	return h, nil
}

// add adds the lines of the program, and its hottest function.
func (h *hot) add(lines []gyr.LineGas) {
	perFunc := map[string]int64{}
	for _, l := range lines {
		if !isOwn(l.Position) {
			continue
		}
		h.Lines = append(h.Lines, lineGas{l.Line, l.Func, l.Gas})
		perFunc[l.Func] += l.Gas
	}
	slices.SortFunc(h.Lines, func(a, b lineGas) int { return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Func, b.Func)) })
	for _, name := range slices.Sorted(maps.Keys(perFunc)) {
		if perFunc[name] > h.FnGas {
			h.Func, h.FnGas = name, perFunc[name]
		}
	}
}
