package planted

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The benchmarks of this file are right, and look like mistakes of the other files.

// A decoder of each iteration's own.
//
// want nothing
func BenchmarkDecoderAnew(b *testing.B) {
	text := strings.Repeat("[1,2,3] ", 8)
	for b.Loop() {
		d := json.NewDecoder(strings.NewReader(text))
		for d.More() {
			var list []int
			if err := d.Decode(&list); err != nil {
				b.Fatal(err)
			}
			sinkInts = list
		}
	}
}

// A scanner of each iteration's own, on a reader that begins anew.
//
// want nothing
func BenchmarkScannerAnew(b *testing.B) {
	text := strings.Repeat("one line\n", 100)
	r := strings.NewReader(text)
	for i := 0; i < b.N; i++ {
		r.Reset(text)
		s := bufio.NewScanner(r)
		for s.Scan() {
			sinkInt += len(s.Bytes())
		}
		if err := s.Err(); err != nil {
			b.Fatal(err)
		}
	}
}

// A function reads to the end what has begun anew.
//
// want nothing
func BenchmarkSeekAndRead(b *testing.B) {
	r := bytes.NewReader(inputBytes)
	for i := 0; i < b.N; i++ {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			b.Fatal(err)
		}
		sinkInt += int(n)
	}
}

// A stream that has something for every iteration.
//
// want nothing
func BenchmarkStreamOfAll(b *testing.B) {
	s := bufio.NewScanner(strings.NewReader(strings.Repeat("one line\n", b.N)))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if !s.Scan() {
			b.Fatal("too short")
		}
		sinkInt += len(s.Bytes())
	}
}

// A buffer that is written and read in turns.
//
// want nothing
func BenchmarkBufferInTurns(b *testing.B) {
	buf := bytes.NewBuffer(nil)
	for i := 0; i < b.N; i++ {
		buf.WriteString(inputText)
		c, err := buf.ReadByte()
		if err != nil {
			b.Fatal(err)
		}
		sinkInt += int(c)
		buf.Reset()
	}
}

// A table whose rows have one input.
//
// want nothing
func BenchmarkTableSameInput(b *testing.B) {
	for _, c := range []struct {
		name string
		do   func([]int) int
		n    int
	}{
		{"total", total, 100},
		{"largest", largest, 100},
	} {
		b.Run(c.name, func(b *testing.B) {
			list := grow(c.n)
			for b.Loop() {
				sinkInt = c.do(list)
			}
		})
	}
}

// A table whose rows have inputs of several sizes, for one function.
//
// want nothing
func BenchmarkTableSizes(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"small", 100}, {"large", 1000}} {
		b.Run(c.name, func(b *testing.B) {
			list := grow(c.n)
			for b.Loop() {
				sinkInt = total(list)
			}
		})
	}
}

// A helper takes the time of something next to which that is nothing.
//
// want nothing
func BenchmarkLatencyInHelper(b *testing.B) {
	var most time.Duration
	for i := 0; i < b.N; i++ {
		most = max(most, timed(func() { sinkInt = fib(22) }))
	}
	sinkInt += int(most)
}

// shuffled makes an input while the timer is stopped.
func shuffled(b *testing.B, list []int) []int {
	b.StopTimer()
	defer b.StartTimer()
	for k := range list {
		list[k] = k * 7919 % 10007
	}
	return list
}

// A helper stops the timer for an input that takes long to use.
//
// want nothing
func BenchmarkSortOfHelper(b *testing.B) {
	list := make([]int, 10000)
	for i := 0; i < b.N; i++ {
		sort.Ints(shuffled(b, list))
	}
}

// Making the input is what is measured.
//
// want nothing
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		list := build(200)
		sinkInt += sort.SearchStrings(list, inputText)
	}
}

// Making the input is next to nothing.
//
// want nothing
func BenchmarkSmallInput(b *testing.B) {
	for b.Loop() {
		text := strings.Repeat("7", 2)
		n, err := parse(text)
		if err != nil {
			b.Fatal(err)
		}
		sinkInt = fib(n % 16)
	}
}

// The failure is what is measured.
//
// want nothing
func BenchmarkParseInvalid(b *testing.B) {
	for b.Loop() {
		sinkInt, sinkErr = parse("8,675,309")
	}
}

// The failure is what is measured, and it is dropped.
//
// want nothing
func BenchmarkAtoiError(b *testing.B) {
	for b.Loop() {
		sinkInt, _ = strconv.Atoi("123x")
	}
}

// An error is dropped that never is one.
//
// want nothing
func BenchmarkBuilderWrites(b *testing.B) {
	var s strings.Builder
	for i := 0; i < b.N; i++ {
		s.Reset()
		for range 16 {
			_, _ = s.WriteString(inputText)
		}
		sinkInt += s.Len()
	}
}

// A lookup that says whether there is something.
//
// want nothing
func BenchmarkFound(b *testing.B) {
	m := map[int]int{}
	for i := range 128 {
		m[2*i] = i
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		n, _ := m[i&255]
		sinkInt += n
	}
}

// Goroutines that all are awaited before the benchmark ends.
//
// want nothing
func BenchmarkAwaitedAtTheEnd(b *testing.B) {
	var wg sync.WaitGroup
	var n atomic.Int64
	for i := 0; i < b.N; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n.Add(int64(fib(8)))
		}()
		if i%64 == 63 {
			wg.Wait()
		}
	}
	wg.Wait()
	sinkInt = int(n.Load())
}

// A worker answers each request.
//
// want nothing
func BenchmarkWorker(b *testing.B) {
	ask, answers := make(chan int), make(chan int)
	go func() {
		for n := range ask {
			answers <- fib(n)
		}
		close(answers)
	}()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		ask <- i % 10
		sinkInt = <-answers
	}
	b.StopTimer()
	close(ask)
	<-answers
}

// One deferred call for all iterations.
//
// want nothing
func BenchmarkDeferredOnce(b *testing.B) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	for i := 0; i < b.N; i++ {
		sinkInt = fib(i % 10)
	}
}

// A list that begins anew when it is full.
//
// want nothing
func BenchmarkListBounded(b *testing.B) {
	list := make([]int, 0, 64)
	for i := 0; i < b.N; i++ {
		if len(list) == cap(list) {
			list = list[:0]
		}
		list = append(list, mix(i, inputInt))
	}
	sinkInt = len(list)
}

// A list with room for all iterations.
//
// want nothing
func BenchmarkListOfAll(b *testing.B) {
	list := make([]int, 0, b.N)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		list = append(list, fib(8))
	}
	sinkInt = len(list)
}

// An input for each iteration, made beforehand, since iterations change it.
//
// want nothing
func BenchmarkSortPrepared(b *testing.B) {
	lists := make([][]int, b.N)
	for i := range lists {
		lists[i] = make([]int, 256)
		for k := range lists[i] {
			lists[i][k] = k * 7919 % 1009
		}
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		slices.Sort(lists[i])
	}
}

// A copy of the input for each iteration.
//
// want nothing
func BenchmarkSortOfCopy(b *testing.B) {
	from := make([]int, 1000)
	for i := range from {
		from[i] = i * 7919 % 1009
	}
	list := make([]int, len(from))
	for b.Loop() {
		copy(list, from)
		slices.Sort(list)
	}
}

// The result is checked once, after the loop and outside of the time.
//
// want nothing
func BenchmarkCheckedAtTheEnd(b *testing.B) {
	sum := 0
	for i := 0; i < b.N; i++ {
		sum += fib(8)
	}
	b.StopTimer()
	if sum != 21*b.N {
		b.Fatal(sum)
	}
}

// What is expected is computed before the loop, and each result is compared with it.
//
// want nothing
func BenchmarkCompared(b *testing.B) {
	want := checksum(inputBytes)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if checksum(inputBytes) != want {
			b.Fatal("wrong")
		}
	}
}

// The loop counts down.
//
// want nothing
func BenchmarkCountsDown(b *testing.B) {
	for n := b.N; n > 0; n-- {
		sinkInt = fib(n % 10)
	}
}

// Each sub-benchmark has a b and a timer of its own.
//
// want nothing
func BenchmarkOwnB(b *testing.B) {
	for _, n := range []int{4, 8} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			list := grow(100 * n)
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				sinkInt = total(list)
			}
		})
	}
}

// Objects of a pool are used again, as programs do.
//
// want nothing
func BenchmarkPool(b *testing.B) {
	pool := sync.Pool{New: func() any { return new([64]byte) }}
	for i := 0; i < b.N; i++ {
		p := pool.Get().(*[64]byte)
		binary.LittleEndian.PutUint64(p[:], uint64(i))
		sinkUint32 = checksum(p[:])
		pool.Put(p)
	}
}

// A struct is a value and never was to be on the heap.
//
// want nothing
func BenchmarkValue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		p := point{float64(i), inputFloat}
		sinkFloat = p.norm() + poly(p.x)
	}
}

// In parallel, with a result of each goroutine.
//
// want nothing
func BenchmarkParallelSums(b *testing.B) {
	var all atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		n := 0
		for pb.Next() {
			n += fib(8)
		}
		all.Add(int64(n))
	})
	sinkInt = int(all.Load())
}
