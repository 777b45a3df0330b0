package order

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var (
	cases = flag.Int("cases", 320, "expressions to compare")
	seed  = daily.Seed("seed", "seed of the expressions")
	first = flag.Int("first", 0, "number of the first expression")
	batch = flag.Int("batch", 400, "expressions in a program")
	table = flag.Bool("table", false, "print how many expressions of each kind were compared, and where gc's builds differ")
	keep  = flag.String("keep", "", "directory for the programs")
)

// TestOrder compares expressions with both builds of native Go, in both tiers.
func TestOrder(t *testing.T) {
	daily.Drawn(t, "seed")
	count := counts{}
	equal, free := 0, 0
	for at := *first; at < *first+*cases; at += *batch {
		var list []*Case
		for n := at; n < min(at+*batch, *first+*cases); n++ {
			list = append(list, Generate(*seed, n))
		}
		dir := t.TempDir()
		if *keep != "" {
			dir = filepath.Join(*keep, fmt.Sprint(at))
		}
		write(t, dir, Source(list))
		plain, optimised := native(t, dir, "-N -l"), native(t, dir, "")
		got := map[gyr.Tier][]string{}
		for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
			got[tier] = ours(t, dir, tier)
		}
		for i, c := range list {
			differ := plain[i] != optimised[i]
			if differ {
				free++
			} else {
				equal++
			}
			count.add(c, differ)
			for tier, lines := range got {
				if !differ && lines[i] != plain[i] {
					t.Errorf("%s, variables %s: %q (go test -run TestOrder -seed=%d -first=%d -cases=1)\n%v:\n%s\nGo:\n%s\n%s", c.Statement, c.Variables, c.Operands, *seed,
						at+i, tier, lines[i], plain[i], c.Text())
				}
			}
			if a, b := got[gyr.TierInterp][i], got[gyr.TierNative][i]; a != b {
				t.Errorf("the tiers differ\n%s\n%s", a, b)
			}
		}
	}
	t.Logf("%d expressions are compared; in %d others the two builds of gc differ", equal, free)
	if *table {
		count.print(t)
	}
}

// native builds a program with the go command and runs it.
func native(t *testing.T, dir, flags string) []string {
	bin := filepath.Join(dir, "native.bin")
	cmd := exec.Command("go", "build", "-gcflags="+strings.TrimSpace(flags+" -dwarf=false"), "-ldflags=-w", "-o", bin, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1", "GODEBUG=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatalf("native: %v\n%s", err, out)
	}
	return lines(out)
}

// ours compiles and runs a program in a tier.
func ours(t *testing.T, dir string, tier gyr.Tier) []string {
	p, err := gyr.Compile(context.Background(), gyr.Source{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tier == gyr.TierNative && p.NativeError() != nil {
		tier = gyr.TierInterp // this machine does not have the tier, as other tests report
	}
	var out bytes.Buffer
	in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Gas: 20e9, Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(context.Background()); err != nil {
		t.Fatalf("%v: %v\n%s", tier, err, out.Bytes())
	}
	return lines(out.Bytes())
}

func lines(out []byte) []string { return strings.Split(strings.TrimSpace(string(out)), "\n") }

func write(t *testing.T, dir, source string) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module order\n\ngo 1.%d\n", release.Of(runtime.Version()).Minor)
	for name, text := range map[string]string{"go.mod": mod, "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A row counts expressions of a kind.
type row struct{ equal, differ int }

type counts map[string]*row

func (m counts) add(c *Case, differ bool) {
	kinds := []string{"statement: " + c.Statement, "variables: " + c.Variables}
	for _, o := range c.Operands {
		kinds = append(kinds, "operand: "+o)
	}
	slices.Sort(kinds)
	for _, k := range slices.Compact(kinds) {
		if m[k] == nil {
			m[k] = &row{}
		}
		if differ {
			m[k].differ++
		} else {
			m[k].equal++
		}
	}
}

func (m counts) print(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kind | compared | gc's builds differ |\n|---|---|---|\n")
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", k, m[k].equal, m[k].differ)
	}
	t.Logf("\n%s", &b)
}

// TestGenerate: a number gives the same expression every time, all kinds occur, and each expression
// has a call.
func TestGenerate(t *testing.T) {
	seen := map[string]bool{}
	for n := range 4000 {
		c := Generate(1, n)
		if c.decl != Generate(1, n).decl {
			t.Fatalf("%d gives two expressions", n)
		}
		seen["statement "+c.Statement], seen["variables "+c.Variables] = true, true
		for _, o := range c.Operands {
			seen["operand "+o] = true
		}
	}
	for what, list := range map[string][]shape{"statement ": statements, "operand ": operands} {
		for _, s := range list {
			if !seen[what+s.name] {
				t.Errorf("no %s%s", what, s.name)
			}
		}
	}
}
