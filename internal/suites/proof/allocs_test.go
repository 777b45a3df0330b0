package proof

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

var row = flag.String("row", "", "rows of TestNoGoAllocations whose names contain this")

// A meter reads the host's counters between two writes of the guest, "<name" and ">name". It
// allocates nothing between them.
type meter struct {
	begin, end runtime.MemStats
	name       []byte
	sabotage   func() // runs before the second reading, to show that the meter works
	rows       []meterRow
}

type meterRow struct {
	name           string
	mallocs, bytes uint64
}

func (m *meter) Write(p []byte) (int, error) {
	switch p[0] {
	case '<':
		m.name = append(m.name[:0], p[1:len(p)-1]...)
		runtime.ReadMemStats(&m.begin)
	case '>':
		if m.sabotage != nil {
			m.sabotage()
		}
		runtime.ReadMemStats(&m.end)
		if string(m.name) != string(p[1:len(p)-1]) {
			return 0, fmt.Errorf("end of row %q in row %q", p, m.name)
		}
		m.rows = append(m.rows, meterRow{string(m.name), m.end.Mallocs - m.begin.Mallocs, m.end.TotalAlloc - m.begin.TotalAlloc})
	}
	return len(p), nil
}

// discard is a Writer without a fast path.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// measured runs the rows once.
func measured(t *testing.T, p *gyr.Program, m *meter, tier gyr.Tier, debug map[string]string) {
	t.Helper()
	cfg := gyr.Config{Tier: tier, Stdout: m, Stderr: discard{}, Memory: 128 << 20, Debug: debug}
	if *row != "" {
		cfg.Args = []string{*row}
	}
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	runtime.GC() // the host's collector comes to rest
	if err := in.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// requiredRows are the rows that issue 2 names. Each is the beginning of a name in the guest.
var requiredRows = []string{
	"b[i] read", "b[i] write", "range over []byte", "range over string", "range over array",
	"copy, apart", "copy, overlap forward", "copy, overlap backward", "copy, same",
	"append within capacity", "append slice, overlap forward", "append slice, overlap backward", "append slice, same",
	"local declaration", "numeric conversion", "constant to interface", "value to interface",
	"call, 0", "call, 1", "call, 2", "call, 3", "call, 4", "call, 5", "call, 6", "call, 7", "call, 8", "call, variadic",
	"method value", "closure", "defer", "go", "panic and recover", "type switch", "copy of array of interfaces",
	"big untyped constants", "map", "string", "channel", "interface call", "allocation",
}

func TestNoGoAllocations(t *testing.T) {
	p := compile(t, gyr.Source{Patterns: []string{"testdata/allocs/main.go"}}, nil)
	stress := map[string]string{"gcstress": "997", "poison": ""}
	modes := []struct {
		name  string
		tier  gyr.Tier
		debug map[string]string
	}{
		{"plain", gyr.TierInterp, nil},
		{"gcstress", gyr.TierInterp, stress},
		{"native", gyr.TierNative, nil},
		{"native, gcstress", gyr.TierNative, stress},
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			if err := p.NativeError(); mode.tier == gyr.TierNative && err != nil {
				t.Skip(err)
			}
			// Other code in the process (the testing package, the host's runtime) may allocate
			// meanwhile. So a row counts as clean if one of three runs measured nothing.
			bad := map[string]meterRow{}
			var rows []meterRow
			for try := range 3 {
				m := &meter{rows: make([]meterRow, 0, 200)}
				measured(t, p, m, mode.tier, mode.debug)
				rows = m.rows
				dirty := map[string]meterRow{}
				for _, r := range rows {
					if _, was := bad[r.name]; r.mallocs != 0 && (try == 0 || was) {
						dirty[r.name] = r
					}
				}
				if bad = dirty; len(bad) == 0 {
					break
				}
			}
			for _, r := range rows {
				if b, ok := bad[r.name]; ok {
					t.Errorf("%s: %d Go allocations, %d bytes", b.name, b.mallocs, b.bytes)
				}
			}
			if *row != "" {
				return
			}
			for _, want := range requiredRows {
				found := false
				for _, r := range rows {
					found = found || strings.HasPrefix(r.name, want)
				}
				if !found {
					t.Errorf("no row %q ran", want)
				}
			}
			t.Logf("%d rows", len(rows))
		})
	}
	t.Run("the meter sees an allocation", func(t *testing.T) {
		m := &meter{rows: make([]meterRow, 0, 200), sabotage: func() { sink = new([32]byte) }}
		measured(t, p, m, gyr.TierAuto, nil)
		for _, r := range m.rows {
			if r.mallocs == 0 {
				t.Errorf("%s: not seen", r.name)
			}
		}
	})
}

var sink any
