package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/gas"
)

// TestOutOfGasNamesTheLine stops a program after every unit of its gas. The error names the line
// where that was noticed, however charges are combined. The possible lines are loops and the
// beginnings of functions that make calls; the end of the program has none.
func TestOutOfGasNamesTheLine(t *testing.T) {
	src := strings.TrimPrefix(`
package main

var sink int

func main() {
	x, y := 40, 7
	for i := range 3 {
		x = work(x+i, y)
	}
	sink = x
}

//go:noinline
func work(x, y int) int {
	a := x / y
	b := a * x
	c := mod(b, y)
	if c > 3 {
		return a / 3
	}
	return b / 5 * c
}

//go:noinline
func mod(x, y int) int { return x % y }
`, "\n")
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var reference []int
	for _, nopass := range [][]string{nil, {"phaseb"}} {
		p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: nopass}})
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for limit := int64(1); ; limit++ {
			in, err := p.NewInstance(context.Background(), gyr.Config{Gas: limit})
			if err != nil {
				t.Fatal(err)
			}
			err = in.Run(context.Background())
			used := in.Stats().Gas
			in.Close()
			if err == nil {
				break
			}
			var out *gyr.OutOfGasError
			if !errors.As(err, &out) || used != limit {
				t.Fatalf("limit %d: %v, %d used", limit, err, used)
			}
			lines = append(lines, out.Line)
		}
		if reference == nil {
			reference = lines
		}
		seen := map[int]bool{}
		for i, line := range lines {
			seen[line] = true
			if line != reference[i] {
				t.Fatalf("without %v unit %d is charged on line %d, else %d", nopass, i+1, line, reference[i])
			}
		}
		if !seen[0] || !seen[5] || !seen[8] || !seen[18] || len(seen) != 4 {
			t.Errorf("without %v: %v", nopass, lines)
		}
	}
}

// TestSearchesPayForWhatTheyLookAt splits texts into lines: four times the lines cost four times as
// much, in any tier. A search in pieces misses nothing.
func TestSearchesPayForWhatTheyLookAt(t *testing.T) {
	src := `package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	if n == 0 {
		for size := 0; size < 1200; size += 1 + size/9 {
			b := bytes.Repeat([]byte{'.'}, size+1)
			for at := range b {
				b[at] = 'x'
				for from := 0; from <= at; from += 1 + from/3 {
					for end := at; end <= size+1; end += 1 + (end-at)*2 {
						want := at - from
						if end <= at {
							want = -1
						}
						s := b[from:end]
						if i := bytes.IndexByte(s, 'x'); i != want || strings.IndexByte(string(s), 'x') != want {
							panic(size)
						}
						if i := bytes.IndexByte(s, 'x'); i >= 0 && (len(s[:i]) != want || s[i:][0] != 'x') {
							panic(size)
						}
					}
				}
				b[at] = '.'
			}
		}
		return
	}
	if k := len(strings.Split(strings.Repeat("a line of the text\n", n), "\n")); k != n+1 {
		panic(k)
	}
}
`
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if p.NativeError() == nil {
		tiers = append(tiers, gyr.TierNative)
	}
	var used []int64
	for _, tier := range tiers {
		for _, lines := range []string{"0", "2000", "8000"} {
			in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{lines}, Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Run(context.Background()); err != nil {
				t.Error(err)
			}
			used = append(used, in.Stats().Gas)
			in.Close()
		}
		if less, more := used[1], used[2]; more > 4*less {
			t.Errorf("%d gas for 8000 lines, %d for 2000", more, less)
		}
	}
	if k := len(used) - 3; !slices.Equal(used[k:], used[:3]) {
		t.Errorf("gas %v", used)
	}
}

// TestGasOfTypesMadeAtRunTime: types that package reflect makes are on the heap, and what they
// refer to is found by its address. Their gas does not depend on addresses, although a pass that
// removes allocations changes addresses.
func TestGasOfTypesMadeAtRunTime(t *testing.T) {
	const src = `package main

import "reflect"

func main() {
	for i := range 200 {
		spared := new([3]int) // an allocation that a pass leaves out
		spared[i%3] = i
		typ := reflect.ArrayOf(spared[i%3], reflect.TypeFor[uint8]())
		println(reflect.FuncOf([]reflect.Type{typ}, nil, false).String())
	}
}
`
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var want gyr.Stats
	for _, nopass := range [][]string{nil, {"phasea"}} {
		p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: nopass, NoBase: true}})
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.NewInstance(context.Background(), gyr.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := in.Stats()
		in.Close()
		switch {
		case nopass == nil:
			want = got
		case got.Mallocs <= want.Mallocs:
			t.Errorf("%d allocations without %v, %d with them: the test needs others", got.Mallocs, nopass, want.Mallocs)
		case got.Gas != want.Gas:
			t.Errorf("%d gas without %v, %d with them", got.Gas, nopass, want.Gas)
		}
	}
}

// TestKeysPayForTheirBytes hashes and compares keys of 1 MiB: in maps, for every kind of access and
// length, and with package maphash. A hashed byte costs gas.HashWeight, a compared byte
// gas.MoveWeight.
func TestKeysPayForTheirBytes(t *testing.T) {
	const size, rounds = 1 << 20, 2
	src := `package main

import (
	"hash/maphash"
	"os"
	"reflect"
	"strconv"
	"strings"
)

const size = ` + fmt.Sprint(size) + `

type pair struct{ a, b string }

type named string

func (named) M() {}

type methods interface{ M() }

var (
	sink int
	last = "b" // of keys that are not there
)

// ops are operations of a map with some short keys and a long one.
func ops[K comparable](short int, key func(string) K) map[string]func() {
	m := map[K]int{}
	for i := range short {
		m[key(strconv.Itoa(i))] = i
	}
	long := func(last string) K { return key(strings.Repeat("a", size-1) + last) }
	k, same, none := long("a"), long("a"), long(last)
	m[k] = 1
	r, rsame, rnone := reflect.ValueOf(m), reflect.ValueOf(&same).Elem(), reflect.ValueOf(&none).Elem()
	return map[string]func(){
		"read":           func() { sink += m[same] },
		"found":          func() { _, ok := m[same]; sink += len(strconv.FormatBool(ok)) },
		"missing":        func() { sink += m[none] },
		"write":          func() { m[same] = 2 },
		"add":            func() { m[same]++ },
		"delete":         func() { delete(m, none) },
		"MapIndex":       func() { sink += int(r.MapIndex(rsame).Int()) },
		"MapIndex none":  func() { _ = r.MapIndex(rnone) },
		"SetMapIndex":    func() { r.SetMapIndex(rsame, reflect.ValueOf(3)) },
		"SetMapIndex no": func() { r.SetMapIndex(rnone, reflect.Value{}) },
	}
}

func hashes() map[string]func() {
	seed, s := maphash.MakeSeed(), strings.Repeat("a", size)
	b := []byte(s)
	var h maphash.Hash
	return map[string]func(){
		"String":            func() { sink += int(maphash.String(seed, s)) },
		"Bytes":             func() { sink += int(maphash.Bytes(seed, b)) },
		"Comparable":        func() { sink += int(maphash.Comparable(seed, s)) },
		"Comparable any":    func() { sink += int(maphash.Comparable(seed, any(s))) },
		"Comparable struct": func() { sink += int(maphash.Comparable(seed, pair{"", s})) },
		"Write":             func() { h.Write(b) },
		"WriteString":       func() { h.WriteString(s) },
		"WriteComparable":   func() { maphash.WriteComparable(&h, s) },
	}
}

func main() {
	short, _ := strconv.Atoi(os.Args[2])
	var list map[string]func()
	switch os.Args[1] {
	case "string":
		list = ops(short, func(s string) string { return s })
	case "named":
		list = ops(short, func(s string) named { return named(s) })
	case "any":
		list = ops(short, func(s string) any { return s })
	case "methods":
		list = ops(short, func(s string) methods { return named(s) })
	case "struct":
		list = ops(short, func(s string) pair { return pair{"", s} })
	case "array":
		list = ops(short, func(s string) [2]string { return [2]string{"", s} })
	case "struct in any":
		list = ops(short, func(s string) any { return pair{"", s} })
	case "maphash":
		list = hashes()
	}
	rounds, _ := strconv.Atoi(os.Args[4])
	for range rounds {
		list[os.Args[3]]()
	}
}
`
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	used := func(args ...string) int64 {
		in, err := p.NewInstance(context.Background(), gyr.Config{Args: args})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := in.Run(context.Background()); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return in.Stats().Gas
	}
	hash, move := int64(size*gas.HashWeight>>gas.BulkShift), int64(size*gas.MoveWeight>>gas.BulkShift)
	for _, key := range []string{"string", "named", "any", "methods", "struct", "array", "struct in any"} {
		for _, short := range []string{"2", "20"} { // a map of one group, and one of several
			none := used(key, short, "", "0")
			for op, want := range map[string]int64{
				"read": hash + move, "found": hash + move, "missing": hash, "write": hash + move, "add": hash + move, "delete": hash,
				"MapIndex": hash + move, "MapIndex none": hash, "SetMapIndex": hash + move, "SetMapIndex no": hash,
			} {
				if short == "2" && (key == "string" || key == "named") {
					switch op {
					case "read", "found", "MapIndex":
						want = move // the only key of that length is compared
					case "missing", "MapIndex none":
						want = 0 // the last bytes differ
					}
				}
				if got := (used(key, short, op, fmt.Sprint(rounds)) - none) / rounds; got < want || got > 2*want+2000 {
					t.Errorf("%s of a map of %s with %s others: %d gas, want %d at least", op, key, short, got, want)
				}
			}
		}
	}
	none := used("maphash", "0", "", "0")
	for _, f := range []string{"String", "Bytes", "Comparable", "Comparable any", "Comparable struct", "Write", "WriteString", "WriteComparable"} {
		if got := (used("maphash", "0", f, fmt.Sprint(rounds)) - none) / rounds; got < hash {
			t.Errorf("maphash.%s: %d gas, want %d at least", f, got, hash)
		}
	}
}
