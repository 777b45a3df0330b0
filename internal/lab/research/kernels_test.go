package research

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// gasOf is a profile of gas by function.
func gasOf(t *testing.T, functions map[string]int64) string {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "gas", Unit: "count"}}}
	for i, name := range sortedKeys(functions) {
		f := &profile.Function{ID: uint64(i + 1), Name: name, Filename: "f.go"}
		l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f, Line: 1}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{functions[name]}})
	}
	file := filepath.Join(t.TempDir(), "gas.prof")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := p.Write(w); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestGasObjective: gas in kernels is a warning beside another objective, and no sole objective.
func TestGasObjective(t *testing.T) {
	byTurns(t)
	for _, x := range []struct {
		name      string
		functions map[string]int64
		other     bool // there is another objective
		begins    bool
		warns     string
	}{
		{"own code", map[string]int64{"main.main": 90, "bytes.IndexByte": 10}, false, true, ""},
		{"a search", map[string]int64{"main.main": 60, "bytes.IndexByte": 30, "internal/bytealg.IndexRabinKarp[...]": 10}, false, false, "gas: 40% of it"},
		{"a search and a time", map[string]int64{"main.main": 60, "bytes.IndexByte": 40}, true, true, "(bytes.IndexByte)"},
		{"vectors", map[string]int64{"math/big.addMulVVWW": 60, "main.main": 40}, false, false, "math/big.addMulVVWW"},
	} {
		b := newBench(t)
		// A stand-in for gyr.
		b.write(b.side, map[string]string{"gyr": fmt.Sprintf("#!/bin/sh\ncase $2 in\n-gasprofile=*) cp %s ${2#*=};;\n*) echo '{\"gas\": 5}' >&2;;\nesac\n", gasOf(t, x.functions))})
		self := filepath.Join(b.side, "gyr")
		if err := os.Chmod(self, 0o755); err != nil {
			t.Fatal(err)
		}
		c := b.config(func(c map[string]any) {
			byText(c)
			lines := c["metrics"].([]any)
			c["metrics"] = []any{map[string]any{"name": "gas", "from": "engine", "program": "./cmd/golden", "goal": "min"}}
			if x.other {
				c["metrics"] = append(lines, c["metrics"].([]any)...)
			}
			c["battery"], c["proposer"], c["sandbox"] = []any{}, map[string]any{"kind": "manual"}, "off"
		})
		s := b.open(c)
		s.runner.self = self
		var out strings.Builder
		s.out = &out
		_, err := s.Run(t.Context())
		if (err == nil) != x.begins {
			t.Errorf("%s: %v", x.name, err)
		}
		if text := out.String() + fmt.Sprint(err); x.warns != "" && !strings.Contains(text, x.warns) || x.warns == "" && strings.Contains(text, "of it is in functions") {
			t.Errorf("%s: %s", x.name, text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
