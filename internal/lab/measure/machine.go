package measure

import (
	"math"
	"os"
	"strings"
	"sync"
	"time"
)

// A Machine holds the times of single operations on this machine, in nanoseconds. A latency is the
// time from one operation to the next that needs its result. A rate is the time that an operation
// adds where nothing waits for anything. Lower bounds of kernels are computed from them.
type Machine struct {
	Add          float64 `json:"add_ns"`           // latency, of 64-bit integers: one cycle
	Mul          float64 `json:"mul_ns"`           // latency
	Div          float64 `json:"div_ns"`           // latency, 63 bits by 31 bits, unsigned
	FloatAdd     float64 `json:"fadd_ns"`          // latency
	FloatMul     float64 `json:"fmul_ns"`          // latency
	FloatDiv     float64 `json:"fdiv_ns"`          // latency
	FloatDivRate float64 `json:"fdiv_rate_ns"`     // rate
	SqrtRate     float64 `json:"sqrt_rate_ns"`     // rate
	Load         float64 `json:"load_ns"`          // latency of a pointer, first-level cache
	StoreRate    float64 `json:"store_rate_ns"`    // rate, first-level cache
	StoreForward float64 `json:"store_forward_ns"` // from a store to the load that reads it
	Call         float64 `json:"call_ns"`          // call and return of an empty function
	Branch       float64 `json:"branch_ns"`        // rate of a correctly predicted branch
	Mispredict   float64 `json:"mispredict_ns"`    // cost of a mispredicted branch
	Alloc        float64 `json:"alloc_ns"`         // 16 bytes from Go's allocator, garbage at once, collector included
}

// Rows are the constants in the order in which they are printed.
func (m *Machine) Rows() []struct {
	Name string
	NS   float64
} {
	return []struct {
		Name string
		NS   float64
	}{
		{"integer add, latency", m.Add},
		{"integer multiply, latency", m.Mul},
		{"integer divide, latency", m.Div},
		{"float add, latency", m.FloatAdd},
		{"float multiply, latency", m.FloatMul},
		{"float divide, latency", m.FloatDiv},
		{"float divide, rate", m.FloatDivRate},
		{"float square root, rate", m.SqrtRate},
		{"load, latency", m.Load},
		{"store, rate", m.StoreRate},
		{"store to load", m.StoreForward},
		{"call and return", m.Call},
		{"predicted branch, rate", m.Branch},
		{"mispredicted branch", m.Mispredict},
		{"allocation of 16 bytes in Go", m.Alloc},
	}
}

// CPUModel is the processor's name, if the machine tells it.
func CPUModel() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown processor"
}

// window is how long one timing lasts. It is short, so that many timings fall between two turns of
// other processes on the machine.
const window = 100 * time.Microsecond

// NewMachine measures. Each constant is the least of that many timings; some thousand take a
// second. Other load on the machine only lengthens a timing. No two calls may run at once.
func NewMachine(timings int) *Machine {
	m := &Machine{}
	add := perOp(timings, chainAdd)
	m.Add = add
	m.Mul = perOp(timings, chainMul)
	m.Div = perOp(timings, chainDiv)
	m.FloatAdd = perOp(timings, chainFloatAdd)
	m.FloatMul = perOp(timings, chainFloatMul)
	m.FloatDiv = perOp(timings, chainFloatDiv)
	m.FloatDivRate = perOp(timings, floatDivs)
	m.SqrtRate = perOp(timings, sqrts)
	m.Load = perOp(timings, chainLoad)
	m.StoreRate = perOp(timings, stores)
	m.StoreForward = max(perOp(timings, chainStoreLoad)-add, 0)
	m.Call = perOp(timings, calls)
	m.Branch = perOp(timings, branches)
	predicted, random := perOp(timings, sortedBits), perOp(timings, randomBits)
	m.Mispredict = max(2*(random-predicted), 0) // every other branch
	m.Alloc = perOp(timings, allocs)
	return m
}

// perOp is the least time of one operation, in nanoseconds. f executes about n of them and returns
// how many.
func perOp(timings int, f func(n int) int) float64 {
	n := 1 << 10
	for {
		start := time.Now()
		f(n)
		if d := time.Since(start); d >= window/2 || n >= 1<<24 {
			n = max(1<<10, int(float64(n)*float64(window)/float64(max(d, 1))))
			break
		}
		n *= 2
	}
	best := math.Inf(1)
	for range timings {
		start := time.Now()
		done := f(n)
		best = min(best, float64(time.Since(start))/float64(done))
	}
	return best
}

// The values that the loops start from and their results, so that the compiler cannot know either.
var (
	intA, intB     uint64  = 3, 5
	bigA, bigB     uint64  = 1 << 62, 1<<31 + 11
	floatA, floatB float64 = 1.0000001, 0.9999999
	intSink        uint64
	floatSink      float64
	cell           uint64
	intZero        uint64
	pairSink       *[2]*int
)

func chainAdd(n int) int {
	x, y, z := intA, intB, bigA
	for range n / 8 {
		x += y
		x ^= z
		x += y
		x ^= z
		x += y
		x ^= z
		x += y
		x ^= z
	}
	intSink = x
	return n / 8 * 8
}

func chainMul(n int) int {
	x, y := intA, intB
	for range n / 8 {
		x *= y
		x *= y
		x *= y
		x *= y
		x *= y
		x *= y
		x *= y
		x *= y
	}
	intSink = x
	return n / 8 * 8
}

func chainDiv(n int) int {
	x, y := bigB, bigA
	for range n / 4 {
		x = y / x
		x = y / x
		x = y / x
		x = y / x
	}
	intSink = x
	return n / 4 * 4
}

func chainFloatAdd(n int) int {
	x, y := floatA, floatB
	for range n / 8 {
		x += y
		x += y
		x += y
		x += y
		x += y
		x += y
		x += y
		x += y
	}
	floatSink = x
	return n / 8 * 8
}

func chainFloatMul(n int) int {
	x, y, z := floatA, floatB, 1/floatB
	for range n / 8 {
		x *= y
		x *= z
		x *= y
		x *= z
		x *= y
		x *= z
		x *= y
		x *= z
	}
	floatSink = x
	return n / 8 * 8
}

func chainFloatDiv(n int) int {
	x, y := floatA, floatB
	for range n / 4 {
		x = y / x
		x = y / x
		x = y / x
		x = y / x
	}
	floatSink = x
	return n / 4 * 4
}

func floatDivs(n int) int {
	x := floatA
	a, b, c, d, e, f, g, h := x+1, x+2, x+3, x+4, x+5, x+6, x+7, x+8 // else the compiler merges them
	for range n / 8 {
		a, b, c, d = x/a, x/b, x/c, x/d
		e, f, g, h = x/e, x/f, x/g, x/h
	}
	floatSink = a + b + c + d + e + f + g + h
	return n / 8 * 8
}

func sqrts(n int) int {
	x := floatA
	a, b, c, d, e, f, g, h := x+1, x+2, x+3, x+4, x+5, x+6, x+7, x+8 // else the compiler merges them
	for range n / 8 {
		a, b, c, d = math.Sqrt(a), math.Sqrt(b), math.Sqrt(c), math.Sqrt(d)
		e, f, g, h = math.Sqrt(e), math.Sqrt(f), math.Sqrt(g), math.Sqrt(h)
	}
	floatSink = a + b + c + d + e + f + g + h
	return n / 8 * 8
}

type link struct{ next *link }

var ringOfLinks = func() *link {
	links := make([]link, 64)
	for i := range links {
		links[i].next = &links[(i+17)%len(links)]
	}
	return &links[0]
}()

func chainLoad(n int) int {
	p := ringOfLinks
	for range n / 8 {
		p = p.next.next.next.next.next.next.next.next
	}
	if p == nil {
		intSink++
	}
	return n / 8 * 8
}

var words [1024]uint64

func stores(n int) int {
	x := intA
	for range n / len(words) {
		for i := 0; i < len(words); i += 8 {
			w := words[i : i+8 : i+8]
			w[0], w[1], w[2], w[3] = x, x, x, x
			w[4], w[5], w[6], w[7] = x, x, x, x
		}
	}
	return n / len(words) * len(words)
}

// chainStoreLoad moves from one place to the next, as some processors keep the content of a single
// place in a register.
func chainStoreLoad(n int) int {
	x, zero := intA, intZero
	for i := range uint64(n) {
		words[i%uint64(len(words))] = x
		x = words[(i^zero)%uint64(len(words))] + 1
	}
	intSink = x
	return n
}

//go:noinline
func empty() {}

func calls(n int) int {
	for range n / 4 {
		empty()
		empty()
		empty()
		empty()
	}
	return n / 4 * 4
}

func branches(n int) int {
	x := intA
	for range n {
		if x == 0 {
			cell = x
		}
	}
	return 2 * n
}

// sortedAndRandom returns words, half of them zero: once with all zeros first, once in random
// order.
var sortedAndRandom = sync.OnceValues(func() (s, r []uint64) {
	s, r = make([]uint64, 1<<14), make([]uint64, 1<<14)
	x := uint64(88172645463325252)
	for i := range s {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		r[i] = x >> 20 & 1
		s[i] = uint64(i) >> 13
	}
	return s, r
})

func sortedBits(n int) int {
	words, _ := sortedAndRandom()
	return countOnes(words, n)
}

func randomBits(n int) int {
	_, words := sortedAndRandom()
	return countOnes(words, n)
}

// countOnes stores in the branch, so that the compiler cannot make it a conditional move.
func countOnes(list []uint64, n int) int {
	rounds := max(n/len(list), 1)
	for range rounds {
		for _, w := range list {
			if w != 0 {
				cell++
			}
		}
	}
	return rounds * len(list)
}

func allocs(n int) int {
	for range n {
		pairSink = new([2]*int)
	}
	return n
}
