package instances

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gyrvm/gyr"
)

var (
	instances = flag.Int("instances", 300, "instances that live at a time in TestMany")
	cycles    = flag.Int("cycles", 300, "instances that TestChurn makes and closes")
	resets    = flag.Int("resets", 2000, "resets of TestChurn")
)

// A footprint is the process's use of system resources.
type footprint struct {
	mappings, descriptors, goroutines int
	resident, tables, shared, address int // KiB; resident with page tables and with pages that all instances share
}

func look(t testing.TB) (f footprint) {
	t.Helper()
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	kib := func(name string) int {
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, name+":"); ok {
				n, _ := strconv.Atoi(strings.Fields(rest)[0])
				return n
			}
		}
		return 0
	}
	f = footprint{mappings: bytes.Count(maps, []byte("\n")), descriptors: len(fds), goroutines: runtime.NumGoroutine(),
		tables: kib("VmPTE"), address: kib("VmSize"), shared: kib("RssShmem")}
	f.resident = kib("VmRSS") + f.tables
	return f
}

// TestMany holds many instances at a time, calls each twice in random order, and measures the cost
// of one: three mappings and no descriptor, 4.5 GiB of addresses, and 150 KiB of memory. The memory
// includes page tables and the pages of the snapshot, which the system counts as resident in each
// mapping.
func TestMany(t *testing.T) {
	p := compile(t, library)
	for _, tier := range tiers {
		t.Run(string(tier), func(t *testing.T) {
			n := *instances
			cfg := gyr.Config{Tier: tier}
			for range 3 { // allocates what the program keeps
				in := start(t, p, cfg)
				in.Call(context.Background(), "Nothing")
				in.Close()
			}
			before := look(t)
			list := make([]*gyr.Instance, n)
			for i := range list {
				list[i] = start(t, p, cfg)
			}
			rnd := rand.New(rand.NewPCG(1, 2))
			for range 2 {
				for _, i := range rnd.Perm(n) {
					if _, err := list[i].Call(context.Background(), "Nothing"); err != nil {
						t.Fatal(err)
					}
				}
			}
			f := look(t)
			each := func(a, b int) float64 { return float64(b-a) / float64(n) }
			mappings, address, resident := each(before.mappings, f.mappings), each(before.address, f.address)/(1<<20), each(before.resident, f.resident)
			t.Logf("%d instances, each: %.2f mappings, %.3f GiB of addresses, %.1f KiB resident, of which %.1f of page tables and %.1f of pages that all share; %d descriptors",
				n, mappings, address, resident, each(before.tables, f.tables), each(before.shared, f.shared), f.descriptors-before.descriptors)
			// The number of Go's own mappings varies.
			if slack := 20 / float64(n); mappings > 3+slack && guardPages() {
				t.Errorf("%.2f mappings an instance", mappings)
			}
			if address > 4.5 {
				t.Errorf("%.3f GiB of address space an instance", address)
			}
			if resident > 150 && !raceEnabled {
				t.Errorf("%.1f KiB resident an instance", resident)
			}
			if f.descriptors > before.descriptors {
				t.Errorf("%d descriptors for %d instances", f.descriptors-before.descriptors, n)
			}
			for _, in := range list {
				if err := in.Close(); err != nil {
					t.Error(err)
				}
			}
			clear(list)
			after := look(t)
			if after.mappings > before.mappings+20 || after.goroutines > before.goroutines {
				t.Errorf("behind them: %+v, before: %+v", after, before)
			}
		})
	}
}

// guardPages reports whether the system can make pages inaccessible without a mapping of their own,
// as Linux 6.15 can.
func guardPages() bool {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	var major, minor int
	if _, scan := fmt.Sscanf(string(b), "%d.%d", &major, &minor); err != nil || scan != nil {
		return false
	}
	return major > 6 || major == 6 && minor >= 15
}

// TestChurn resets an instance, and makes and closes others, many times: the process's use of
// resources does not grow.
func TestChurn(t *testing.T) {
	p := compile(t, library)
	ctx := context.Background()
	for _, tier := range tiers {
		cfg := gyr.Config{Tier: tier}
		body := []byte(request)
		flat := func(t *testing.T, n int, do func()) {
			for range min(n/4+1, 1000) {
				do()
			}
			before := look(t)
			for range n {
				do()
			}
			after := look(t)
			t.Logf("%d times: before %+v, after %+v", n, before, after)
			if after.mappings > before.mappings+20 || after.goroutines > before.goroutines || after.descriptors > before.descriptors ||
				after.resident > before.resident+16<<10 || after.address > before.address+256<<10 {
				t.Error("something has grown")
			}
		}
		t.Run(string(tier)+"/reset", func(t *testing.T) {
			in := start(t, p, cfg)
			defer in.Close()
			flat(t, *resets, func() {
				if err := in.Reset(cfg); err != nil {
					t.Fatal(err)
				}
				if _, err := in.Call(ctx, "Handle", body); err != nil {
					t.Fatal(err)
				}
			})
		})
		t.Run(string(tier)+"/new", func(t *testing.T) {
			flat(t, *cycles, func() {
				in := start(t, p, cfg)
				if _, err := in.Call(ctx, "Nothing"); err != nil {
					t.Fatal(err)
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkParallel lets 16 goroutines on two processors handle requests with 200 instances, in
// turns, and compares with the same handler in native Go on as many goroutines: without a reset,
// with one before each request, and with one in a program with a warm-up call. Instances that are not
// reset have collected garbage before the measurement, as after a while in a service. The ways take
// turns, some milliseconds each. Figures are medians: processor time of a request, user and system
// of the process, page faults of a request, and native Go's processor time relative to the way's of
// the same round.
func BenchmarkParallel(b *testing.B) {
	const workers, live, batch = 16, 200, 2000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	ctx := context.Background()
	cfg := gyr.Config{Tier: gyr.TierNative}
	type body struct{ Body []byte }
	type server struct {
		in     *gyr.Instance
		handle *gyr.Func[body, body]
	}
	servers := func(b *testing.B, p *gyr.Program, text []byte, reset bool) chan server {
		idle := make(chan server, live)
		for range live {
			in := start(b, p, cfg)
			b.Cleanup(func() { in.Close() })
			h, err := gyr.FuncOf[body, body](ctx, in, "Handle")
			if err != nil {
				b.Fatal(err)
			}
			for n := 0; n < 2 || !reset && in.Stats().Collections == 0; n++ {
				if _, err := h.Call(ctx, body{text}); err != nil {
					b.Fatal(err)
				}
			}
			idle <- server{in, h}
		}
		return idle
	}
	p, warmed := compile(b, library), compile(b, library+prepare, "Prepare")
	for _, items := range []int{3, 40} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			var list []string
			for i := range items {
				list = append(list, fmt.Sprintf(`{"name":"item %d","count":%d,"price":%d.25}`, i, i%7, i*3))
			}
			text := []byte(`{"user":"ada","items":[` + strings.Join(list, ",") + `],"tags":{"shop":"north","till":"4"}}`)
			with := func(p *gyr.Program, reset bool) func() {
				idle := servers(b, p, text, reset)
				return func() {
					s := <-idle
					if reset {
						if err := s.in.Reset(cfg); err != nil {
							b.Error(err)
						}
					}
					if _, err := s.handle.Call(ctx, body{text}); err != nil {
						b.Error(err)
					}
					idle <- s
				}
			}
			type way struct {
				name         string
				do           func()
				cpu          figures
				part, faults []float64
			}
			ways := []*way{
				{name: "go", do: func() { handle(text) }},
				{name: "call", do: with(p, false)},
				{name: "reset", do: with(p, true)},
				{name: "reset-warmed", do: with(warmed, true)},
			}
			for b.Loop() {
				var native time.Duration
				for i, w := range ways {
					var wg sync.WaitGroup
					cpu, faults := cpuTime(), pageFaults()
					for range workers {
						wg.Go(func() {
							for range batch / workers {
								w.do()
							}
						})
					}
					wg.Wait()
					took := cpuTime() - cpu
					if i == 0 {
						native = took
					}
					w.cpu = append(w.cpu, took/batch)
					w.part = append(w.part, float64(native)/float64(took))
					w.faults = append(w.faults, float64(pageFaults()-faults)/batch)
				}
			}
			for i, w := range ways {
				w.cpu.report(b, w.name)
				if i > 0 {
					b.ReportMetric(middle(w.part), w.name+"-of-go")
					b.ReportMetric(middle(w.faults), w.name+"-faults")
				}
			}
		})
	}
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// pageFaults is how many page faults of this process needed no input.
func pageFaults() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Minflt
}

// TestLimits: if the system has no more of a resource for instances, the error names it and says
// what helps. The test reaches the limit in a process of its own.
func TestLimits(t *testing.T) {
	const env = "GYR_TEST_LIMIT"
	if os.Getenv(env) != "" {
		p := compile(t, library)
		var list []*gyr.Instance
		for range 200_000 {
			in, err := p.NewInstance(context.Background(), gyr.Config{Tier: gyr.TierInterp})
			if err != nil {
				fmt.Println("refused:", err)
				break
			}
			list = append(list, in)
		}
		fmt.Println(len(list), "instances")
		for _, in := range list {
			in.Close()
		}
		in, err := p.NewInstance(context.Background(), gyr.Config{})
		if err != nil {
			t.Fatal("behind them: ", err)
		}
		in.Close()
		return
	}
	run := func(limit string) string {
		c := exec.Command("sh", "-c", limit+`exec "$0" -test.run '^TestLimits$' -test.v`, os.Args[0])
		c.Env = append(os.Environ(), env+"=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%.2000s", err, out)
		}
		return string(out)
	}
	if out := run("ulimit -v 80000000; "); !strings.Contains(out, "RLIMIT_AS") || !strings.Contains(out, "ulimit -v") {
		t.Errorf("under a limit of address space:\n%s", out)
	}
	if testing.Short() {
		return
	}
	out := run("")
	t.Logf("%s", out)
	if !strings.Contains(out, "vm.max_map_count") && !strings.Contains(out, "address space of the process is full") {
		t.Errorf("without a limit of its own:\n%s", out)
	}
}
