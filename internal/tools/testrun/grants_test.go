package testrun

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

// TestGrants: what failed tests lacked is told, and with Options.Grant they get it.
func TestGrants(t *testing.T) {
	dir := moduleOf(t, "testdata/grants.txtar")
	t.Setenv("GYR_GRANTED", "yes")
	run := func(grant func(string, []Grant) []Grant, pattern string) string {
		t.Helper()
		o, out, errs := options(t, dir, "./sub")
		o.Grant, o.Flags = grant, []string{"-test.run=" + pattern}
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return errs.String() + "\n" + out.String()
	}
	const line = "gyr: 3 of its failed tests were refused what these flags grant: "
	out := run(nil, ".")
	_, told, ok := strings.Cut(out, "\n"+line)
	if !ok || !strings.Contains(told, "sub:copy") || !strings.Contains(told, "testdata:ro") || !strings.Contains(told, "-env GYR_GRANTED") ||
		strings.Contains(told, "nothing") || strings.Contains(told, "etc") {
		t.Errorf("without grants:\n%s", out)
	}
	if out := run(nil, "Fine"); strings.Contains(out, "gyr:") {
		t.Errorf("a package that passes:\n%s", out)
	}
	all := func(_ string, lacked []Grant) []Grant { return lacked }
	if out := run(all, "Read|Write|Env"); !strings.Contains(out, "\nok  \tm/sub") || strings.Contains(out, "FAIL") {
		t.Errorf("with all:\n%s", out)
	}
	var inside []bool
	none := func(_ string, lacked []Grant) []Grant {
		for _, g := range lacked {
			inside = append(inside, g.Inside)
		}
		return nil
	}
	if out := run(none, "."); !strings.Contains(out, line) {
		t.Errorf("with none:\n%s", out)
	}
	if want := []bool{true, true, false}; !reflect.DeepEqual(inside, want) {
		t.Errorf("of the module: %v, want %v", inside, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub", "written")); err == nil {
		t.Error("a copy was written to the machine's directory")
	}
}

// TestLacked has cases that need no run.
func TestLacked(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, "a b", "own")
	for _, d := range []string{own, filepath.Join(root, "x"), filepath.Join(root, "y")} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	outside := t.TempDir()
	for _, c := range []struct {
		name  string
		wants []refusal
		flags string
	}{
		{"nothing", nil, ""},
		{"missing here, too", []refusal{{engine.NeedRead, filepath.Join(root, "no")}, {engine.NeedEnv, "GYR_NOT_SET"}}, ""},
		{"the machine", []refusal{{engine.NeedRead, "/"}}, ""},
		{"a file", []refusal{{engine.NeedRead, filepath.Join(root, "go.mod")}}, "-dir .:ro"},
		{"two directories", []refusal{{engine.NeedRead, filepath.Join(root, "x")}, {engine.NeedRead, filepath.Join(root, "y")}}, "-dir .:ro"},
		{"write", []refusal{{engine.NeedWrite, filepath.Join(own, "f")}}, "-dir 'a b/own:copy'"},
		{"write elsewhere", []refusal{{engine.NeedWrite, filepath.Join(root, "x", "f")}}, ""},
		{"write, and the module", []refusal{{engine.NeedWrite, own}, {engine.NeedRead, root}}, "-dir 'a b/own:copy' -dir .:ro"},
		{"outside", []refusal{{engine.NeedRead, outside}}, "-dir ../" + filepath.Base(outside) + ":ro"},
	} {
		j := &job{o: &Options{}, refused: refusals{}}
		j.Dir = own
		for _, r := range c.wants {
			j.refused.note("TestX/part", engine.Hint{Need: r.need, Name: r.name})
		}
		j.refused.note("TestOther", engine.Hint{Need: engine.NeedRead, Name: outside})
		list, tests := j.lacked(map[string]bool{"TestX": true})
		var flags []string
		for _, g := range list {
			flags = append(flags, g.String())
		}
		if got := strings.Join(flags, " "); got != c.flags || (tests == 1) != (c.flags != "") {
			t.Errorf("%s: %q of %d tests, want %q", c.name, got, tests, c.flags)
		}
	}
}
