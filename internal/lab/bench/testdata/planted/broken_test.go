package planted

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// # What the compiler removed

// The list is made and forgotten.
//
// kind allocation forgotten
// want BP01 BP05
func BenchmarkMakeForgotten(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, 32)
		_ = s
	}
}

// The same with b.N as a range.
//
// kind allocation forgotten
// want BP01 BP05
func BenchmarkMakeForgottenRange(b *testing.B) {
	for range b.N {
		_ = make([]int, 32)
	}
}

// What is written into the object nobody reads.
//
// kind object only written
// want BP01 BP05
func BenchmarkObjectWrittenOnly(b *testing.B) {
	for i := 0; i < b.N; i++ {
		p := new(counter)
		p.n = i
	}
}

// An object of a callee.
//
// kind allocation forgotten
// want BP01 BP05
func BenchmarkObjectOfCallee(b *testing.B) {
	for i := 0; i < b.N; i++ {
		newPoint(1, 2)
	}
}

// One constant.
//
// kind constant input
// want BP01 BP03
func BenchmarkSqrtOfTwo(b *testing.B) {
	for b.Loop() {
		sinkFloat = math.Sqrt(2)
	}
}

// A whole function of constants.
//
// kind constant input
// want BP01 BP03
func BenchmarkPolyOfConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkFloat = poly(2)
	}
}

// A constant that comes through a variable.
//
// kind constant input
// want BP01 BP03
func BenchmarkMixOfConstants(b *testing.B) {
	x, y := 17, 4
	sum := 0
	for range b.N {
		sum += mix(x, y)
	}
	sinkInt = sum
}

// A pure call whose result is dropped.
//
// kind result dropped
// want BP01 BP04
func BenchmarkMixDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mix(i, 3)
	}
}

// The result is assigned to a variable that nobody reads.
//
// kind result unread
// want BP01 BP04
func BenchmarkMixUnread(b *testing.B) {
	var r int
	for i := 0; i < b.N; i++ {
		r = mix(i, inputInt)
	}
	_ = r
}

// The result of one call is kept, that of the other is not.
//
// kind result dropped
// want BP04
func BenchmarkOneOfTwoDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInt = mix(i, 5)
		poly(inputFloat)
	}
}

// The same for all iterations.
//
// kind same in every iteration
// want BP01 BP02
func BenchmarkMixInvariant(b *testing.B) {
	n := len(b.Name())
	for range b.N {
		sinkInt = mix(n, 3)
	}
}

// The same for all iterations, added up.
//
// kind same in every iteration
// want BP01 BP02
func BenchmarkPolyInvariantSum(b *testing.B) {
	x, sum := inputFloat, 0.0
	for i := 0; i < b.N; i++ {
		sum += poly(x)
	}
	sinkFloat = sum
}

// A function that does nothing.
//
// kind nothing measured
// want BP01
func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
		nothing()
	}
}

// In a sub-benchmark.
//
// kind result dropped
// want BP01 BP04
func BenchmarkSubDropped(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				mix(i, n)
			}
		})
	}
}

// In a function that several benchmarks call.
//
// kind result dropped
// want BP01 BP04
func BenchmarkHelperDropped(b *testing.B) { dropped(b, 8) }

func dropped(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		mix(n, i)
	}
}

// In parallel.
//
// kind result unread in parallel
// want BP01 BP04
func BenchmarkParallelDropped(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := inputInt
		for pb.Next() {
			x = mix(x, 1)
		}
		_ = x
	})
}

// A closure that is inlined, with a constant.
//
// kind constant input
// want BP01 BP03
func BenchmarkClosureOfConstant(b *testing.B) {
	square := func(n int) int { return n * n }
	for i := 0; i < b.N; i++ {
		sinkInt = square(12)
	}
}

// What is left is the check of an index that nobody uses.
//
// kind result unread
// want BP04
func BenchmarkIndexLeft(b *testing.B) {
	var r int
	for i := 0; i < b.N; i++ {
		r = mix(inputInts[i%1000], 3)
	}
	_ = r
}

// What is left is a loop that counts.
//
// kind result unread
// want BP01 BP04
func BenchmarkSumUnread(b *testing.B) {
	list := make([]float64, 100)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		_ = sum
	}
}

// What is left is a comparison of what was computed before the loop.
//
// kind same in every iteration
// want BP01 BP02
func BenchmarkComparedInvariant(b *testing.B) {
	x, want := inputFloat, poly(inputFloat)
	for i := 0; i < b.N; i++ {
		if poly(x) != want {
			b.Fatal("wrong")
		}
	}
}

// # Loops and b.N

// There is no loop.
//
// kind no loop
// want BP10
func BenchmarkNoLoop(b *testing.B) {
	sinkInt = fib(20)
}

// The loop has a count of its own.
//
// kind own count
// want BP10
func BenchmarkOwnCount(b *testing.B) {
	for i := 0; i < 1000; i++ {
		sinkInt = mix(sinkInt, i)
	}
}

// Another variable than the one that is compared with b.N goes on.
//
// kind counter changed
// want BP10
func BenchmarkCounterSkips(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkInt = mix(sinkInt, i)
		i += 9
	}
}

// The b of the parent.
//
// kind b of the parent
// want BP10
func BenchmarkParentsB(b *testing.B) {
	b.Run("sub", func(sub *testing.B) {
		for i := 0; i < b.N; i++ {
			sinkInt = mix(sinkInt, i)
		}
	})
}

// Two kinds of loops.
//
// kind two kinds of loops
// want BP10
func BenchmarkLoopAndN(b *testing.B) {
	for b.Loop() {
		for i := 0; i < b.N; i++ {
			sinkInt = mix(sinkInt, i)
		}
	}
}

// The input grows with b.N, and is gone through once.
//
// kind b.N as a size
// want BP11
func BenchmarkInputOfN(b *testing.B) {
	list := make([]int, b.N)
	sinkInt = total(list)
}

// The same as an argument of what is measured.
//
// kind b.N as an argument
// want BP11
func BenchmarkArgumentN(b *testing.B) {
	sinkInts = grow(b.N)
}

// The argument is b.N, within the loop.
//
// kind b.N as an argument
// want BP11
func BenchmarkArgumentNInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sinkString = strings.Repeat("x", b.N)
	}
}

// # Timers

// A list is made before the loop, within the time.
//
// kind setup timed
// want BP12
func BenchmarkSetupTimed(b *testing.B) {
	list := make([]int, 0, 1<<20)
	for i := range 1 << 20 {
		list = append(list, i*7)
	}
	for i := 0; i < b.N; i++ {
		sinkInt += list[i&(1<<20-1)]
	}
}

// A file is read before the loop, within the time.
//
// kind setup timed
// want BP12
func BenchmarkReadTimed(b *testing.B) {
	data, err := os.ReadFile("broken_test.go")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		sinkUint32 = checksum(data)
	}
}

// The timer is reset in each iteration.
//
// kind timer reset in the loop
// want BP12
func BenchmarkResetInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		list := build(16)
		b.ResetTimer()
		sinkInt += len(list)
	}
}

// The timer is stopped and started for a few nanoseconds.
//
// kind timer stopped for little
// want BP12
func BenchmarkStopInTinyLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		x := inputInts[i&1023]
		b.StartTimer()
		sinkInt = mix(x, i)
	}
}

// The timer of the parent is reset, within the time of the sub-benchmark.
//
// kind timer of the parent
// want BP12
func BenchmarkParentsTimer(b *testing.B) {
	b.Run("sub", func(sub *testing.B) {
		list := grow(100)
		b.ResetTimer()
		for i := 0; i < sub.N; i++ {
			sinkInt = total(list) + i
		}
	})
}

// # What a loop leaves behind

// Only a field of the object is read.
//
// kind object never on the heap
// want BP05
func BenchmarkFieldRead(b *testing.B) {
	for i := 0; i < b.N; i++ {
		p := &point{float64(i), inputFloat}
		sinkFloat += p.x
	}
}

// Nobody waits for the goroutine.
//
// kind work not awaited
// want BP31
func BenchmarkNotAwaited(b *testing.B) {
	for i := 0; i < b.N; i++ {
		go func() { sinkInt = fib(10) }()
	}
}

// The calls pile up.
//
// kind defers pile up
// want BP32
func BenchmarkDefersPileUp(b *testing.B) {
	for i := 0; i < b.N; i++ {
		defer func() { sinkInt++ }()
	}
}

// Only the first iteration finds something to read.
//
// kind reader drained
// want BP27
func BenchmarkDrainedReader(b *testing.B) {
	r := bytes.NewReader(inputBytes)
	for i := 0; i < b.N; i++ {
		n, _ := io.Copy(io.Discard, r)
		sinkInt += int(n)
	}
}

// The decoder comes to the end of its input.
//
// kind decoder drained
// want BP27
func BenchmarkDrainedDecoder(b *testing.B) {
	d := json.NewDecoder(strings.NewReader(strings.Repeat("[1,2,3] ", 8)))
	for i := 0; i < b.N; i++ {
		var list []int
		if d.Decode(&list) == nil {
			sinkInts = list
		}
	}
}

// The scanner reads all lines in the first iteration.
//
// kind decoder drained
// want BP27
func BenchmarkDrainedScanner(b *testing.B) {
	s := bufio.NewScanner(strings.NewReader(strings.Repeat("one line\n", 1000)))
	for b.Loop() {
		for s.Scan() {
			sinkInt += len(s.Bytes())
		}
	}
}

func lines(r io.Reader) (n int) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		n++
	}
	return n
}

// A function reads the reader to its end.
//
// kind reader drained by a function
// want BP27
func BenchmarkDrainedByFunction(b *testing.B) {
	r := strings.NewReader(strings.Repeat("one line\n", 1000))
	for i := 0; i < b.N; i++ {
		sinkInt += lines(r)
	}
}

// The map has an entry for each iteration.
//
// kind container grows
// want BP13
func BenchmarkMapForEver(b *testing.B) {
	m := map[int]int{}
	for i := 0; i < b.N; i++ {
		m[i] = i
	}
	sinkInt = len(m)
}

// So has the list.
//
// kind container grows
// want BP13
func BenchmarkListForEver(b *testing.B) {
	var list []int
	for i := range b.N {
		list = append(list, mix(i, inputInt))
	}
	sinkInt = len(list)
}

// # What is compared

// One of the two has twice the input.
//
// kind inputs differ
// want BP34
func BenchmarkInputsDiffer(b *testing.B) {
	b.Run("total", func(b *testing.B) {
		list := grow(100)
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

// The inputs of a table's rows differ as well as what works on them.
//
// kind inputs differ in a table
// want BP34
func BenchmarkTableInputsDiffer(b *testing.B) {
	for _, c := range []struct {
		name string
		do   func([]int) int
		n    int
	}{
		{"total", total, 100},
		{"largest", largest, 150},
	} {
		b.Run(c.name, func(b *testing.B) {
			list := grow(c.n)
			for b.Loop() {
				sinkInt = c.do(list)
			}
		})
	}
}
