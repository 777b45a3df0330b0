package planted

import (
	"encoding/json"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The mistakes of this file show when a benchmark runs: in times, counts and results, not in its source. Whoever makes these diagnoses
// tests them here. Where only one engine can show it, the comment says so.

// # BP06: the loop takes a large part of the time

// An increment is as dear as the loop around it.
//
// kind loop overhead
// want BP06
func BenchmarkLoopAsDear(b *testing.B) {
	x := inputInt
	for i := 0; i < b.N; i++ {
		x ^= i
	}
	sinkInt = x
}

// b.Loop around one load.
//
// kind loop overhead
// want BP06
func BenchmarkLoopAroundLoad(b *testing.B) {
	for b.Loop() {
		sinkInt = inputInts[7]
	}
}

// All of the work of the next five is left, only that there is so little of it.

// One operation, and it is the one that the source has.
//
// kind loop overhead
// want BP06
func BenchmarkAdd(b *testing.B) {
	x := 0
	for i := 0; i < b.N; i++ {
		x += 3
	}
	sinkInt = x
}

// A product by a power of two becomes a shift.
//
// kind loop overhead
// want BP06
func BenchmarkStrengthReduced(b *testing.B) {
	x := uint(inputInt)
	for i := 0; i < b.N; i++ {
		x = x*8 + uint(i)%16
	}
	sinkInt = int(x)
}

// A method that is inlined and stores.
//
// kind loop overhead
// want BP06
func BenchmarkInc(b *testing.B) {
	var c counter
	for i := 0; i < b.N; i++ {
		c.inc()
	}
	sinkInt = c.n
}

// Part of the call is folded, since one of its arguments is constant.
//
// kind loop overhead
// want BP06
func BenchmarkPartFolded(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInt = mix(mix(3, 4), i) & (1<<uint(len("abcdefgh")) - 1)
	}
}

// A function value comes through an interface; that it has this type is known.
//
// kind loop overhead
// want BP06 (info)
func BenchmarkClosureThroughAny(b *testing.B) {
	var f any = func(n int) int { return n + 1 }
	for i := 0; i < b.N; i++ {
		sinkInt = f.(func(int) int)(i)
	}
}

// # BP09: too short to be timed

// The timer is started for a few instructions, so that a batch of any length has a time of nothing but clock readings.
//
// kind too short
// want BP09
func BenchmarkTooShort(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		sinkInt = fib(5)
	}
	b.StartTimer()
	sinkInt = mix(sinkInt, 1)
	b.StopTimer()
}

// # BP12: a setup within the time

// The list is made by a function that the source does not show to be slow.
//
// kind setup timed
// want BP12
func BenchmarkSetupInCallee(b *testing.B) {
	list := build(20_000)
	for i := 0; i < b.N; i++ {
		sinkInt = len(list[i%20_000])
	}
}

// The same in a sub-benchmark.
//
// kind setup timed
// want BP12
func BenchmarkSetupInSub(b *testing.B) {
	b.Run("n=20000", func(b *testing.B) {
		list := build(20_000)
		for i := range b.N {
			sinkInt = len(list[i%20_000])
		}
	})
}

// The timer is stopped for a setup that takes as long as what is timed.
//
// kind timer stopped for little
// want BP12
func BenchmarkStopsEachTime(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := grow(100)
		b.StartTimer()
		sinkInt = total(list)
	}
}

// grown100 makes an input while the timer is stopped.
func grown100(b *testing.B) []int {
	b.StopTimer()
	defer b.StartTimer()
	return grow(100)
}

// The same in a helper.
//
// kind timer stopped in a helper
// want BP12
func BenchmarkStopsInHelper(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInt = total(grown100(b))
	}
}

// # BP12: an input that every iteration makes anew

// The list is always the same, and making it takes longer than what is measured.
//
// kind input made each time
// want BP12
func BenchmarkInputMadeEachTime(b *testing.B) {
	for i := 0; i < b.N; i++ {
		list := build(200)
		sinkInt = sort.SearchStrings(list, inputText)
	}
}

// The same with a text.
//
// kind input made each time
// want BP12
func BenchmarkTextMadeEachTime(b *testing.B) {
	for b.Loop() {
		text := strings.Repeat("0123456789", 1000)
		sinkInt += strings.LastIndexByte(text, '7')
	}
}

// # BP35: an error is ignored

// The text is no number.
//
// kind error ignored
// want BP35
func BenchmarkAtoiOfLetters(b *testing.B) {
	for i := 0; i < b.N; i++ {
		n, _ := strconv.Atoi("123x")
		sinkInt += n
	}
}

// A statement drops all results.
//
// kind error dropped with a statement
// want BP35
func BenchmarkUnmarshal(b *testing.B) {
	data := []byte(`{"n": "8"}`)
	for b.Loop() {
		var x struct{ N int }
		json.Unmarshal(data, &x)
		sinkInt += x.N
	}
}

// One of the sub-benchmarks fails.
//
// kind error ignored in one row
// want BP35
func BenchmarkParseAll(b *testing.B) {
	for _, text := range []string{"8", "8675309", "8,675,309"} {
		b.Run("len="+strconv.Itoa(len(text)), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sinkInt, _ = parse(text)
			}
		})
	}
}

// # BP33: the clock is read in every iteration

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// A helper takes the time.
//
// kind clock read in a helper
// want BP33
func BenchmarkClockInHelper(b *testing.B) {
	var took time.Duration
	for i := 0; i < b.N; i++ {
		took += timed(func() { sinkInt = fib(5) })
	}
	sinkInt = int(took)
}

// The benchmark takes the time itself.
//
// kind clock read each time
// want BP33
func BenchmarkOwnClock(b *testing.B) {
	var took time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		sinkInt = fib(5)
		took += time.Since(start)
	}
	sinkInt = int(took)
}

// # BP13: the state grows

var grown []int

// A list that is gone through gets longer with each iteration, and lives on.
//
// kind state grows
// want BP13
func BenchmarkStateGrows(b *testing.B) {
	grown = grown[:0]
	for i := 0; i < b.N; i++ {
		grown = append(grown, i)
		sinkInt = total(grown)
	}
}

// A sorted list into which each iteration inserts.
//
// kind state grows
// want BP13
func BenchmarkInsertGrows(b *testing.B) {
	var list []int
	for i := 0; i < b.N; i++ {
		x := i * 7919 & 0xfffff
		at := sort.SearchInts(list, x)
		list = append(list, 0)
		copy(list[at+1:], list[at:])
		list[at] = x
	}
	sinkInts = list
}

// # BP14: collections take most of the time

// A collection in every iteration.
//
// kind collector
// want BP14
func BenchmarkForcedCollection(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInts = make([]int, 16)
		runtime.GC()
	}
}

type node struct {
	left, right *node
	pad         [4]int
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

var forest []*node

// Each iteration makes a tree that lives for a while, so every collection marks many of them.
//
// kind collector
// want BP14
func BenchmarkCollections(b *testing.B) {
	forest = make([]*node, 64)
	for i := 0; i < b.N; i++ {
		forest[i&63] = tree(8)
	}
	forest = nil
}

// # BP15: several modes

var phase int

// One batch in three takes much longer, since the number of a run decides.
//
// kind several modes
// want BP15
func BenchmarkTwoModes(b *testing.B) {
	phase++
	n := 64
	if phase%3 == 0 {
		n = 256
	}
	for i := 0; i < b.N; i++ {
		sinkInt = total(inputInts[:n])
	}
}

// # BP16: too noisy

var seed = uint32(2463534242)

// How much each batch does is drawn.
//
// kind noise
// want BP16
func BenchmarkNoisy(b *testing.B) {
	seed ^= seed << 13
	seed ^= seed >> 17
	seed ^= seed << 5
	n := 16 + int(seed%1000)
	for i := 0; i < b.N; i++ {
		sinkInt = total(inputInts[:n])
	}
}

// # BP20: engines have different results

// What is printed depends on the system that the program is built for, and on the clock. A guest of gyr has a clock and a system of
// its own.
//
// kind results differ
// want BP20
func BenchmarkClockInResult(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkString = strconv.Itoa(fib(8))
	}
	b.Logf("result %d on %s", time.Now().UnixNano(), runtime.GOARCH)
}

// # BP21: a rate that cannot be, or that does not change with the size

// A gigabyte is claimed of which four kilobytes are looked at.
//
// kind rate claimed
// want BP21
func BenchmarkClaimedRate(b *testing.B) {
	b.SetBytes(1 << 30)
	for i := 0; i < b.N; i++ {
		sinkUint32 = checksum(inputBytes)
	}
}

// The size grows sixty-four times, the work does not.
//
// kind rate of no size
// want BP21
func BenchmarkSameForAllSizes(b *testing.B) {
	for _, n := range []int{64, 512, 4096} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			data := inputBytes[:n]
			for i := 0; i < b.N; i++ {
				sinkUint32 = checksum(data[:32])
			}
		})
	}
}

// # BP17: not steady

var left []int

// What a run leaves behind makes the next one longer.
//
// kind slows down
// want BP17
func BenchmarkSlowsDown(b *testing.B) {
	left = append(left, inputInts[:64]...)
	for i := 0; i < b.N; i++ {
		sinkInt = total(left)
	}
}

// # BP27: state is remembered after the first iteration

var memo = map[int]int{}

func fibMemo(n int) int {
	if x, ok := memo[n]; ok {
		return x
	}
	x := n
	if n >= 2 {
		x = fibMemo(n-1) + fibMemo(n-2)
	}
	memo[n] = x
	return x
}

// The first iteration computes, the others look up.
//
// kind work remembered
// want BP27
func BenchmarkMemo(b *testing.B) {
	clear(memo)
	for i := 0; i < b.N; i++ {
		sinkInt = fibMemo(40)
	}
}

// The first iteration sorts, the others find a sorted list.
//
// kind work remembered
// want BP27
func BenchmarkSortsSorted(b *testing.B) {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i * 7919 % 1009
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sort.Ints(list)
	}
}

// The first iteration makes room, the others find it. That is how programs keep their buffers, so it is no mistake, but allocs/op does
// not show what the buffer costs.
//
// kind buffer kept
// want BP27 (info)
func BenchmarkBufferStays(b *testing.B) {
	var buf []byte
	for i := 0; i < b.N; i++ {
		buf = buf[:0]
		for k := range 1000 {
			buf = strconv.AppendInt(buf, int64(k), 10)
		}
	}
	sinkInt = len(buf)
}
