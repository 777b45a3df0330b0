package testrun

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load"
)

// Each package belongs to exactly one shard, in the order of the packages. Shards of packages with times take
// about as long as each other. A package's shard depends on its path alone if it has no time.
func TestShards(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n, count := 1+r.IntN(7), r.IntN(60)
		times := map[string]float64{}
		var list []load.Listed
		sum, longest := 0.0, 0.0
		for i := range count {
			p := fmt.Sprintf("example.com/p%d", i)
			list = append(list, load.Listed{Path: p})
			if round%3 != 0 && r.IntN(10) < 9 || round%3 == 2 {
				times[p] = r.ExpFloat64() + 0.001
				sum += times[p]
				longest = max(longest, times[p])
			}
		}
		seen, place := map[string]int{}, 0
		for i := 1; i <= n; i++ {
			took, last := 0.0, -1
			for _, p := range (Shard{I: i, N: n, Times: times}).of(list) {
				if seen[p.Path] != 0 {
					t.Fatalf("%s is in shards %d and %d of %d", p.Path, seen[p.Path], i, n)
				}
				seen[p.Path] = i
				if fmt.Sscanf(p.Path, "example.com/p%d", &place); place <= last {
					t.Errorf("shard %d/%d is out of order", i, n)
				}
				last = place
				took += times[p.Path]
			}
			if took > sum/float64(n)+longest {
				t.Errorf("shard %d/%d takes %.2f of %.2f, and the longest package %.2f", i, n, took, sum, longest)
			}
		}
		if len(seen) != count {
			t.Fatalf("%d of %d packages are in a shard of %d", len(seen), count, n)
		}
		if round%3 == 0 && count > 1 {
			for i := 1; i <= n; i++ {
				for _, p := range (Shard{I: i, N: n}).of(list[:count/2]) {
					if seen[p.Path] != i {
						t.Errorf("%s is in shard %d with, and in %d without the other packages", p.Path, seen[p.Path], i)
					}
				}
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("2/3"); err != nil || s.I != 2 || s.N != 3 || s.String() != "2/3" {
		t.Errorf("2/3: %v, %v", s, err)
	}
	for _, bad := range []string{"", "1", "3/2", "0/2", "-1/2", "1/0", "a/b", "1/2/3", "1 /2"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is %v", bad, s)
		}
	}
}
