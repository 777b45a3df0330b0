//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// support is a file of every package with mutants. The environment says which mutants are on. It
// also names a file with a byte for each mutant, in which reached mutants leave a mark. The file is
// mapped, so marks survive however the process ends.
const support = `package %s

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

var mutantsOn, mutantMarks = func() ([]bool, []byte) {
	marks := make([]byte, %d)
	on := make([]bool, len(marks))
	if f, err := os.OpenFile(os.Getenv("GYR_MUTANT_MARKS"), os.O_RDWR, 0); err == nil {
		if m, err := syscall.Mmap(int(f.Fd()), 0, len(marks), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
			marks = m
		}
		f.Close()
	}
	for _, s := range strings.Fields(os.Getenv("GYR_MUTANTS")) {
		n, _ := strconv.Atoi(s)
		on[n] = n > 0
	}
	return on, marks
}()

func mutantOn(n int) bool {
	if mutantMarks[n] == 0 {
		mutantMarks[n] = 1
	}
	return mutantsOn[n]
}

func mutantPick[T any](n int, a, b T) T {
	if mutantOn(n) {
		return b
	}
	return a
}

func mutantDo[T any](n int, a, b func() T) T {
	if mutantOn(n) {
		return b()
	}
	return a()
}

var _, _ = mutantPick[int], mutantDo[int]
`

// withMutants returns the text of a source with mutants in it, each off until its number is named.
// The place of one mutant may lie within that of another.
func withMutants(text []byte, list []*mutant) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var b strings.Builder
	at := 0
	var open []*mutant // mutants around the next text, innermost last
	to := func(end int) {
		for len(open) > 0 && open[len(open)-1].end <= end {
			m := open[len(open)-1]
			open = open[:len(open)-1]
			b.Write(text[at:m.end])
			at = m.end
			b.WriteString(m.after)
		}
		b.Write(text[at:end])
		at = end
	}
	for _, m := range list {
		to(m.start)
		b.WriteString(strings.Replace(m.before, "%d", fmt.Sprint(m.id), 1))
		open = append(open, m)
	}
	to(len(text))
	return b.String()
}

// writeOverlay writes the sources with the drawn mutants, and the file for the go command's
// -overlay that names them.
func writeOverlay(root, dir string, sources []*source, drawn []*mutant) (string, error) {
	replace := map[string]string{}
	put := func(name, text string) error {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(root, name)] = file
		return os.WriteFile(file, []byte(text), 0o666)
	}
	for _, s := range sources {
		of := slices.DeleteFunc(slices.Clone(drawn), func(m *mutant) bool { return m.file != s.name })
		if len(of) > 0 {
			if err := put(s.name, withMutants(s.text, of)); err != nil {
				return "", err
			}
		}
		if err := put(s.dir+"/mutants_on.go", fmt.Sprintf(support, s.pkg, len(drawn)+1)); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}
