package embedding_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

const lender = `package lib

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/big"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
)

type Pair struct {
	A int32
	B [2]float32
}

func Sum(b []byte) (n int) {
	for _, x := range b {
		n += int(x)
	}
	return n
}
func Total(xs []int64) (n int64) {
	for _, x := range xs {
		n += x
	}
	return n
}
func Pairs(ps []Pair) (n float32) {
	for _, p := range ps {
		n += float32(p.A) * p.B[0] * p.B[1]
	}
	return n
}
func Shape(b []byte) (isNil bool, length, capacity int) { return b == nil, len(b), cap(b) }
func Both(a, b []byte) (bool, int)                      { return bytes.Equal(a, b), len(a) + len(b) }
func Bool(b []bool) bool                                { return b[0] }
func Strings(s []string) int                            { return len(s) }
func Text(s string) int                                 { return len(s) }

var kept [][]byte

func Keep(b []byte)         { kept = append(kept, b) }
func Kept(i int) (n int)    { return Sum(kept[i]) }
func KeptText(i int) string { return string(kept[i]) }
func WriteKept(i int)       { kept[i][0] = 1 }
func Drop()                 { kept = nil }
func Collect()              { runtime.GC() }
func Garbage(n int) {
	for range n {
		sink = make([]byte, 1<<16)
	}
}
func InUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

var sink []byte

var local = make(chan []byte)

func Hold(b []byte)  { go func() { local <- b }() }
func Holds() int     { return Sum(<-local) }

func Index(b []byte, i int) {
	b[i] = 1
}
func Increment(b []byte) { b[0]++ }
func Range(b []byte) {
	for i := range b {
		b[i] = byte(i)
	}
}
func Copy(b []byte)     { copy(b, "text") }
func CopyMuch(b []byte) { copy(b, make([]byte, 1<<17)) }
func Within(b []byte)   { copy(b[1:], b) }
func Append(b []byte)   { _ = append(b[:0], 'x') }
func AppendMuch(b []byte) { _ = append(b[:0], make([]byte, 5000)...) }
func Clear(b []byte)    { clear(b) }
func ClearFew(b []byte) { clear(b[:100]) }
func Put(b []byte)      { binary.LittleEndian.PutUint64(b, 1) }
func Buffer(b []byte)   { bytes.NewBuffer(b[:0]).WriteString("text") }
func Read(b []byte)     { os.Stdin.Read(b) }
func ReadFull(b []byte) { io.ReadFull(os.Stdin, b[10:20]) }
func ReadFile(b []byte) {
	f, err := os.Create("/tmp/f")
	if err != nil {
		panic(err)
	}
	f.WriteString("content")
	f.ReadAt(b, 0)
}
func ReadHost(b []byte) {
	f, err := os.Open("/host/f")
	if err != nil {
		panic(err)
	}
	f.Read(b)
}
func Random(b []byte) { rand.Read(b) }
func Hash(b []byte) {
	h := sha256.New()
	h.Write(b)
	h.Sum(b[:0])
}
func Big(w []big.Word)     { x := new(big.Int).SetBits(w[:len(w)-9]); x.Add(x, x) }
func BigLeft(w []big.Word) { x := new(big.Int).SetBits(w[:len(w)-9]); x.Lsh(x, 5) }
func BigRight(w []big.Word) { x := new(big.Int).SetBits(w[:len(w)-9]); x.Rsh(x, 5) }
func Callers(p []uintptr)  { runtime.Callers(0, p) }
func Atomic(x []int64)     { atomic.AddInt64(&x[3], 1) }
func Swap(x []uint32)      { atomic.SwapUint32(&x[0], 1) }
func Floats(x []float64)   { x[0] = x[1] * 2 }
func Sort(x []int32)       { x[0] += 0; slices.Reverse(x) }
func Struct(p []Pair)      { p[1] = Pair{1, [2]float32{2, 3}} }
func Field(p []Pair)       { p[1].B[1] = 2 }
func Deferred(b []byte) {
	defer func() {
		recover()
		b[1] = 2
	}()
	b[0] = 1
}
func Goroutine(b []byte) {
	done := make(chan bool)
	go func() { b[0] = 1; done <- true }()
	<-done
}
`

// writers are the functions of lender that write.
var writers = []string{"Index", "Increment", "Range", "Copy", "CopyMuch", "Within", "Append", "AppendMuch", "Clear", "ClearFew", "Put",
	"Buffer", "Read", "ReadFull", "ReadFile", "ReadHost", "Random", "Hash", "Big", "BigLeft", "BigRight", "Callers", "Atomic", "Swap", "Floats", "Sort",
	"Struct", "Field", "Deferred", "Goroutine"}

// lenders calls f with an instance of the lender for each tier.
func lenders(t *testing.T, cfg gyr.Config, f func(t *testing.T, in *gyr.Instance)) {
	t.Helper()
	p := compileLibrary(t, lender)
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		t.Run(string(tier), func(t *testing.T) {
			cfg.Tier = tier
			in, err := p.NewInstance(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			f(t, in)
		})
	}
}

func newBuffer(t testing.TB, in *gyr.Instance, size int) *gyr.Buffer {
	t.Helper()
	b, err := in.NewBuffer(size)
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() != size || len(b.Bytes()) != size || cap(b.Bytes()) != size {
		t.Fatalf("buffer of %d bytes: %d, %d of %d", size, b.Len(), len(b.Bytes()), cap(b.Bytes()))
	}
	return b
}

// callLender is Instance.Call for calls that must succeed and have one result.
func callLender(t testing.TB, in *gyr.Instance, name string, args ...any) any {
	t.Helper()
	results, err := in.Call(t.Context(), name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(results) == 0 {
		return nil
	}
	return results[0]
}

// TestLoan: the guest reads the bytes that the host has written, as a whole and in part, with each
// form of call.
func TestLoan(t *testing.T) {
	daily.Turn(t, 3, false)
	lenders(t, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		b := newBuffer(t, in, 100_000)
		for i := range b.Bytes() {
			b.Bytes()[i] = byte(i % 7)
		}
		want := func(p []byte) (n int) {
			for _, x := range p {
				n += int(x)
			}
			return n
		}
		if got := callLender(t, in, "Sum", b); got != want(b.Bytes()) {
			t.Errorf("%v, want %d", got, want(b.Bytes()))
		}
		part := b.Slice(10, 99).Slice(1, 50)
		b.Bytes()[11] = 200
		if got := callLender(t, in, "Sum", part); got != want(b.Bytes()[11:60]) {
			t.Errorf("a part: %v, want %d", got, want(b.Bytes()[11:60]))
		}
		var sum func(*gyr.Buffer) (int, error)
		if err := in.Bind(t.Context(), "Sum", &sum); err != nil {
			t.Fatal(err)
		}
		if got, err := sum(part); got != want(part.Bytes()) || err != nil {
			t.Error(got, err)
		}
		total, err := gyr.FuncOf[struct{ Xs *gyr.Buffer }, struct{ N int64 }](t.Context(), in, "Total")
		if err != nil {
			t.Fatal(err)
		}
		xs := newBuffer(t, in, 80)
		sums := int64(0)
		for i := range 10 {
			x := int64(i*i) - 100
			binary.LittleEndian.PutUint64(xs.Bytes()[8*i:], uint64(x))
			sums += x
		}
		if got, err := total.Call(t.Context(), struct{ Xs *gyr.Buffer }{xs}); got.N != sums || err != nil {
			t.Error(got, err)
		}
		type pair struct {
			A int32
			B [2]float32
		}
		ps := unsafe.Slice((*pair)(unsafe.Pointer(&b.Bytes()[0])), 3)
		copy(ps, []pair{{2, [2]float32{3, 4}}, {}, {1, [2]float32{.5, 1}}})
		if got := callLender(t, in, "Pairs", b.Slice(0, 36)); got != float32(24.5) {
			t.Error(got)
		}
		if got, err := in.Call(t.Context(), "Both", part, part); err != nil || got[0] != true || got[1] != 98 {
			t.Error(got, err)
		}
		for _, c := range []struct {
			b    *gyr.Buffer
			want string
		}{
			{nil, "[true 0 0]"}, {&gyr.Buffer{}, "[true 0 0]"}, {b, "[false 100000 100000]"}, {part, "[false 49 49]"},
			{newBuffer(t, in, 0), "[false 0 0]"}, {b.Slice(100_000, 100_000), "[false 0 0]"}, {b.Slice(5, 5), "[false 0 0]"},
		} {
			if got, err := in.Call(t.Context(), "Shape", c.b); fmt.Sprint(got) != c.want || err != nil {
				t.Errorf("%v %v, want %s", got, err, c.want)
			}
		}
		allocs := testing.AllocsPerRun(100, func() {
			if _, err := total.Call(context.Background(), struct{ Xs *gyr.Buffer }{xs}); err != nil {
				t.Error(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%v Go allocations a loan", allocs)
		}
	})
}

// TestReadOnly: each way to write to a lent buffer ends the run with the same error, at the same
// place and with the same figures in both tiers, and does not change the buffer.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(path.Join(dir, "f"), []byte("of the host"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := compileLibrary(t, lender)
	type end struct {
		at    gyr.ReadOnlyError
		stats gyr.Stats
	}
	for _, name := range writers {
		var ends []end
		for _, tier := range tiers() {
			if tier == gyr.TierNative && p.NativeError() != nil {
				continue
			}
			cfg := gyr.Config{Tier: tier, Stdin: endless{}, Dirs: []gyr.Dir{{Guest: "/host", Host: dir}}}
			in, err := p.NewInstance(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			b := newBuffer(t, in, 1<<16-16)
			for i := range b.Bytes() {
				b.Bytes()[i] = byte(i%251) | 1
			}
			before := bytes.Clone(b.Bytes())
			args := []any{b}
			if name == "Index" {
				args = append(args, b.Len()-1)
			}
			callLender(t, in, "Sum", b)
			_, err = in.Call(t.Context(), name, args...)
			var e end
			at := (*gyr.ReadOnlyError)(nil)
			if !errors.As(err, &at) {
				t.Errorf("%s in %s: %v, not a ReadOnlyError", name, tier, err)
				continue
			}
			e.at = *at
			if !bytes.Equal(before, b.Bytes()) {
				t.Errorf("%s in %s: the buffer has changed", name, tier)
			}
			if _, err := in.Call(t.Context(), "Sum", b); !errors.Is(err, gyr.ErrEnded) {
				t.Errorf("%s in %s: then %v", name, tier, err)
			}
			if e.stats = in.Stats(); e.stats.Gas == 0 {
				t.Errorf("%s in %s: no figures", name, tier)
			}
			e.stats = e.stats.Repeatable()
			ends = append(ends, e)
			if frames := in.Traceback(); len(frames) == 0 {
				t.Errorf("%s in %s: no traceback", name, tier)
			}
			if err := in.Reset(gyr.Config{Tier: tier}); err != nil {
				t.Error(err)
			}
			if got := callLender(t, in, "Sum", []byte{1, 2}); got != 3 {
				t.Error(got)
			}
		}
		for _, e := range ends {
			if e.at.Line == 0 || e != ends[0] {
				t.Errorf("%s: %+v\n%+v", name, ends[0], e)
			}
		}
		if len(ends) > 0 && slices.Contains([]string{"Index", "Increment", "Range", "Copy", "CopyMuch", "Append", "Clear", "ClearFew", "Field"}, name) {
			if at := ends[0].at; at.Func != "main."+name || !strings.HasSuffix(at.File, "lib.go") {
				t.Errorf("%s: %+v", name, at)
			}
		}
	}
}

// endless is a Reader that always fills the buffer.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestKeptSlices: a slice that the guest has kept can be read in later calls and shows what the
// host writes. It stays read-only, even after the buffer is freed; its memory is not reused before.
func TestKeptSlices(t *testing.T) {
	lenders(t, gyr.Config{Memory: 64 << 20}, func(t *testing.T, in *gyr.Instance) {
		b := newBuffer(t, in, 3000)
		copy(b.Bytes(), "first")
		callLender(t, in, "Keep", b.Slice(0, 6))
		callLender(t, in, "Hold", b.Slice(0, 1))
		copy(b.Bytes(), "second")
		if got := callLender(t, in, "KeptText", 0); got != "second" {
			t.Error(got)
		}
		p := b.Bytes()
		if err := b.Free(); err != nil {
			t.Fatal(err)
		}
		if err := b.Slice(0, 1).Free(); err != nil {
			t.Error(err)
		}
		p[0] = 'x' // memory that the guest does not see any more
		callLender(t, in, "Collect")
		// Buffers with other contents, and more memory than the limit, so that freed memory is
		// reused.
		for range 100 {
			c := newBuffer(t, in, 4<<20)
			copy(c.Bytes(), "another")
			callLender(t, in, "Sum", c.Slice(0, 7))
			if err := c.Free(); err != nil {
				t.Fatal(err)
			}
		}
		if got := callLender(t, in, "KeptText", 0); got != "second" {
			t.Error(got)
		}
		callLender(t, in, "Garbage", 2000)
		if got := callLender(t, in, "KeptText", 0); got != "second" {
			t.Error(got)
		}
		if got := callLender(t, in, "Holds"); got != int('s') {
			t.Error(got)
		}
		gone := new(gyr.BufferError)
		if _, err := in.Call(t.Context(), "Sum", b); !errors.As(err, &gone) || !errors.Is(err, gyr.ErrBufferGone) {
			t.Error(err)
		}
		if _, err := in.Call(t.Context(), "WriteKept", 0); !errors.As(err, new(*gyr.ReadOnlyError)) {
			t.Error(err)
		}
	})
}

// TestBufferMemory: a buffer counts until it is freed and no slice of it is reachable.
func TestBufferMemory(t *testing.T) {
	lenders(t, gyr.Config{Memory: 32 << 20}, func(t *testing.T, in *gyr.Instance) {
		callLender(t, in, "Collect")
		none := callLender(t, in, "InUse").(uint64)
		use := func() uint64 { return callLender(t, in, "InUse").(uint64) - none }
		b := newBuffer(t, in, 10<<20)
		if n := use(); n < 10<<20 {
			t.Errorf("a buffer of 10 MiB counts %d", n)
		}
		if _, err := in.NewBuffer(30 << 20); !errors.As(err, new(*gyr.MemoryLimitError)) || !errors.As(err, new(*gyr.BufferError)) {
			t.Error(err)
		}
		callLender(t, in, "Keep", b)
		b.Free()
		callLender(t, in, "Collect")
		if n := use(); n < 10<<20 {
			t.Errorf("a buffer that is kept counts %d", n)
		}
		callLender(t, in, "Drop")
		callLender(t, in, "Collect")
		if n := use(); n > 1<<20 {
			t.Errorf("a buffer that is gone counts %d", n)
		}
		// A collection makes room if none is left: for NewBuffer, and for the guest.
		for range 20 {
			b := newBuffer(t, in, 20<<20)
			callLender(t, in, "Sum", b.Slice(0, 10))
			b.Free()
			callLender(t, in, "Garbage", 200)
		}
		if peak := in.Stats().HeapPeak; peak < 20<<20 || peak > 32<<20 {
			t.Errorf("peak %d", peak)
		}
	})
}

// TestBufferFigures: buffers give equal figures in both tiers and on every run.
func TestBufferFigures(t *testing.T) {
	var all []gyr.Stats
	for range 2 {
		lenders(t, gyr.Config{Memory: 32 << 20}, func(t *testing.T, in *gyr.Instance) {
			for i := range 50 {
				b := newBuffer(t, in, 1<<20+i)
				callLender(t, in, "Keep", b)
				callLender(t, in, "Garbage", 10)
				if i%10 == 9 {
					callLender(t, in, "Drop")
				}
				b.Free()
			}
			s := in.Stats()
			s = s.Repeatable()
			all = append(all, s)
		})
	}
	for _, s := range all {
		if s != all[0] || s.Collections == 0 {
			t.Errorf("%+v\n%+v", all[0], s)
		}
	}
}

// TestBufferMisuse: misuse is an error with a type, and leaves the instance as before.
func TestBufferMisuse(t *testing.T) {
	lenders(t, gyr.Config{Memory: 64 << 20}, func(t *testing.T, in *gyr.Instance) {
		ctx := t.Context()
		p := compileLibrary(t, lender)
		other, err := p.NewInstance(ctx, gyr.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		foreign := newBuffer(t, other, 10)
		b := newBuffer(t, in, 10)
		var e *gyr.BufferError
		for _, size := range []int{-1, 65 << 20, 4 << 30, 1 << 40, -1 << 63} {
			if _, err := in.NewBuffer(size); !errors.As(err, &e) || e.Size != size {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		for _, c := range []struct {
			name string
			args []any
			want string
		}{
			{"Sum", []any{foreign}, "gyr: Sum: argument 0: buffer of 10 bytes: the buffer belongs to another instance"},
			{"Both", []any{b, foreign}, "gyr: Both: argument 1: buffer of 10 bytes: the buffer belongs to another instance"},
			{"Total", []any{b}, "gyr: Total: argument 0: buffer of 10 bytes: its size is no multiple of the 8 bytes of an element"},
			{"Bool", []any{b}, "gyr: argument 0 of Bool: a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a slice"},
			{"Strings", []any{b}, "gyr: argument 0 of Strings: a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a slice"},
			{"Text", []any{b}, "gyr: argument 0 of Text: a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a string"},
			{"Index", []any{b, b}, "gyr: argument 1 of Index: a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a int"},
		} {
			if _, err := in.Call(ctx, c.name, c.args...); err == nil || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
		}
		if got := callLender(t, in, "Sum", b); got != 0 {
			t.Error(got)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			b.Slice(5, 11)
		}()
		if err := in.Reset(gyr.Config{}); err != nil {
			t.Fatal(err)
		}
		b.Bytes()[3] = 1 // harmless
		if _, err := in.Call(ctx, "Sum", b); !errors.Is(err, gyr.ErrBufferGone) {
			t.Error(err)
		}
		if err := b.Free(); err != nil {
			t.Error(err)
		}
		b = newBuffer(t, in, 10)
		callLender(t, in, "Sum", b)
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		b.Bytes()[3] = 1
		if _, err := in.Call(ctx, "Sum", b); err != gyr.ErrClosed {
			t.Error(err)
		}
		if _, err := other.Call(ctx, "Sum", b); !errors.Is(err, gyr.ErrBufferGone) {
			t.Error(err)
		}
		if _, err := in.NewBuffer(1); err != gyr.ErrClosed {
			t.Error(err)
		}
		if err := b.Free(); err != nil {
			t.Error(err)
		}
		if _, err := (*gyr.Instance)(nil).NewBuffer(1); err != gyr.ErrClosed {
			t.Error(err)
		}
		if err := (*gyr.Buffer)(nil).Free(); err != nil {
			t.Error(err)
		}
	})
}

// TestBufferOfProgram: a program with a main function takes no loans.
func TestBufferOfProgram(t *testing.T) {
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{
		"go.mod": {Data: []byte("module m\n\ngo 1.26\n")}, "main.go": {Data: []byte("package main\n\nfunc main() {}\n")},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.NewInstance(t.Context(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.NewBuffer(1); err != gyr.ErrNotExports {
		t.Error(err)
	}
	if err := in.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := in.NewBuffer(1); err != gyr.ErrEnded {
		t.Error(err)
	}
}

// TestLoanInUse: during a call that a buffer is lent to, the buffer can be read and not freed. The
// instance may be closed while the host reads what the guest writes.
func TestLoanInUse(t *testing.T) {
	const src = `package lib

import "os"

func Write(b []byte) { os.Stdout.Write(b) }
`
	p := compileLibrary(t, src)
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		var (
			b   *gyr.Buffer
			in  *gyr.Instance
			err error
		)
		calls := 0
		in, err = p.NewInstance(t.Context(), gyr.Config{Tier: tier, Stdout: writerFunc(func(p []byte) (int, error) {
			calls++
			if err := b.Free(); err != gyr.ErrBusy {
				t.Error(err)
			}
			if _, err := in.NewBuffer(1); err != gyr.ErrBusy {
				t.Error(err)
			}
			if string(p) != string(b.Bytes()) || string(p) != "lent" {
				t.Errorf("%q", p)
			}
			if calls == 2 {
				if err := in.Close(); !errors.Is(err, gyr.ErrBusy) {
					t.Error(err)
				}
				if string(p) != "lent" {
					t.Errorf("%q", p)
				}
			}
			return len(p), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		b = newBuffer(t, in, 4)
		copy(b.Bytes(), "lent")
		if _, err := in.Call(t.Context(), "Write", b); err != nil {
			t.Error(err)
		}
		if _, err := in.Call(t.Context(), "Write", b); err != gyr.ErrClosed {
			t.Error(err)
		}
		if calls != 2 {
			t.Error(calls)
		}
		copy(b.Bytes(), "nobody sees this")
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

var _ io.Writer = writerFunc(nil)

// BenchmarkLoan measures a call of a function that looks at the length of a slice. The slice is a
// lent buffer, unchanged, with bytes that the host changes each time, or made and freed for each
// call; or it is a copy.
func BenchmarkLoan(b *testing.B) {
	p := compileLibrary(b, lender)
	for _, size := range []int{4 << 10, 1 << 20, 64 << 20} {
		for _, kind := range []string{"lent", "refilled", "copied", "made"} {
			b.Run(fmt.Sprintf("%s/%dKiB", kind, size>>10), func(b *testing.B) {
				in, err := p.NewInstance(b.Context(), gyr.Config{Memory: 512 << 20})
				if err != nil {
					b.Fatal(err)
				}
				defer in.Close()
				ctx := context.Background()
				lent, err1 := gyr.FuncOf[struct{ B *gyr.Buffer }, struct {
					Nil      bool
					Len, Cap int
				}](ctx, in, "Shape")
				copied, err2 := gyr.FuncOf[struct{ B []byte }, struct {
					Nil      bool
					Len, Cap int
				}](ctx, in, "Shape")
				if err := errors.Join(err1, err2); err != nil {
					b.Fatal(err)
				}
				buf := newBuffer(b, in, size)
				copy(buf.Bytes(), make([]byte, size)) // the first write allocates the pages
				own := make([]byte, size)
				n := 0
				before := cpuTime()
				for b.Loop() {
					n++
					switch kind {
					case "lent":
						_, err = lent.Call(ctx, struct{ B *gyr.Buffer }{buf})
					case "refilled":
						buf.Bytes()[n%size] = byte(n)
						_, err = lent.Call(ctx, struct{ B *gyr.Buffer }{buf})
					case "copied":
						_, err = copied.Call(ctx, struct{ B []byte }{own})
					case "made":
						if buf, err = in.NewBuffer(size); err == nil {
							_, err = lent.Call(ctx, struct{ B *gyr.Buffer }{buf})
							buf.Free()
						}
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(cpuTime()-before)/float64(n), "cpu-ns/op")
			})
		}
	}
}
