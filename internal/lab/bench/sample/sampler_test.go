package sample

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// spin uses the processor for a while.
//
//go:noinline
func spin(d time.Duration) (n uint64) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 100_000 {
			n = n*6364136223846793005 + 1442695040888963407
		}
	}
	return n
}

// opened returns a sampler of the calling thread, or skips the test with the reason.
func opened(t *testing.T, c Config) *Sampler {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	s, err := OpenThread(c)
	if err != nil {
		var denied *DeniedError
		if !errors.As(err, &denied) || denied.Why == "" || !strings.Contains(err.Error(), denied.Why) {
			t.Fatalf("an error without a reason: %v", err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Samples fall into the function that takes the time, and none are taken between Stop and Start.
func TestThread(t *testing.T) {
	for _, c := range []Config{{}, {Clock: true, Calls: true, Hz: 2000}} {
		s := opened(t, c)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		spin(300 * time.Millisecond)
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		list, lost := s.Samples()
		n := len(list)
		spin(50 * time.Millisecond)
		s.drain()
		if again, _ := s.Samples(); len(again) != n {
			t.Errorf("%d samples, and %d behind Stop", n, len(again))
		}
		here, callers := 0, 0
		r := NewResolver(nil)
		for _, x := range list {
			if strings.HasSuffix(r.Resolve(x).Func, "sample.spin") {
				here++
			}
			if slices.ContainsFunc(x.Chain, func(at uint64) bool {
				return strings.HasSuffix(host(at-1).Func, "sample.TestThread")
			}) {
				callers++
			}
		}
		t.Logf("%s: %d samples, %d lost, %d in spin, %d called by the test", s.By(), n, lost, here, callers)
		if n < 20 || here < n*8/10 || c.Calls && callers < here*8/10 {
			t.Errorf("%d samples, %d in spin, %d called by the test", n, here, callers)
		}
	}
}

// A ring that is smaller than the samples wraps around, and loses nothing as long as it is read in
// time.
func TestLongRun(t *testing.T) {
	s := opened(t, Config{Clock: true, Hz: 10000})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		spin(100 * time.Millisecond)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if list, lost := s.Samples(); lost > 0 || len(list) < 100 {
		t.Errorf("%d samples, %d lost", len(list), lost)
	}
}

// Records are decoded as the kernel documents them; incomplete ones wait for the rest.
func TestRecords(t *testing.T) {
	ne := binary.NativeEndian
	add := func(b []byte, kind uint32, flags uint16, words ...uint64) []byte {
		b = ne.AppendUint32(b, kind)
		b = ne.AppendUint16(ne.AppendUint16(b, flags), uint16(headerSize+8*len(words)))
		for _, w := range words {
			b = ne.AppendUint64(b, w)
		}
		return b
	}
	mark := chainMarks
	b := add(nil, recordSample, 2, 0x1000, 4, mark, 0x1000, 0x2000, 0x3000)
	b = add(b, recordLost, 0, 7, 42)
	b = add(b, 5, 0, 1, 2, 3) // an ignored type
	b = add(b, recordSample, modeKernel, 1<<63, 0)
	whole := len(b)
	b = append(b, add(nil, recordSample, 2, 0x4000, 0)[:12]...)
	d := decoder{calls: true}
	if n := d.records(b); n != whole {
		t.Errorf("%d bytes of %d", n, whole)
	}
	if len(d.out) != 2 || d.lost != 42 || d.out[0].IP != 0x1000 || d.out[0].Kernel || !d.out[1].Kernel ||
		!slices.Equal(d.out[0].Chain, []uint64{0x2000, 0x3000}) {
		t.Errorf("%+v", d)
	}
	for cut := range b {
		d := decoder{calls: true}
		if n := d.records(b[:cut]); n > cut {
			t.Errorf("%d bytes of %d", n, cut)
		}
	}
	if n := (&decoder{}).records(add(nil, recordSample, 0)[:8]); n != 8 {
		t.Errorf("a record without anything: %d", n)
	}
}

// The kernel's own counters exist wherever its clock does, the processor's only if the machine has
// them.
func TestCounting(t *testing.T) {
	opened(t, Config{Clock: true})
	c := CountThread()
	if c == nil {
		t.Fatal("no counters")
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	got := c.PerOp(10)
	t.Log(got)
	if n, ok := got["page-faults/op"]; !ok || n < 1 {
		t.Errorf("page faults: %v", got)
	}
	if n, ok := got["cycles/op"]; ok && n < 1000 {
		t.Errorf("cycles: %v", got)
	}
	var none *Counting
	if none.Start() != nil || none.Stop() != nil || len(none.PerOp(1)) != 0 {
		t.Error("no counters count something")
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		rules      []rule
		name, file string
		want       string
	}{
		{hostRules, module + "internal/run/memory.(*Heap).mark", "/x/memory/mark.go", GC},
		{hostRules, module + "internal/run/memory.(*Heap).New", "/x/memory/heap.go", Runtime},
		{hostRules, module + "internal/back/native/plan.Compile", "/x/select.go", Compiler},
		{hostRules, module + "internal/back/native.(*Machine).Handle", "/x/machine.go", Runtime},
		{hostRules, module + "internal/opt.PhaseB", "", Compiler},
		{hostRules, "runtime.mallocgc", "/go/src/runtime/malloc.go", Host},
		{goRules, "runtime.mallocgc", "/go/src/runtime/malloc.go", Runtime},
		{goRules, "runtime.scanobject", "/go/src/runtime/mgcmark.go", GC},
		{goRules, "internal/runtime/maps.(*Map).getWithKey", "", Runtime},
		{goRules, "main.main", "/x/main.go", Guest},
	} {
		if got := kindOf(c.rules, c.name, c.file); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
}
