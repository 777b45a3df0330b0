package embedding_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/installed"
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

// TestMigrate: data moves from one program to another as a whole or not at all, and the source
// instances stay as they were.
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
			in   string // the function that fails
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
		// The import runs out of gas at its last unit.
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

// TestMigrateRelease: the state of one release of Go cannot be restored in another, and the error
// names both. A migration moves the data, with the same outcome for all pairs of installations of
// these releases.
func TestMigrateRelease(t *testing.T) {
	ctx := t.Context()
	goroots := installed.Releases(t)
	compile := func(release, src string, before *gyr.Program) (*gyr.Program, error) {
		return gyr.Compile(ctx, gyr.Source{FS: versionFS(src), Exports: true},
			&gyr.CompileOptions{State: true, Upgrades: before, GOROOT: goroots[release]})
	}
	const from, to = "go1.26", "go1.27"
	old, err := compile(from, exportingItems, nil)
	if err != nil {
		t.Fatal(err)
	}
	var roots []string
	for _, tier := range tiers() {
		cfg := gyr.Config{Tier: tier, Seed: 1}
		one := newInstance(t, old, cfg)
		do(t, one, "Add", "a", 1)
		do(t, one, "Add", "b", 2)
		root, saved := kept(t, one)

		same, err := compile(to, exportingItems, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = same.Restore(ctx, cfg, root, saved)
		namesReleases(t, "Restore", err, from, to)
		later, err := compile(to, exportingItems, old)
		if err == nil {
			_, err = later.Upgrade(ctx, cfg, root, saved)
		}
		namesReleases(t, "Upgrade", err, from, to)

		new, err := compile(to, importingItems, nil)
		if err != nil {
			t.Fatal(err)
		}
		two := newInstance(t, new, cfg)
		if _, err := gyr.Migrate(ctx, one, two, gyr.Migration{Export: "Export", Import: "Import"}); err != nil {
			t.Fatal(err)
		}
		if got := do(t, two, "Len"); got[0] != 2 {
			t.Errorf("%s: %v items", tier, got)
		}
		if again, _ := kept(t, one); again != root {
			t.Errorf("%s: the old instance is another", tier)
		}
		migrated, _ := kept(t, two)
		roots = append(roots, migrated.String())
	}
	for _, r := range roots {
		if r != roots[0] {
			t.Errorf("roots differ: %v", roots)
		}
	}
}

// namesReleases checks that an error says that a state belongs to another release, and names the
// releases.
func namesReleases(t *testing.T, what string, err error, releases ...string) {
	t.Helper()
	for _, r := range releases {
		if err == nil || !strings.Contains(err.Error(), r) {
			t.Errorf("%s: %v, which does not name %s", what, err, r)
		}
	}
}
