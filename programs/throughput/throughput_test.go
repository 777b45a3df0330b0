package throughput

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"hash/fnv"
	"testing"
	"unicode/utf8"
)

var sizes = []struct {
	name string
	n    int
}{{"16", 16}, {"256", 256}, {"4K", 4 << 10}, {"1M", 1 << 20}}

// text has no x and no "nopq": whoever looks for
// those sees all of it.
func text(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklm nop"[i%17]
	}
	return b
}

var (
	intSink  int
	boolSink bool
	sumSink  [sha256.Size]byte
)

// throughput measures what f makes for each size.
func throughput(b *testing.B, f func(n int) func()) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			once := f(s.n)
			b.SetBytes(int64(s.n))
			b.ResetTimer()
			for range b.N {
				once()
			}
		})
	}
}

func BenchmarkIndexByte(b *testing.B) {
	throughput(b, func(n int) func() {
		t := text(n)
		return func() { intSink += bytes.IndexByte(t, 'x') }
	})
}

func BenchmarkIndex(b *testing.B) {
	throughput(b, func(n int) func() {
		t, word := text(n), []byte("nopq")
		return func() { intSink += bytes.Index(t, word) }
	})
}

func BenchmarkEqual(b *testing.B) {
	throughput(b, func(n int) func() {
		t, u := text(n), text(n)
		return func() { boolSink = bytes.Equal(t, u) }
	})
}

func BenchmarkCompare(b *testing.B) {
	throughput(b, func(n int) func() {
		t, u := text(n), text(n)
		return func() { intSink += bytes.Compare(t, u) }
	})
}

func BenchmarkCount(b *testing.B) {
	throughput(b, func(n int) func() {
		t, letter := text(n), []byte("a")
		return func() { intSink += bytes.Count(t, letter) }
	})
}

func BenchmarkCopy(b *testing.B) {
	throughput(b, func(n int) func() {
		t, u := text(n), make([]byte, n)
		return func() { intSink += copy(u, t) }
	})
}

func BenchmarkClear(b *testing.B) {
	throughput(b, func(n int) func() {
		t := text(n)
		return func() { clear(t) }
	})
}

func BenchmarkFNV1a(b *testing.B) {
	throughput(b, func(n int) func() {
		t, h := text(n), fnv.New64a()
		return func() {
			h.Write(t)
			intSink += int(h.Sum64())
		}
	})
}

func BenchmarkCRC32(b *testing.B) {
	throughput(b, func(n int) func() {
		t := text(n)
		return func() { intSink += int(crc32.ChecksumIEEE(t)) }
	})
}

func BenchmarkSHA256(b *testing.B) {
	throughput(b, func(n int) func() {
		t := text(n)
		return func() { sumSink = sha256.Sum256(t) }
	})
}

func BenchmarkValidASCII(b *testing.B) {
	throughput(b, func(n int) func() {
		t := text(n)
		return func() { boolSink = utf8.Valid(t) }
	})
}

func BenchmarkValidUTF8(b *testing.B) {
	throughput(b, func(n int) func() {
		t := append(bytes.Repeat([]byte("aé€𝄞"), n/10), text(n%10)...) // whole characters
		return func() { boolSink = utf8.Valid(t) }
	})
}

// TestResults: what is measured does what its name says.
func TestResults(t *testing.T) {
	for _, s := range sizes {
		b := text(s.n)
		if i := bytes.IndexByte(b, 'x'); i >= 0 {
			t.Errorf("there is an x at %d", i)
		}
		if i := bytes.Index(b, []byte("nopq")); i >= 0 {
			t.Errorf("there is a word at %d", i)
		}
		if c := bytes.Compare(b, text(s.n)); c != 0 || !bytes.Equal(b, text(s.n)) {
			t.Errorf("comparing equals: %d", c)
		}
		if got, want := bytes.Count(b, []byte("a")), (s.n+16)/17; got != want {
			t.Errorf("%d times a letter, want %d", got, want)
		}
		if !utf8.Valid(b) || !utf8.Valid(bytes.Repeat([]byte("aé€𝄞"), 5)) || utf8.Valid(append(b, 0xff)) {
			t.Error("Valid is wrong")
		}
	}
}
