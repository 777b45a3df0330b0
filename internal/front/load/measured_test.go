package load

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestMeasuredLoops: only a file of Settings.Replace that Settings.Measured names can declare a
// measured loop, whatever a program writes.
func TestMeasuredLoops(t *testing.T) {
	const header = "package m\n\ntype buf struct{}\n\nfunc (b *buf) sum(k int) int { return k }\n\nfunc twice(x float64) float64 { return 2 * x }\n\n" +
		"func all(x ...int) {}\n\nfunc any1[T any](x T) {}\n\n"
	const right = "//gyr:loop twice\nfunc loop(n int, x float64)\n"
	for _, c := range []struct {
		name     string
		own      string // in a file of the package
		declared string // in x.go, a file that only Settings.Replace supplies
		measured string // the name in Settings.Measured, "": none
		err      string // "": none
	}{
		{"granted", "", right, "x.go", ""},
		{"method", "func method() { loopM(1, nil, 2) }\n", right + "//gyr:loop (*buf).sum inline\nfunc loopM(n int, b *buf, k int)\n", "x.go", ""},
		{"not granted", "", right, "", "missing function body"},
		{"another file", "", right, "y.go", "missing function body"},
		{"of the program", right, "", "m.go", "missing function body"},
		{"of the program, beside one", "//gyr:loop twice\nfunc other(n int, x float64)\n", right, "x.go", "missing function body"},
		{"without directive", "", "func loop(n int, x float64)\n", "x.go", "missing function body"},
		{"with a body", "", "//gyr:loop twice\nfunc loop(n int, x float64) {}\n", "x.go", ""},
		{"nothing", "", "//gyr:loop thrice\nfunc loop(n int, x float64)\n", "x.go", "measured loop over thrice: there is no such function"},
		{"no method", "", "//gyr:loop buf.mean\nfunc loop(n int, x float64)\n", "x.go", "there is no such function"},
		{"signature", "", "//gyr:loop twice\nfunc loop(n int, x int)\n", "x.go", "its parameters are not a count and those of the function"},
		{"no count", "", "//gyr:loop twice\nfunc loop(n int32, x float64)\n", "x.go", "not a count"},
		{"results", "", "//gyr:loop twice\nfunc loop(n int, x float64) int\n", "x.go", "its parameters are not a count"},
		{"variadic", "", "//gyr:loop all\nfunc loop(n int, x []int)\n", "x.go", "it is generic or variadic"},
		{"generic", "", "//gyr:loop any1\nfunc loop(n int, x float64)\n", "x.go", "it is generic or variadic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			write(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": header + c.own,
				"other.txt": "package m\n\n" + c.declared})
			cfg := Options{Dir: dir, Any: true}
			if c.declared != "" {
				cfg.Settings.Replace = map[string]string{at("x.go"): at("other.txt")}
			}
			if c.measured != "" {
				cfg.Settings.Measured = []string{at(c.measured)}
			}
			p, err := Load(context.Background(), cfg)
			if c.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				fn := p.Package("m").SSA.Func("loop")
				of, inline := p.Loop(fn)
				if want := fn.Blocks == nil; of == nil == want || want && of.Name() != "twice" || inline {
					t.Errorf("loop is over %v, inline %v", of, inline)
				}
				if m := p.Package("m").SSA.Func("loopM"); m != nil {
					if of, inline := p.Loop(m); of.String() != "(*m.buf).sum" || !inline {
						t.Errorf("loopM is over %v, inline %v", of, inline)
					}
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}
