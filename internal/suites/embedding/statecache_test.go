package embedding_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/again"
	"github.com/gyrvm/gyr/state"
)

// stateCacheVariable names the variable that tells another process of TestStateFromCache the cache.
const stateCacheVariable = "GYR_TEST_STATE_CACHE"

// TestStateFromCache: a program with states is the same one whether it is compiled or comes from
// the cache, in this process or another: instances have the same roots, gas and figures, each goes
// on from states of the others, and a later version takes the states of all.
func TestStateFromCache(t *testing.T) {
	src := given{Source: gyr.Source{FS: versionFS(versionOne), Exports: true, Unsafe: gyr.UnsafeAll}, CompileOptions: gyr.CompileOptions{State: true}}
	calls := func(in *gyr.Instance) string {
		do(t, in, "Open", "a")
		do(t, in, "Pay", "a", 5)
		do(t, in, "Keep", 3)
		root, _ := kept(t, in)
		s := in.Stats()
		return fmt.Sprintf("%v %+v %v", root, s.Repeatable(), do(t, in, "Report"))
	}
	if src.Cache = os.Getenv(stateCacheVariable); src.Cache != "" {
		fmt.Printf("result: %s\n", calls(newInstance(t, cached(t, src, gyr.CacheHit), gyr.Config{})))
		return
	}
	plain := cached(t, src, gyr.CacheOff)
	src.Cache = filepath.Join(t.TempDir(), "cache")
	programs := []*gyr.Program{plain, cached(t, src, gyr.CacheMiss), cached(t, src, gyr.CacheHit)}
	want := calls(newInstance(t, plain, gyr.Config{}))
	next := change(t, "func helper() int { return 40 }", "func helper() int { return 41 }")
	after := ""
	for i, p := range programs {
		for _, tier := range tiers() {
			if got := calls(newInstance(t, p, gyr.Config{Tier: tier})); got != want {
				t.Errorf("program %d, %v: %s\nwant %s", i, tier, got, want)
			}
		}
		in := newInstance(t, p, gyr.Config{})
		do(t, in, "Open", "b")
		do(t, in, "KeepHelper")
		root, saved := kept(t, in)
		for j, q := range programs {
			again, err := q.Restore(t.Context(), gyr.Config{}, root, saved)
			if err != nil {
				t.Fatalf("a state of program %d in program %d: %v", i, j, err)
			}
			if r, _ := kept(t, again); r != root {
				t.Errorf("a state of program %d in program %d: root %v, want %v", i, j, r, root)
			}
			again.Close()
		}
		to := src
		to.FS, to.Upgrades = versionFS(next), p
		later := cached(t, to, gyr.CacheOff)
		if note := later.Stats().CacheNote; (note != "") != (src.Cache != "") {
			t.Errorf("the cache does not keep later versions: %q", note)
		}
		up, err := later.Upgrade(t.Context(), gyr.Config{}, root, saved)
		if err != nil {
			t.Fatalf("upgrade of program %d: %v", i, err)
		}
		r, _ := kept(t, up)
		got := fmt.Sprint(r, do(t, up, "Later"), do(t, up, "Report"))
		if up.Close(); i == 0 {
			after = got
		} else if got != after {
			t.Errorf("upgrade of program %d: %s\nwant %s", i, got, after)
		}
	}
	cmd := again.Command(t.Context(), "-test.run=^TestStateFromCache$")
	cmd.Env = append(os.Environ(), stateCacheVariable+"="+src.Cache)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "result: "+want+"\n") {
		t.Errorf("another process: %v\n%s\nwant %s", err, out, want)
	}
}

// TestDamagedState: an entry of a program with states that is not what was written, in whatever
// way, is made again. The program is the same one, and its instances have the same roots.
func TestDamagedState(t *testing.T) {
	src := given{Source: gyr.Source{FS: versionFS("package lib\n\nvar list []string\n\nfunc Add(s string) int { list = append(list, s); return len(list) }\n"), Exports: true},
		CompileOptions: gyr.CompileOptions{State: true, Cache: filepath.Join(t.TempDir(), "cache")}}
	root := func(p *gyr.Program) state.Hash {
		in := newInstance(t, p, gyr.Config{})
		defer in.Close()
		do(t, in, "Add", "a")
		root, _ := kept(t, in)
		return root
	}
	// added compiles and returns the entries that this writes.
	known := map[string]bool{}
	added := func(src given) (p *gyr.Program, names []string) {
		p = cached(t, src, gyr.CacheMiss)
		list, err := filepath.Glob(filepath.Join(src.Cache, "*.entry"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
		return p, names
	}
	plain, other := src, src
	plain.State = false
	plain.Patterns = []string{"lib.go"}
	added(plain) // and the standard library
	p, mine := added(src)
	want := root(p)
	plain.Patterns = nil
	_, others := added(plain)
	other.FS = versionFS("package lib\n\nvar list []string\n\nfunc Add(s string) int { list = append(list, s, s); return len(list) }\n")
	other.Tags = []string{"other"}
	p, more := added(other)
	if root(p) == want {
		t.Fatal("two programs have one root")
	}
	if others = append(others, more...); len(mine) != 1 || len(others) < 2 {
		t.Fatalf("entries of the program: %q, of others: %q", mine, others)
	}
	good, err := os.ReadFile(mine[0])
	if err != nil {
		t.Fatal(err)
	}
	var wrong [][]byte
	for _, name := range others {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		wrong = append(wrong, b)
	}
	for n := range 4 {
		wrong = append(wrong, good[:n*len(good)/4], good[:len(good)-1-n])
	}
	wrong = append(wrong, append(bytes.Clone(good), 0), bytes.Repeat([]byte{0}, len(good)))
	for n := range 12 {
		b := bytes.Clone(good)
		b[n*len(b)/12+n] ^= 1 << (n % 8)
		wrong = append(wrong, b)
	}
	for i, b := range wrong {
		if err := os.WriteFile(mine[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := root(cached(t, src, gyr.CacheMiss)); got != want {
			t.Errorf("damage %d: root %v, want %v", i, got, want)
		}
	}
	if got := root(cached(t, src, gyr.CacheHit)); got != want {
		t.Errorf("from the cache: root %v, want %v", got, want)
	}
}
