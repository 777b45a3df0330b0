package processes

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// ends are what the hostile guests have to end with: words of the output and of the error.
var ends = []struct{ name, out, err string }{
	{"bomb", "end", ""},
	{"chain", "too many processes live", ""},
	{"many", "true", ""},
	{"series", "", "out of gas"},
	{"orphan", "end", ""},
	{"orphans", "end", ""},
	{"eaters", "signal: killed", ""},
	{"both", "", "memory limit"},
	{"files", "signal: killed", ""},
	{"full", "<nil>", "deadlock"},
	{"unread", "broken pipe <nil>", ""},
	{"gone", "exit status", ""},
	{"pipes", "", "out of"},
	{"ignore", "<nil>", ""},
	{"strangers", "", "exit status 143"},
	{"grandchild", "no such process", ""},
	{"waits", "true", ""},
	{"long", "argument list too long", ""},
	{"env", "environment variable contains NUL", ""},
	{"dir", "chdir /nowhere: no such file or directory", ""},
	{"fds", "three descriptors", ""},
	{"paths", "/etc/passwd true", ""},
	{"output", "yyyy", "output"},
	{"panic", "crashed", ""},
	{"sleepers", "end", ""},
	{"deadlock", "goroutine 1", "deadlock"},
	{"deadlocks", "exit status 2", ""},
	{"locks", "signal: killed", ""},
	{"spin", "", "out of gas"},
	{"eat", "", "memory limit"},
}

// TestHostile runs guests that start processes to get more than they have, in both tiers: limits hold,
// and nothing is left.
func TestHostile(t *testing.T) {
	p := compiled(t, "hostile")
	before := runtime.NumGoroutine()
	for _, i := range daily.Numbers(t, len(ends), 10, *all) {
		x := ends[i]
		var first *outcome
		for _, tier := range tiers() {
			o := run(t, p, gyr.Config{Name: "hostile", Args: []string{x.name}, Tier: tier, Gas: 300e6, Memory: 64 << 20, Output: 1 << 20})
			if !strings.Contains(o.out, x.out) || !strings.Contains(o.end, x.err) || x.err == "" && o.end != "" {
				t.Errorf("%s in %s: %q, %.2000s … %s", x.name, tier, o.end, o.out, o.out[max(0, len(o.out)-300):])
			}
			if strings.Contains(o.out, "\nfalse\n") {
				t.Errorf("%s in %s: %.2000s", x.name, tier, o.out)
			}
			if first == nil {
				first = &o
			} else if o != *first {
				t.Errorf("%s in %s: %s %+v\n%.2000s\nbefore: %s %+v\n%.2000s", x.name, tier, o.end, o.stats, o.out, first.end, first.stats, first.out)
			}
		}
	}
	for i := 0; runtime.NumGoroutine() > before && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

// TestEnds ends programs with children from outside: by a context, and by Close.
func TestEnds(t *testing.T) {
	p := compiled(t, "hostile")
	before := runtime.NumGoroutine()
	for _, name := range []string{"bomb", "orphan", "series", "full", "both", "deaf", "pipes"} {
		for _, tier := range tiers() {
			in, err := p.NewInstance(t.Context(), gyr.Config{Name: "hostile", Args: []string{name}, Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			start := time.Now()
			err = in.Run(ctx)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s in %s took %v", name, tier, took)
			}
			if name != "orphan" && name != "full" && name != "bomb" && !errors.As(err, new(*gyr.DeadlineError)) && !errors.As(err, new(*gyr.MemoryLimitError)) {
				t.Errorf("%s in %s: %v", name, tier, err)
			}
			cancel()
			in.Close()
			in, err = p.NewInstance(t.Context(), gyr.Config{Name: "hostile", Args: []string{name}, Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() { done <- in.Run(context.Background()) }()
			time.Sleep(30 * time.Millisecond)
			in.Close()
			<-done
		}
	}
	for i := 0; runtime.NumGoroutine() > before && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

// TestPrograms: Config.Programs takes programs with a main function, under names of files.
func TestPrograms(t *testing.T) {
	p := compiled(t, "hostile")
	for name, x := range map[string]gyr.Executable{"": p, "a/b": p, "..": p, "nil": nil, "none": (*gyr.Program)(nil)} {
		_, err := p.NewInstance(t.Context(), gyr.Config{Programs: map[string]gyr.Executable{name: x}})
		if c := (*gyr.ConfigError)(nil); !errors.As(err, &c) || !strings.HasPrefix(c.Field, "Programs[") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
