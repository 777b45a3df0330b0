package state

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// touched draws n pages from the first pages of memory, with contents other than zeros.
func touched(rng *rand.Rand, n, of int) []Page {
	numbers := map[uint32]bool{}
	for len(numbers) < n {
		numbers[rng.Uint32N(uint32(of))] = true
	}
	var pages []Page
	for number := range numbers {
		content := make([]byte, PageSize)
		for i := range content {
			content[i] = byte(rng.Uint32())
		}
		pages = append(pages, Page{number, content})
	}
	slices.SortFunc(pages, func(a, b Page) int { return int(a.Number) - int(b.Number) })
	return pages
}

// BenchmarkUpdate measures the root after some pages were touched, in a state of 64 MiB and one of
// 1 GiB. For comparison it also measures hashing the pages alone.
func BenchmarkUpdate(b *testing.B) {
	sections := make([]Section, 8)
	for i := range sections {
		sections[i] = Section{fmt.Sprint("section ", i), make([]byte, 50)}
	}
	for _, mib := range []int{64, 1024} {
		rng := rand.New(rand.NewPCG(1, 2))
		var tree Tree
		content := make([]byte, PageSize)
		var all []Page
		for i := range mib << 20 / PageSize {
			content[0] = 1
			all = append(all, Page{uint32(i), content})
		}
		if err := tree.Update(all); err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{1, 4, 16, 256} {
			var sets [][]Page
			for range 16 {
				sets = append(sets, touched(rng, n, mib<<20/PageSize))
			}
			b.Run(fmt.Sprintf("%dMiB/%dpages", mib, n), func(b *testing.B) {
				b.ReportAllocs()
				t := tree
				i := 0
				for b.Loop() {
					i++
					if err := t.Update(sets[i%len(sets)]); err != nil {
						b.Fatal(err)
					}
					hashes, err := HashSections(sections)
					if err != nil {
						b.Fatal(err)
					}
					Root(t.Hash(), hashes)
				}
			})
			b.Run(fmt.Sprintf("%dMiB/%dpages/hashing", mib, n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					i++
					for _, p := range sets[i%len(sets)] {
						HashPage(p.Content)
					}
				}
			})
		}
	}
}
