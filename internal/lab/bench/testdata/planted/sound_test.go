package planted

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Inputs differ, the result is kept.
//
// want nothing
func BenchmarkMix(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInt = mix(i, inputInt)
	}
}

// A chain through a local variable.
//
// want nothing
func BenchmarkMixChain(b *testing.B) {
	x := inputInt
	for range b.N {
		x = mix(x, 7)
	}
	sinkInt = x
}

// Checks that are proved.
//
// want nothing
func BenchmarkChecksProved(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum := 0
		for k := 0; k < len(inputInts); k++ {
			sum += inputInts[k]
		}
		sinkInt = sum
	}
}

// A call that is not inlined, with a constant.
//
// want nothing
func BenchmarkFib(b *testing.B) {
	for b.Loop() {
		sinkInt = fib(10)
	}
}

// Allocations that stay.
//
// want nothing
func BenchmarkMakeKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInts = make([]int, 32)
	}
}

// A list that grows.
//
// want nothing
func BenchmarkGrow(b *testing.B) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		sinkInts = grow(32)
	}
}

// An object that lives in the frame, since only its methods use it.
//
// want nothing
func BenchmarkPointInFrame(b *testing.B) {
	for i := 0; i < b.N; i++ {
		p := &point{float64(i), inputFloat}
		sinkFloat = p.norm()
	}
}

// A buffer that does not escape.
//
// want nothing
func BenchmarkAppendInt(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		buf := make([]byte, 0, 32)
		buf = strconv.AppendInt(buf, int64(i), 10)
		n += len(buf)
	}
	sinkInt = n
}

// Sub-benchmarks over a table, with bytes.
//
// want nothing
func BenchmarkChecksum(b *testing.B) {
	for _, n := range []int{16, 256, 4096} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			data := inputBytes[:n]
			for i := 0; i < b.N; i++ {
				sinkUint32 = checksum(data)
			}
		})
	}
}

// Bulk operations, which take hardly longer for eight times as little.
//
// want nothing
func BenchmarkCopy(b *testing.B) {
	from, to := inputBytes, make([]byte, len(inputBytes))
	for _, n := range []int{8, 64, 4096} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for i := 0; i < b.N; i++ {
				sinkInt += copy(to[:n], from[:n])
			}
		})
	}
}

// A helper that several benchmarks share.
//
// want nothing
func BenchmarkTotal8(b *testing.B) { benchmarkTotal(b, 8) }

// want nothing
func BenchmarkTotal512(b *testing.B) { benchmarkTotal(b, 512) }

func benchmarkTotal(b *testing.B, n int) {
	list := inputInts[:n]
	sum := 0
	for i := 0; i < b.N; i++ {
		sum += total(list)
	}
	sinkInt = sum
}

// Calls of the standard library, an error that is looked at.
//
// want nothing
func BenchmarkAtoi(b *testing.B) {
	for b.Loop() {
		n, err := strconv.Atoi(inputText)
		if err != nil {
			b.Fatal(err)
		}
		sinkInt = n
	}
}

// Two results, one of them dropped.
//
// want nothing
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		sinkInt, _ = parse(inputText)
	}
}

// In parallel, with an atomic counter.
//
// want nothing
func BenchmarkParallelAtomic(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
		}
	})
	sinkInt = int(n.Load())
}

// A lock.
//
// want nothing
func BenchmarkMutex(b *testing.B) {
	var mu sync.Mutex
	n := 0
	for i := 0; i < b.N; i++ {
		mu.Lock()
		n++
		mu.Unlock()
	}
	sinkInt = n
}

// Methods of an interface.
//
// want nothing
func BenchmarkInterface(b *testing.B) {
	shapes := []shape{square{2}, circle{3}, square{4}, circle{1}}
	for i := 0; i < b.N; i++ {
		sinkFloat += shapes[i&3].area()
	}
}

// A map.
//
// want nothing
func BenchmarkMapGet(b *testing.B) {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i * i
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sinkInt += m[i%100]
	}
}

// A channel.
//
// want nothing
func BenchmarkChannel(b *testing.B) {
	c := make(chan int, 1)
	for i := 0; i < b.N; i++ {
		c <- i
		sinkInt = <-c
	}
}

// Setup that is not timed: the loop resets the timer.
//
// want nothing
func BenchmarkSetupLoop(b *testing.B) {
	data, err := os.ReadFile("sound_test.go")
	if err != nil {
		b.Fatal(err)
	}
	list := build(1000)
	for b.Loop() {
		sinkInt = sort.SearchStrings(list, inputText) + bytes.IndexByte(data, '}')
	}
}

// Setup that is not timed: the timer is reset.
//
// want nothing
func BenchmarkSetupReset(b *testing.B) {
	list := make([]int, 0, 1<<16)
	for i := range 1 << 16 {
		list = append(list, i*7919&(1<<16-1))
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sinkInt = list[sinkInt&(1<<16-1)]
	}
}

// Setup of which nothing shows in a batch.
//
// want nothing
func BenchmarkSetupSmall(b *testing.B) {
	list := build(10)
	for i := 0; i < b.N; i++ {
		sinkInt = len(list[i%10])
	}
}

// A setup as large as that of SetupInCallee, with the timer reset.
//
// want nothing
func BenchmarkSetupInCalleeReset(b *testing.B) {
	list := build(20_000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sinkInt = len(list[i%20_000])
	}
}

// The timer is stopped while something large is made.
//
// want nothing
func BenchmarkSort(b *testing.B) {
	list := make([]int, 10000)
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		for k := range list {
			list[k] = k * 7919 % 10007
		}
		b.StartTimer()
		sort.Ints(list)
	}
}

// A builder that is used again.
//
// want nothing
func BenchmarkBuilder(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s strings.Builder
		for range 10 {
			s.WriteString("word ")
		}
		sinkString = s.String()
	}
}

// Generic code.
//
// want nothing
func BenchmarkStack(b *testing.B) {
	var s stack[int]
	for i := 0; i < b.N; i++ {
		s.push(i)
		s.push(i + 1)
		sinkInt = s.pop() + s.pop()
	}
}

// A checksum of the library's, of a buffer that is filled again.
//
// want nothing
func BenchmarkCRC(b *testing.B) {
	buf := make([]byte, 512)
	b.SetBytes(int64(len(buf)))
	for i := 0; i < b.N; i++ {
		buf[i%512] = byte(i)
		sinkUint32 ^= crc32.ChecksumIEEE(buf)
	}
}

// Floats.
//
// want nothing
func BenchmarkSin(b *testing.B) {
	x := inputFloat
	for range b.N {
		x = math.Sin(x) + 1
	}
	sinkFloat = x
}

// A value in an interface.
//
// want nothing
func BenchmarkBox(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkAny = i
	}
}

// A loop that looks for something has an effect: where control goes.
//
// want nothing
func BenchmarkASCII(b *testing.B) {
	text := string(inputBytes)
	for i := 0; i < b.N; i++ {
		if !ascii(text) {
			b.Fatal("not ASCII")
		}
	}
}

// A loop that only may panic.
//
// want nothing
func BenchmarkMustBeSorted(b *testing.B) {
	for range b.N {
		mustBeSorted(inputInts)
	}
}

// A constant parameter in a loop over data.
//
// want nothing
func BenchmarkCount(b *testing.B) {
	count := func(list []byte, c byte) (n int) {
		for _, x := range list {
			if x == c {
				n++
			}
		}
		return n
	}
	for i := 0; i < b.N; i++ {
		sinkInt += count(inputBytes, 'x')
	}
}

// A goroutine that is awaited.
//
// want nothing
func BenchmarkAwaited(b *testing.B) {
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		wg.Add(1)
		go func() {
			sinkInt = fib(10)
			wg.Done()
		}()
		wg.Wait()
	}
}

// A deferred call of each iteration.
//
// want nothing
func BenchmarkDeferInFunction(b *testing.B) {
	var mu sync.Mutex
	for i := 0; i < b.N; i++ {
		func() {
			mu.Lock()
			defer mu.Unlock()
			sinkInt = fib(8)
		}()
	}
}

// A reader that begins anew.
//
// want nothing
func BenchmarkReaderReset(b *testing.B) {
	r := bytes.NewReader(inputBytes)
	for i := 0; i < b.N; i++ {
		r.Reset(inputBytes)
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			b.Fatal(err)
		}
		sinkInt += int(n)
	}
}

// A map that keeps its size.
//
// want nothing
func BenchmarkMapBounded(b *testing.B) {
	m := map[int]int{}
	for i := 0; i < b.N; i++ {
		m[i] = i
		delete(m, i-64)
	}
	sinkInt = len(m)
}

// What is measured is the clock.
//
// want nothing
func BenchmarkNow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkAny = time.Now()
	}
}

// The clock is read around work next to which it is nothing.
//
// want nothing
func BenchmarkLatency(b *testing.B) {
	var most time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		sinkInt = fib(22)
		most = max(most, time.Since(start))
	}
	sinkInt += int(most)
}

// Two kinds of work on the same input.
//
// want nothing
func BenchmarkSameInput(b *testing.B) {
	b.Run("total", func(b *testing.B) {
		list := grow(200)
		b.ResetTimer()
		for i := 0; i < b.N; i++ {
			sinkInt = total(list)
		}
	})
	b.Run("sorted", func(b *testing.B) {
		list := grow(200)
		b.ResetTimer()
		for i := 0; i < b.N; i++ {
			mustBeSorted(list)
		}
	})
}
