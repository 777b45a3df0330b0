package daily

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestParts: within a group of days, parts are disjoint, keep the order, and make up the list.
// Another group has other parts, and so has another test.
func TestParts(t *testing.T) {
	for length := 1; length < 40; length++ {
		list := Numbers(t, length, length, false)
		for n := 1; n < length; n += 3 {
			days := (length + n - 1) / n
			var all []int
			for day := range days {
				part := partOf("TestX", 20_000*days+day, list, n)
				if len(part) > n || len(part) == 0 || !slices.IsSorted(part) {
					t.Fatalf("of %d: %v", length, part)
				}
				all = append(all, part...)
			}
			slices.Sort(all)
			if !slices.Equal(all, list) {
				t.Fatalf("parts of %d of %d make up %v", n, length, all)
			}
		}
	}
	list := Numbers(t, 100, 100, false)
	one := partOf("TestX", 20_000, list, 10)
	for _, other := range [][]int{partOf("TestX", 20_001, list, 10), partOf("TestX", 20_010, list, 10), partOf("TestY", 20_000, list, 10)} {
		if slices.Equal(one, other) {
			t.Errorf("two times %v", one)
		}
	}
}

// TestTurns: each test has its turn on one of so many days, and not all on the same day.
func TestTurns(t *testing.T) {
	turns := map[int]int{}
	for k := range 100 {
		name, days := fmt.Sprintf("Test%d", k), 0
		for day := 20_000; day < 20_005; day++ {
			if in := next(name, day, 5); in == 0 {
				turns[day]++
				days++
			} else if next(name, day+in, 5) != 0 {
				t.Errorf("%s has its turn not in %d days", name, in)
			}
		}
		if days != 1 {
			t.Errorf("%s runs on %d of 5 days", name, days)
		}
	}
	for day, n := range turns {
		if n < 10 || n > 30 {
			t.Errorf("%d of 100 tests on day %d", n, day)
		}
	}
}

// TestToday: the environment's day takes precedence.
func TestToday(t *testing.T) {
	want := int(time.Date(2026, 11, 28, 5, 0, 0, 0, time.UTC).Unix() / 86400)
	t.Setenv(Variable, "2026-11-28")
	if day := today(); day != want || date(day) != "2026-11-28" {
		t.Errorf("day %d, %s", day, date(day))
	}
	if seed := *Seed("daily.seed", "of this test"); seed != uint64(want)*1_000_000 {
		t.Errorf("seed %d", seed)
	}
}
