package testrun

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load"
)

// A Shard is a part of the packages: number I of N, from 1. The zero Shard is all of them.
type Shard struct {
	I, N int

	// Times are seconds that packages took. Those packages are divided so that each shard takes about as
	// long; a package without a time belongs to a shard by its path. All machines have to divide by equal
	// times.
	Times map[string]float64
}

// ParseShard parses "I/N".
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	shard := Shard{}
	var err1, err2 error
	shard.I, err1 = strconv.Atoi(i)
	shard.N, err2 = strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || shard.N < 1 || shard.I < 1 || shard.I > shard.N {
		return Shard{}, fmt.Errorf("-shard %s: want I/N, as 1/3: shard I of N, from 1 to N", s)
	}
	return shard, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// of returns the packages of the shard, in their order.
func (s Shard) of(list []load.Listed) []load.Listed {
	if s.N == 0 {
		return list
	}
	timed := slices.DeleteFunc(slices.Clone(list), func(p load.Listed) bool { return s.Times[p.Path] <= 0 })
	slices.SortFunc(timed, func(a, b load.Listed) int {
		return cmp.Or(cmp.Compare(s.Times[b.Path], s.Times[a.Path]), cmp.Compare(a.Path, b.Path))
	})
	// The longest first, each to the shard that has least: at most a third more than the best division
	// (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969).
	shardOf := map[string]int{}
	sums := make([]float64, s.N)
	for _, p := range timed {
		least := 0
		for i := range sums {
			if sums[i] < sums[least] {
				least = i
			}
		}
		shardOf[p.Path] = least + 1
		sums[least] += s.Times[p.Path]
	}
	return slices.DeleteFunc(slices.Clone(list), func(p load.Listed) bool {
		i := shardOf[p.Path]
		if i == 0 {
			h := fnv.New32a()
			h.Write([]byte(p.Path))
			i = int(h.Sum32()%uint32(s.N)) + 1
		}
		return i != s.I
	})
}
