package enum

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var (
	count = flag.Uint64("programs", 0, "programs to compare in each space, drawn by -draw; 0: as many as take a few seconds")
	seed0 = daily.Seed("draw", "seed of drawn programs and of operands")
	from  = flag.Uint64("from", 0, "first number of a range to compare instead")
	to    = flag.Uint64("to", 0, "end of the range; 0: none")
	only  = flag.Int64("number", -1, "number of a program to compare alone, with all that is known of it")
	rows  = flag.Int("rows", 16, "rows of operands")
	most  = flag.Int("most", 3, "batches that differ before the comparison ends")
	whole = flag.Bool("everything", false, "all sets of passes in all tiers in each batch, not most of them in turn")
)

// batchSize is how many programs are compiled together.
const batchSize = 1024

func TestTrees(t *testing.T)    { compare(t, NewTrees(), 20_000) }
func TestAccesses(t *testing.T) { compare(t, NewAccesses(), 6_000) }
func TestLoops(t *testing.T)    { compare(t, NewLoops(), 1_500) }

// TestLoopsToEquality runs all loops with i != limit that step by one from or near an end of the
// type's range: what a limit says about i holds until i wraps.
func TestLoopsToEquality(t *testing.T) {
	s := NewLoops()
	var list []uint64
	for typ := range intTypes {
		ends := bounds(intTypes[typ])
		for start, value := range ends {
			if value != ends[8] && value != ends[10] && value != ends[11] && value != ends[13] {
				continue
			}
			for limit := range ends {
				for test := range numTests {
					for body := range bodies {
						switch bodies[body].name {
						case "i == limit", "start <= i, signed", "i < i + 1", "i < 0":
							for step := range 2 {
								list = append(list, s.number([numDigits]int{typ, start, step, limit, slices.Index(comparisons, compared{ir.OpNe, false}), test, body}))
							}
						}
					}
				}
			}
		}
	}
	i := -1
	check(t, s, func() (uint64, bool) {
		i++
		return list[min(i, len(list)-1)], i < len(list)
	})
}

// compare compares the programs that the flags select.
func compare(t *testing.T, s Space, few uint64) {
	if *only >= 0 {
		alone(t, s, uint64(*only))
		return
	}
	n := few
	if testing.Short() {
		n /= 4
	}
	if *count > 0 {
		n = *count
	}
	next := drawn(s, n)
	if *to > 0 {
		next = strided(*from, min(*to, s.Size()))
	}
	check(t, s, next)
}

// check compares the programs whose numbers next returns.
func check(t *testing.T, s Space, next func() (uint64, bool)) {
	daily.Drawn(t, "draw")
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // little is alive, and much is allocated
	c := &Comparer{}
	if *whole {
		c.Sets = Everything
	}
	start, numbers, bad := time.Now(), uint64(0), 0
	for batch := uint64(0); ; batch++ {
		b := &Batch{Seed: *seed0 + batch, Rows: *rows}
		for len(b.Programs) < batchSize {
			i, ok := next()
			if !ok {
				break
			}
			numbers++
			if p := s.Program(i); p != nil {
				b.Programs = append(b.Programs, p)
			}
		}
		if len(b.Programs) == 0 {
			break
		}
		c.Verify = batch%32 == 0
		list, err := c.Compare(b)
		if err != nil {
			t.Fatalf("batch of %d programs from %s %d on, seed %d: %v", len(b.Programs), s.Name(), b.Programs[0].Number(), b.Seed, err)
		}
		if len(list) > 0 {
			t.Errorf("after %v, %d programs:\n%s", time.Since(start).Round(time.Millisecond), c.Programs, Report(s, b, list, Everything))
			if bad++; bad == *most {
				break
			}
		}
	}
	took := time.Since(start).Seconds()
	t.Logf("%d numbers of %d, seed %d: %d programs, %d runs over %d rows, %.0f programs/s", numbers, s.Size(), *seed0, c.Programs, c.Runs, *rows, float64(c.Programs)/took)
}

// alone compares one program and prints it.
func alone(t *testing.T, s Space, n uint64) {
	p := s.Program(n)
	if p == nil {
		t.Fatalf("%s %d equals one with another number", s.Name(), n)
	}
	b := &Batch{Programs: []Program{p}, Seed: *seed0, Rows: 1, Packing: Single}
	b.Module()
	t.Logf("%s %d: %v\n%v", s.Name(), n, p, b.spans[0].fn)
	list, err := Alone(p, *seed0, Everything)
	if len(list) > 0 || err != nil {
		t.Fatalf("%s%v", Report(s, b, list, Everything), err)
	}
}

// drawn draws n numbers.
func drawn(s Space, n uint64) func() (uint64, bool) {
	r := rand.New(rand.NewPCG(*seed0, 1))
	return func() (uint64, bool) {
		if n == 0 {
			return 0, false
		}
		n--
		return s.Random(r), true
	}
}

// strided returns all numbers of a range, with neighbours far from each other: they have common
// parts that passes would merge.
func strided(from, to uint64) func() (uint64, bool) {
	size := to - from
	step := size/1009 | 1
	for gcd(step, size) != 1 {
		step += 2
	}
	at, left := uint64(0), size
	return func() (uint64, bool) {
		if left == 0 {
			return 0, false
		}
		left--
		at = (at + step) % size
		return from + at, true
	}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
