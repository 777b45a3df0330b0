package gas_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/docpart"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var update = flag.Bool("update", false, "write testdata/versions and the tables of docs/gas.md")

// A record is the content of testdata/versions: prices and operations, and the versions that they
// belong to.
type record struct {
	gas, determinism int
	operations       string // a hash of the table
	prices           map[string]string
}

const versionsFormat = "gas %d\ndeterminism %d\noperations %s\n"

func (r *record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, versionsFormat, r.gas, r.determinism, r.operations)
	for _, name := range slices.Sorted(maps.Keys(r.prices)) {
		fmt.Fprintf(&b, "%s: %s\n", name, r.prices[name])
	}
	return b.String()
}

func readRecord(text string) (*record, error) {
	r := &record{prices: map[string]string{}}
	if _, err := fmt.Sscanf(text, versionsFormat, &r.gas, &r.determinism, &r.operations); err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n")[3:] {
		i := strings.LastIndex(line, ": ")
		if i < 0 {
			return nil, fmt.Errorf("no price in %q", line)
		}
		r.prices[line[:i]] = line[i+2:]
	}
	return r, nil
}

// complain lists the versions to raise because prices have changed. A new price raises none.
func (r *record) complain(now *record) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(r.prices)) {
		was, is := r.prices[name], now.prices[name]
		if is == was {
			continue
		}
		if now.gas <= r.gas {
			list = append(list, fmt.Sprintf("%s was %q and is %q: raise Version in internal/gas/table.go", name, was, is))
		}
		if now.determinism <= r.determinism {
			list = append(list, fmt.Sprintf("%s was %q and is %q: the DeterminismVersion of internal/engine/engine.go is no larger with it", name, was, is))
		}
	}
	return list
}

// TestVersions: a change of a price raises gas.Version, and gyr.DeterminismVersion with it. A
// change of the table of operations raises only the latter, and only if programs are lowered
// differently, or if a pass of phase A works differently. The author has to say so.
func TestVersions(t *testing.T) {
	const file = "testdata/versions"
	var ops strings.Builder
	for op := range ir.NumOps {
		info := *op.Info()
		info.Doc = ""
		fmt.Fprintln(&ops, info)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(ops.String())))[:16]
	now := &record{gas.Version, gyr.DeterminismVersion, hash, gas.PriceList()}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, err := readRecord(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if list := was.complain(now); list != nil {
		t.Fatal(strings.Join(list, "\n"))
	}
	switch {
	case now.String() == string(text):
	case *update:
		if err := os.WriteFile(file, []byte(now.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	case now.operations != was.operations:
		t.Error("the table of operations has changed: raise DeterminismVersion in internal/engine/engine.go if a program may get " +
			"another output, other gas or other heap figures by it, then go generate ./internal/gas")
	default:
		t.Error(file + " is of other versions or lacks a price: go generate ./internal/gas")
	}
}

// TestVersionsAreRaised: the test above asks for both versions when a price changes or disappears,
// and only then.
func TestVersionsAreRaised(t *testing.T) {
	old, dearer := map[string]string{"add": "4", "sub": "4"}, map[string]string{"add": "5", "sub": "4"}
	fewer, more := map[string]string{"add": "4"}, map[string]string{"add": "4", "sub": "4", "mul": "8"}
	was := &record{3, 7, "a", old}
	for _, c := range []struct {
		now  record
		want int
	}{
		{*was, 0},
		{record{3, 7, "a", dearer}, 2},
		{record{4, 7, "a", dearer}, 1},
		{record{3, 8, "a", dearer}, 1},
		{record{4, 8, "a", dearer}, 0},
		{record{3, 7, "a", fewer}, 2},
		{record{3, 7, "b", more}, 0},
		{record{3, 8, "a", old}, 0},
	} {
		if got := was.complain(&c.now); len(got) != c.want {
			t.Errorf("%+v: %q", c.now, got)
		}
	}
}

// TestDocs: the tables of prices in docs/gas.md are those of the package.
func TestDocs(t *testing.T) {
	docpart.Check(t, "../../docs/gas.md", "prices", "./internal/gas", gas.PriceTables()+"\n", *update)
}
