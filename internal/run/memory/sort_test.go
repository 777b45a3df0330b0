package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortPolling(t *testing.T) {
	type item struct{ key, seq int }
	byKey := func(a, b item) int { return cmp.Compare(a.key, b.key) }
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, sortRun - 1, sortRun, sortRun + 1, 2 * sortRun, 3*sortRun + 17, 10 * sortRun, 16*sortRun + 1} {
		list := make([]item, n)
		for i := range list {
			list[i] = item{r.IntN(n/2 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		polls := 0
		if !SortPolling(list, make([]item, n), byKey, func() bool { polls++; return true }) {
			t.Fatalf("%d elements: gave up", n)
		}
		if !slices.Equal(list, want) {
			t.Errorf("%d elements: wrong or not stable", n)
		}
		if polls < n/sortRun {
			t.Errorf("%d elements: %d polls", n, polls)
		}
	}
}

func TestSortPollingGivesUp(t *testing.T) {
	list := make([]int, 100*sortRun)
	for i := range list {
		list[i] = -i
	}
	for _, last := range []int{1, 50, 150, 400} {
		polls := 0
		if SortPolling(slices.Clone(list), make([]int, len(list)), cmp.Compare[int], func() bool { polls++; return polls < last }) {
			t.Errorf("went on after poll %d", last)
		}
		if polls != last {
			t.Errorf("%d polls, want %d", polls, last)
		}
	}
}
