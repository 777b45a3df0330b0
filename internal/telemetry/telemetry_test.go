package telemetry

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestMetrics: metrics have names and units of one form, and names of their own with each exporter.
func TestMetrics(t *testing.T) {
	name := regexp.MustCompile(`^gyr(\.[a-z]+)+$`)
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if !name.MatchString(m.Name) || seen[m.Name] || seen[m.Prometheus()] {
			t.Errorf("%s: not a name, or not its own", m.Name)
		}
		seen[m.Name], seen[m.Prometheus()] = true, true
		if m.Help == "" || m.Unit == "" || (m.Type == Histogram) && m.Unit != "s" {
			t.Errorf("%+v", m)
		}
	}
	if got := CallAllocated.Prometheus(); got != "gyr_call_allocated_bytes_total" {
		t.Error(got)
	}
	for _, f := range PoolFigures() {
		if f.Labels[0] != "pool" || (len(f.Labels) == 2) != (f.Label != "") {
			t.Errorf("%+v", f.Metric)
		}
	}
	if !slices.IsSorted(Buckets()) {
		t.Error(Buckets())
	}
}

// TestDocs: the table of metrics in the docs has each one, with its names, unit and labels.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, m := range Metrics() {
		row := fmt.Sprintf("| `%s` | `%s` | %s | ", m.Name, m.Prometheus(), strings.Join(m.Labels, ", "))
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/embedding.md has no row %q", row)
		}
		rows++
	}
	if got := strings.Count(string(text), "` | `gyr_"); got != rows {
		t.Errorf("docs/embedding.md has %d rows of metrics, want %d", got, rows)
	}
}

// TestNamed: each name has its value, up to a number of them, whatever they are and however many
// goroutines ask.
func TestNamed(t *testing.T) {
	var n Named[*string]
	made := 0
	get := func(name string) string {
		return *n.Get(name, func(name string) *string {
			made++ // the lock is held
			return &name
		})
	}
	for name, want := range map[string]string{"F": "F", "": "", "é": "é", "\xff": Other, strings.Repeat("x", MaxName+1): Other} {
		if got := get(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2 * MaxNames {
				get(fmt.Sprint(i))
			}
		})
	}
	all.Wait()
	if made != MaxNames { // "other" was among the first
		t.Errorf("%d values, want %d", made, MaxNames)
	}
	if got := get("F") + get("late"); got != "F"+Other {
		t.Error(got)
	}
	if got := testing.AllocsPerRun(100, func() { n.Get("F", nil); n.Get("late", nil); n.Get("\xff", nil) }); got != 0 {
		t.Errorf("%v allocations", got)
	}

	// Without an odd name, the one for all others is made when it is needed.
	var full Named[string]
	same := func(name string) string { return name }
	for i := range MaxNames {
		full.Get(fmt.Sprint(i), same)
	}
	if got := full.Get("one", same) + full.Get("two", same); got != Other+Other {
		t.Error(got)
	}
}
