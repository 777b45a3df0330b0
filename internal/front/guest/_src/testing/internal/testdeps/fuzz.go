package testdeps

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// Fuzzing. Go's testing package divides the work between a process that coordinates and
// others that execute inputs. Here is one guest, in which the target is called three
// times: as the coordinator calls it, to learn its seeds and types; as a worker does, to get
// the function that executes an input, with which everything is done that is to be done; and
// once more as the coordinator, to report.
//
// What was executed is counted by the host (see fuzzCover), which also knows the time and
// keeps inputs. Everything else follows from the seed of the run, so that -fuzztime=Nx finds the
// same on every machine.

// Modes of testing.F.
const (
	modeCoordinator uint8 = 1
	modeWorker      uint8 = 2
)

func fuzzStep(input []byte) int
func fuzzCover() int
func fuzzKeep(input []byte, crash int) uint64

// A fuzzer is the state of fuzzing one target.
type fuzzer struct {
	phase uint8

	// As testing calls CoordinateFuzzing.
	timeout, minimizeTimeout time.Duration
	limit, minimizeLimit     int64
	seed                     []corpusEntry
	types                    []reflect.Type
	corpusDir, cacheDir      string
	called                   bool

	run     func(corpusEntry) error
	rand    random
	corpus  [][]any // what found something new
	seeds   int
	execs   int64
	found   int // of the corpus, since fuzzing began
	elapsed time.Duration
	shown   time.Duration // when the last line was printed
	execs0  int64         // as they were then
	err     error
}

// fuzz is the fuzzer that is at work.
var fuzz *fuzzer

// field is a field of a struct of testing's, by its name.
func field[T any](f *testing.F, names ...string) *T {
	v := reflect.ValueOf(f).Elem()
	for _, name := range names {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.FieldByName(name)
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

// fuzzTarget calls a target, in the way described above if it is to be fuzzed.
func fuzzTarget(f *testing.F, target func(*testing.F)) {
	if p := flag.Lookup("test.fuzz"); p == nil || p.Value.String() == "" {
		target(f)
		return
	}
	mode := field[uint8](f, "fstate", "mode")
	if *mode != modeCoordinator {
		target(f)
		return
	}
	called, corpus := field[bool](f, "fuzzCalled"), field[[]corpusEntry](f, "corpus")
	failed, w, chatty := field[bool](f, "failed"), field[io.Writer](f, "w"), field[unsafe.Pointer](f, "chatty")
	fuzz = &fuzzer{}
	defer func() { fuzz = nil }()
	target(f)
	if !fuzz.called {
		return
	}
	// Tests that fail inside of the next call say so to a writer of their own, mark f as failed
	// and print nothing of their beginning.
	*called, *corpus, fuzz.phase = false, nil, 1
	*mode = modeWorker
	w0, chatty0 := *w, *chatty
	*chatty = nil
	target(f)
	*mode, *w, *chatty = modeCoordinator, w0, chatty0
	if fuzz.run == nil {
		return // it said what is wrong
	}
	*failed, *called, *corpus, fuzz.phase = false, false, nil, 2
	target(f)
}

// CoordinateFuzzing notes what there is to do, and at the second call says how it went.
func (TestDeps) CoordinateFuzzing(
	timeout time.Duration,
	limit int64,
	minimizeTimeout time.Duration,
	minimizeLimit int64,
	parallel int,
	seed []corpusEntry,
	types []reflect.Type,
	corpusDir,
	cacheDir string) error {
	z := fuzz
	if z.phase == 2 {
		return z.err
	}
	z.timeout, z.limit, z.minimizeTimeout, z.minimizeLimit = timeout, limit, minimizeTimeout, minimizeLimit
	z.seed, z.types, z.corpusDir, z.cacheDir, z.called = seed, types, corpusDir, cacheDir, true
	return nil
}

// RunFuzzWorker does the work: fn executes an input and says how it failed.
func (TestDeps) RunFuzzWorker(fn func(corpusEntry) error) error {
	z := fuzz
	z.run = fn
	z.rand = newRandom()
	fuzzCover() // what was executed before is of no interest
	z.step(nil)
	if z.err = z.gather(); z.err == nil {
		z.err = z.loop()
	}
	fuzzStep(nil)
	z.print(z.state())
	return nil
}

func (TestDeps) ResetCoverage()    {}
func (TestDeps) SnapshotCoverage() {}

// gather executes the seeds and what earlier runs have kept.
func (z *fuzzer) gather() error {
	kept, _ := TestDeps{}.ReadCorpus(z.cacheDir, z.types) // files that are none are of no use
	if len(z.seed) == 0 && len(kept) == 0 {
		// Something to begin with.
		e := corpusEntry{}
		for _, t := range z.types {
			e.Values = append(e.Values, reflect.Zero(t).Interface())
		}
		z.seed = []corpusEntry{e}
	}
	all := append(z.seed, kept...)
	z.printf("gathering baseline coverage: 0/%d completed", len(all))
	for i, e := range all {
		if e.Values == nil { // of testdata: testing does not keep it
			data, err := os.ReadFile(e.Path)
			if err != nil {
				return err
			}
			if e.Values, err = parseCorpus(string(data)); err != nil {
				return err
			}
		}
		if !z.step(e.Values) {
			return nil
		}
		if err := z.run(corpusEntry{Values: e.Values}); err != nil {
			name := e.Path
			if e.IsSeed && name == "" {
				name = fmt.Sprintf("seed#%d", i)
			}
			return fmt.Errorf("failure while testing seed corpus entry: %s\n%w", path.Base(name), err)
		}
		if fuzzCover() > 0 || i == 0 {
			z.corpus = append(z.corpus, e.Values)
		}
	}
	z.seeds = len(z.corpus)
	z.printf("gathering baseline coverage: %d/%d completed, now fuzzing with 1 workers", len(all), len(all))
	z.shown, z.execs0 = z.elapsed, z.execs
	return nil
}

// loop executes inputs until one fails or it is enough.
func (z *fuzzer) loop() error {
	for len(z.corpus) > 0 && !z.enough() { // none: it was stopped at once
		values := z.mutate(slices.Clone(z.corpus[z.rand.below(len(z.corpus))]))
		if !z.step(values) {
			return nil
		}
		if err := z.run(corpusEntry{Values: values}); err != nil {
			return z.crashed(values, err)
		}
		if fuzzCover() > 0 {
			fuzzStep(nil)
			fuzzKeep(marshalCorpus(values), 0)
			z.corpus = append(z.corpus, values)
			z.found++
		}
		if z.elapsed-z.shown >= 3*time.Second {
			z.print(z.state())
			z.shown, z.execs0 = z.elapsed, z.execs
		}
	}
	return nil
}

// enough reports whether the time or the number of executions asked for is over.
func (z *fuzzer) enough() bool {
	return z.timeout > 0 && z.elapsed >= z.timeout || z.limit > 0 && z.execs >= z.limit
}

// step says what is executed next. It reports whether fuzzing goes on.
func (z *fuzzer) step(values []any) bool {
	var data []byte
	if values != nil {
		data = marshalCorpus(values)
		z.execs++
	}
	ns := fuzzStep(data)
	if ns >= 0 {
		z.elapsed = time.Duration(ns)
	}
	return ns >= 0
}

// A crash is the error of an input that fails.
type crash struct {
	err  error
	path string
}

func (c *crash) Error() string     { return c.err.Error() }
func (c *crash) Unwrap() error     { return c.err }
func (c *crash) CrashPath() string { return c.path }

// crashed has a failing input made small and kept.
func (z *fuzzer) crashed(values []any, err error) error {
	values, err = z.minimize(values, err)
	fuzzStep(nil)
	name := fuzzKeep(marshalCorpus(values), 1)
	return &crash{err, path.Join(z.corpusDir, fmt.Sprintf("%016x", name))}
}

// minimize looks for a smaller input that fails, by leaving out parts of its strings and
// slices, from the half of them down to single bytes, and by simpler bytes.
func (z *fuzzer) minimize(values []any, err error) ([]any, error) {
	if z.minimizeTimeout == 0 && z.minimizeLimit == 0 {
		return values, err
	}
	start, execs, told := z.elapsed, int64(0), false
	// try executes values with another argument i.
	try := func(i int, b []byte) bool {
		if z.minimizeTimeout > 0 && z.elapsed-start >= z.minimizeTimeout || z.minimizeLimit > 0 && execs >= z.minimizeLimit {
			return false
		}
		v := slices.Clone(values)
		if _, ok := v[i].(string); ok {
			v[i] = string(b)
		} else {
			v[i] = slices.Clone(b)
		}
		if !z.step(v) {
			return false
		}
		execs++
		e := z.run(corpusEntry{Values: v})
		if e == nil {
			return false
		}
		values, err = v, e
		return true
	}
	for i := range values {
		b, ok := bytesOf(values[i])
		if !ok || len(b) == 0 {
			continue
		}
		if !told {
			told = true
			z.printf("minimizing %d-byte failing input file", len(marshalCorpus(values)))
		}
		for n := len(b); n > 0; n /= 2 {
			for at := 0; at < len(b); {
				if shorter := slices.Concat(b[:at], b[min(len(b), at+n):]); try(i, shorter) {
					b = shorter
				} else {
					at += n
				}
			}
		}
		for at := range b {
			for _, c := range []byte("0 aA") {
				if b[at] == c {
					break
				}
				simpler := slices.Clone(b)
				simpler[at] = c
				if try(i, simpler) {
					b = simpler
					break
				}
			}
		}
	}
	return values, err
}

// bytesOf returns the bytes of a string or a slice of bytes.
func bytesOf(v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return []byte(v), true
	case []byte:
		return v, true
	}
	return nil, false
}

func (z *fuzzer) state() string {
	since := max(z.elapsed-z.shown, time.Millisecond)
	rate := float64(z.execs-z.execs0) / since.Seconds()
	return fmt.Sprintf("execs: %d (%.0f/sec), new interesting: %d (total: %d)", z.execs, rate, z.found, z.seeds+z.found)
}

func (z *fuzzer) printf(format string, args ...any) { z.print(fmt.Sprintf(format, args...)) }

func (z *fuzzer) print(s string) {
	fuzzStep(nil)
	fmt.Fprintf(os.Stdout, "fuzz: elapsed: %v, %s\n", z.elapsed.Round(time.Second), s)
}
