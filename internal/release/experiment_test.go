package release

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestExperiments: settings that agree with the release are accepted. The others are refused by
// name, with a reason.
func TestExperiments(t *testing.T) {
	for _, tt := range []struct {
		minor       int
		value, want string // tags, or the beginning of the error
	}{
		{26, "", ""}, {26, ",greenteagc,,", ""}, {26, "nojsonv2", ""}, {26, "noregabi,regabiargs", ""},
		{26, "jsonv2", "goexperiment.jsonv2"}, {26, "nojsonv2,jsonv2", "goexperiment.jsonv2"}, {26, "jsonv2,nojsonv2", ""},
		{27, "jsonv2", ""}, {27, "nojsonv2,jsonv2", ""}, {27, "nomapsplitgroup", ""},
		{27, "nojsonv2", "GOEXPERIMENT=nojsonv2: in the standard library of this release encoding/json stands on encoding/json/v2; Go 1.26 has the other one; gyr compiles with the experiments that go1.27 has on for wasm, dwarf5, "},
		{27, "mapsplitgroup", "GOEXPERIMENT=mapsplitgroup: maps would lie in memory another way; "},
		{26, "nogreenteagc", "GOEXPERIMENT=nogreenteagc: the heap is gyr's; "},
		{26, "none", "GOEXPERIMENT=nodwarf5: the compiler is gyr's; "},
		{26, "jsonv2,none,dwarf5,greenteagc,randomizedheapbase64", ""},
		{26, "mapsplitgroup", "unknown GOEXPERIMENT mapsplitgroup"}, {27, "goroutineleakprofile", "unknown GOEXPERIMENT goroutineleakprofile"},
		{27, "jsonv2,nofoo", "unknown GOEXPERIMENT foo"}, {27, "jsonv2, arenas", "unknown GOEXPERIMENT  arenas"}, {27, "JSONv2", "unknown GOEXPERIMENT JSONv2"},
	} {
		tags, err := OfMinor(tt.minor).Experiments(tt.value)
		got := strings.Join(tags, ",")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want) || tt.want == "") {
			t.Errorf("go1.%d, GOEXPERIMENT=%q: %s\nwant %s", tt.minor, tt.value, got, tt.want)
		}
	}
}

// TestExperimentsAreKnown compares the names with those of the installation that built this test,
// and requires a reason for each.
func TestExperimentsAreKnown(t *testing.T) {
	for _, r := range all {
		for _, name := range slices.Concat(r.on(), r.Off) {
			if whyNot[name] == "" {
				t.Errorf("%s: no reason for %s", r.Name(), name)
			}
		}
	}
	r := Of(runtime.Version())
	//lint:ignore SA1019 it is the installation that runs the test
	src, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/internal/goexperiment/flags.go"))
	if err != nil || r == nil {
		t.Skip("no sources of a release that gyr runs: ", err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "flags.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && !slices.Contains(noneOfWasm, strings.ToLower(field.Names[0].Name)) {
			names = append(names, strings.ToLower(field.Names[0].Name))
		}
		return true
	})
	have := append(r.on(), r.Off...)
	slices.Sort(names)
	slices.Sort(have)
	if !slices.Equal(names, have) {
		t.Errorf("%s has %v\nknown are %v", runtime.Version(), names, have)
	}
}
