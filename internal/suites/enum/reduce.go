package enum

import (
	"fmt"
	"slices"
	"strings"
)

// aloneRows is how many rows of operands a differing program is tried with.
const aloneRows = 300

// Alone tries a program alone, in every packing, over the sets and tiers that parts lists.
func Alone(p Program, seed uint64, parts func(uint64) []Part) (list []*Difference, err error) {
	for way := Late; way < numPackings; way++ {
		c := Comparer{Sets: parts, Verify: true}
		found, err := c.Compare(&Batch{Programs: []Program{p}, Seed: seed, Rows: aloneRows, Packing: way})
		if err != nil {
			return list, fmt.Errorf("%v: %w", way, err)
		}
		list = append(list, found...)
	}
	return list, nil
}

// Smallest returns the smallest part of a program that differs alone, or the program itself if no
// part does.
func Smallest(p Program, seed uint64, parts func(uint64) []Part) Program {
	for {
		list := p.Smaller()
		i := slices.IndexFunc(list, func(q Program) bool {
			found, err := Alone(q, seed, parts)
			return len(found) > 0 || err != nil
		})
		if i < 0 {
			return p
		}
		p = list[i]
	}
}

// Report describes programs that differed in a batch.
func Report(s Space, b *Batch, list []*Difference, parts func(uint64) []Part) string {
	var text strings.Builder
	seen := map[uint64]bool{}
	for _, d := range list {
		n := d.Program.Number()
		if seen[n] {
			continue
		}
		seen[n] = true
		if len(seen) > 5 {
			fmt.Fprintln(&text, "and others")
			break
		}
		fmt.Fprintf(&text, "%s %d: %v\n", s.Name(), n, d.Program)
		alone, err := Alone(d.Program, b.Seed, parts)
		if len(alone) == 0 && err == nil {
			fmt.Fprintf(&text, "  differs in its batch of %d programs from %d on, seed %d, not alone\n  %v\n", len(b.Programs),
				b.Programs[0].Number(), b.Seed, d)
			continue
		}
		tell(&text, alone, err)
		if small := Smallest(d.Program, b.Seed, parts); small != d.Program {
			fmt.Fprintf(&text, "the smallest part that differs is %s %d: %v\n", s.Name(), small.Number(), small)
			found, err := Alone(small, b.Seed, parts)
			tell(&text, found, err)
		}
	}
	return text.String()
}

func tell(text *strings.Builder, list []*Difference, err error) {
	if err != nil {
		fmt.Fprintf(text, "  %v\n", err)
	}
	for i, d := range list {
		if i == 6 {
			fmt.Fprintf(text, "  and %d others\n", len(list)-i)
			break
		}
		fmt.Fprintf(text, "  %v\n", d)
	}
}
