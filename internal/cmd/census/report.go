package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report prints what a record says: how many packages compile and how many tests pass, of those that do with go, and the
// others with what they print.
func report(w io.Writer, file string) error {
	results, err := readRecord(file)
	if err != nil {
		return err
	}
	slices.SortFunc(results, func(a, b result) int { return cmp.Compare(a.Module, b.Module) })
	var modules, unmeasured, packages, refused, compiled, passGo, passGyr, skipped int
	reasons := map[string]int{}
	for _, r := range results {
		modules++
		if r.Error != "" {
			unmeasured++
			fmt.Fprintf(w, "not measured\t%s\t%s\n", r.Module, oneLine(r.Error))
		}
		for _, p := range r.Packages {
			if p.Vet != "" {
				refused++
				continue
			}
			packages++
			if p.Build == "" {
				compiled++
			} else {
				reasons[oneLine(p.Build)]++
				fmt.Fprintf(w, "does not compile\t%s\t%s\n", p.Path, oneLine(p.Build))
			}
			for _, name := range sortedKeys(p.Go) {
				if p.Go[name] != "pass" || p.Build != "" {
					continue
				}
				passGo++
				switch p.Gyr[name] {
				case "pass":
					passGyr++
				case "skip":
					skipped++
					passGyr++
				default:
					fmt.Fprintf(w, "lost\t%s\t%s\t%s\n", p.Path, name, oneLine(p.Lost[name]))
				}
			}
		}
	}
	fmt.Fprintf(w, "modules %d, of which %d were not measured\n", modules, unmeasured)
	fmt.Fprintf(w, "packages with tests that go vet accepts for wasip1: %d (%d refused); compile: %d, %.2f %%\n", packages, refused,
		compiled, percent(compiled, packages))
	fmt.Fprintf(w, "tests of these that pass with go: %d; with gyr: %d, %.2f %% (%d skip themselves here)\n", passGo, passGyr,
		percent(passGyr, passGo), skipped)
	return nil
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

func sortedKeys(m tests) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// oneLine is a text for a cell of a table.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}
