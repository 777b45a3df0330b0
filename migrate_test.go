package gyr_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/front/load"
)

const exportingItems = `package lib

import "errors"

type Item struct {
	Name string
	N    int
}

var items = map[string]int{}

func Add(name string, n int) { items[name] += n }

func Export() ([]Item, int, error) {
	var list []Item
	sum := 0
	for name, n := range items {
		list = append(list, Item{name, n})
		sum += n
	}
	items = nil
	if sum < 0 {
		return nil, 0, errors.New("debts")
	}
	return list, sum, nil
}

func Spin() ([]Item, int) {
	for {
	}
}

func Odd() int { return 1 }

func Len() int { return len(items) }
`

const importingItems = `package lib

import (
	"errors"
	"fmt"
)

type item struct{ n, more int64 }

var items = map[string]item{}

type Item struct {
	Name string
	N    int
}

func Import(list []Item, sum int) error {
	for _, x := range list {
		items[x.Name] = item{int64(x.N), 1}
		sum -= x.N
	}
	if sum != 0 {
		return errors.New("some are missing")
	}
	return nil
}

func Refuse(list []Item, sum int) error {
	Import(list, sum)
	return fmt.Errorf("no room for %d", len(list))
}

func Panic(list []Item, sum int) { Import(list, sum); panic("no") }

func Len() int { return len(items) }
`

// TestMigrate: data goes from one program to another as a whole or not at all, and the instances that it comes from stay what they were.
func TestMigrate(t *testing.T) {
	ctx := t.Context()
	one, two := compileVersion(t, nil, exportingItems), compileVersion(t, nil, importingItems)
	var roots []string
	for _, tier := range tiers() {
		from, to := newInstance(t, one, gyr.Config{Tier: tier, Seed: 1}), newInstance(t, two, gyr.Config{Tier: tier, Seed: 1})
		do(t, from, "Add", "a", 1)
		do(t, from, "Add", "b", 2)
		oldRoot, _ := kept(t, from)
		empty, _ := kept(t, to)
		for _, c := range []struct {
			m    gyr.Migration
			in   string // which function fails
			kind any
		}{
			{gyr.Migration{Export: "Spin", Import: "Import", Gas: 10_000}, "Spin", new(*gyr.OutOfGasError)},
			{gyr.Migration{Export: "Nothing", Import: "Import"}, "Nothing", new(*gyr.CallError)},
			{gyr.Migration{Export: "Export", Import: "Nothing"}, "Nothing", new(*gyr.CallError)},
			{gyr.Migration{Export: "Odd", Import: "Import"}, "Import", new(*gyr.CallError)},
			{gyr.Migration{Export: "Export", Import: "Refuse"}, "Refuse", new(*gyr.GuestError)},
			{gyr.Migration{Export: "Export", Import: "Panic"}, "Panic", new(*gyr.PanicError)},
			{gyr.Migration{Export: "Export", Import: "Import", Gas: 1}, "Export", new(*gyr.OutOfGasError)},
		} {
			_, err := gyr.Migrate(ctx, from, to, c.m)
			var wrong *gyr.MigrateError
			if !errors.As(err, &wrong) || wrong.Func != c.in || !errors.As(err, c.kind) {
				t.Errorf("%s: %+v: %v", tier, c.m, err)
			}
			if root, _ := kept(t, to); root != empty {
				t.Errorf("%s: %+v has changed the new instance", tier, c.m)
			}
		}
		gas, err := gyr.Migrate(ctx, from, to, gyr.Migration{Export: "Export", Import: "Import", Gas: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		if gas <= 0 {
			t.Errorf("%s: %d gas", tier, gas)
		}
		// All but the last unit of it, and the import runs out.
		again := newInstance(t, two, gyr.Config{Tier: tier, Seed: 1})
		if n, err := gyr.Migrate(ctx, from, again, gyr.Migration{Export: "Export", Import: "Import", Gas: gas - 1}); !errors.As(err, new(*gyr.OutOfGasError)) || n != gas-1 {
			t.Errorf("%s: with a unit less: %d gas, %v", tier, n, err)
		}
		if n, err := gyr.Migrate(ctx, from, again, gyr.Migration{Export: "Export", Import: "Import", Gas: gas}); n != gas || err != nil {
			t.Errorf("%s: with just enough: %d gas, %v", tier, n, err)
		}
		if got := do(t, to, "Len"); got[0] != 2 {
			t.Errorf("%s: %v items", tier, got)
		}
		if root, _ := kept(t, from); root != oldRoot {
			t.Errorf("%s: the old instance is another", tier)
		}
		root, _ := kept(t, again)
		roots = append(roots, root.String())
	}
	for _, r := range roots {
		if r != roots[0] {
			t.Errorf("roots differ: %v", roots)
		}
	}
}

// TestMigrateReleases: data goes from a program with the standard library of one release to one with that of another, in both directions.
func TestMigrateReleases(t *testing.T) {
	list := load.Installations()
	if len(list) < 2 {
		t.Skipf("one release of Go: %v", list)
	}
	for was, from := range list {
		for is, to := range list {
			if was == is {
				continue
			}
			compile := func(goroot, text string) *gyr.Program {
				t.Helper()
				p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(text)}}, Patterns: []string{"lib.go"}, Exports: true, State: true, GOROOT: goroot})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			one, two := compile(from, exportingItems), compile(to, importingItems)
			for _, tier := range tiers() {
				old, next := newInstance(t, one, gyr.Config{Tier: tier}), newInstance(t, two, gyr.Config{Tier: tier})
				do(t, old, "Add", "a", 1)
				do(t, old, "Add", "b", 2)
				if _, err := gyr.Migrate(t.Context(), old, next, gyr.Migration{Export: "Export", Import: "Import", Gas: 100_000}); err != nil {
					t.Fatalf("%s: %s to %s: %v", tier, was, is, err)
				}
				if got := do(t, next, "Len"); got[0] != 2 {
					t.Errorf("%s: %s to %s: %v items", tier, was, is, got)
				}
			}
		}
	}
}
