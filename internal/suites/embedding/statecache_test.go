package embedding_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
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
		later := compileVersion(t, p, next)
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
	cmd := exec.Command(os.Args[0], "-test.run=^TestStateFromCache$")
	cmd.Env = append(os.Environ(), stateCacheVariable+"="+src.Cache)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "result: "+want+"\n") {
		t.Errorf("another process: %v\n%s\nwant %s", err, out, want)
	}
}
