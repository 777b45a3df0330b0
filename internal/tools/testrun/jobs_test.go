package testrun

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/tools/process"
)

var (
	jobsCold = flag.Bool("jobs.cold", false, "BenchmarkJobs: compile everything in each run")
	jobsList = flag.String("jobs.list", strings.Join(jobsPackages, ","), "BenchmarkJobs: test these packages, `a,b,…`")
)

// jobsPackages are packages that each take at most a fifth of the total time.
var jobsPackages = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "encoding/base64", "encoding/binary", "encoding/csv",
	"encoding/hex", "encoding/json", "errors", "fmt", "hash/crc32", "html", "io", "math", "math/bits", "math/cmplx", "net/url", "path", "regexp/syntax",
	"slices", "sort", "strconv", "strings", "text/scanner", "text/tabwriter", "text/template", "text/template/parse", "unicode/utf8",
}

// A jobsRun is what one run of gyr test used.
type jobsRun struct {
	process.Usage
	gc time.Duration
}

// BenchmarkJobs runs gyr test over a list of packages, with 1, 2 and 8 at a time, and as two
// processes with one half each. It reports wall time, processor time, memory, and the share of the
// host's garbage collector.
func BenchmarkJobs(b *testing.B) {
	dir := b.TempDir()
	gyr := filepath.Join(dir, "gyr")
	if out, err := exec.Command("go", "build", "-o", gyr, "github.com/gyrvm/gyr/cmd/gyr").CombinedOutput(); err != nil {
		b.Skipf("go build: %v\n%s", err, out)
	}
	list := strings.Split(*jobsList, ",")
	cache := filepath.Join(dir, "cache")
	if *jobsCold {
		cache = "off"
	}
	run := func(jobs int, list []string) (jobsRun, error) {
		cmd := exec.Command(gyr, append([]string{"test", "-short", "-count=1", "-stats=json", "-cache=" + cache, fmt.Sprint("-jobs=", jobs)}, list...)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		u, err := process.Command(cmd)
		var stats struct {
			GC int64 `json:"gc_cpu_ns"`
		}
		if err != nil {
			return jobsRun{}, fmt.Errorf("%w\n%s%s", err, &out, &errs)
		}
		err = json.Unmarshal(bytes.TrimSpace(errs.Bytes()), &stats)
		return jobsRun{u, time.Duration(stats.GC)}, err
	}
	// This run warms up the cache or at least the operating system, and reports the guests' heaps.
	out, err := exec.Command(gyr, append([]string{"test", "-short", "-count=1", "-gasreport=json", "-cache=" + cache}, list...)...).Output()
	if err != nil {
		b.Fatal(err)
	}
	var report Report
	if err := json.Unmarshal(out, &report); err != nil {
		b.Fatal(err)
	}
	var heaps []float64 // in MiB
	for _, p := range report.Packages {
		heaps = append(heaps, float64(p.Peak)/(1<<20))
	}
	halves := func() (jobsRun, error) {
		var wg sync.WaitGroup
		var half [2][]string
		for i, p := range list {
			half[i%2] = append(half[i%2], p)
		}
		var runs [2]jobsRun
		var errs [2]error
		for i := range half {
			wg.Go(func() { runs[i], errs[i] = run(1, half[i]) })
		}
		wg.Wait()
		sum := jobsRun{gc: runs[0].gc + runs[1].gc}
		sum.Wall, sum.CPU, sum.Peak = max(runs[0].Wall, runs[1].Wall), runs[0].CPU+runs[1].CPU, runs[0].Peak+runs[1].Peak
		for _, err := range errs {
			if err != nil {
				return sum, err
			}
		}
		return sum, nil
	}
	rows := []struct {
		name string
		run  func() (jobsRun, error)
		all  [4][]float64 // wall, CPU, GC in seconds, peak in MiB
	}{
		{name: "-jobs=1", run: func() (jobsRun, error) { return run(1, list) }},
		{name: "-jobs=2", run: func() (jobsRun, error) { return run(2, list) }},
		{name: "-jobs=8", run: func() (jobsRun, error) { return run(8, list) }},
		{name: "halves", run: halves},
	}
	for b.Loop() {
		for i := range rows { // in turns: the machine's speed changes over time
			r, err := rows[i].run()
			if err != nil {
				b.Fatal(err)
			}
			for k, x := range []float64{r.Wall.Seconds(), r.CPU.Seconds(), r.gc.Seconds(), float64(r.Peak) / (1 << 20)} {
				rows[i].all[k] = append(rows[i].all[k], x)
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d packages, %d rounds, medians\n%-8s %8s %8s %8s %10s\n", len(list), b.N, "", "wall s", "CPU s", "GC s", "peak MiB")
	var median [4][4]float64
	for i, r := range rows {
		for k := range r.all {
			all := slices.Sorted(slices.Values(r.all[k]))
			median[i][k] = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
		}
		fmt.Fprintf(&text, "%-8s %8.2f %8.2f %8.2f %10.0f\n", r.name, median[i][0], median[i][1], median[i][2], median[i][3])
	}
	heap := 0.0
	for _, h := range heaps {
		heap += h / float64(len(heaps))
	}
	fmt.Fprintf(&text, "heaps of the guests: %.1f MiB in the mean, %.1f at most\n", heap, slices.Max(heaps))
	b.Log(text.String())
	b.ReportMetric(median[1][0]/median[3][0], "jobs2-wall/halves-wall")
	b.ReportMetric(max(median[1][1], median[2][1])/median[0][1], "jobs-CPU/jobs1-CPU")
	b.ReportMetric(median[2][3]-median[0][3]-7*heap, "jobs8-jobs1-7heaps-MiB")
}
