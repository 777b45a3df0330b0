package declare

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A module is a directory with a package that declares benchmarks, and with the files generated for
// an engine.
type module struct {
	dir     string
	pkg     *Package
	replace map[string]string // of the generated files
	loops   []string          // the generated files with measured loops
}

func newModule(t *testing.T, e Engine, files map[string]string) *module {
	t.Helper()
	m := &module{dir: t.TempDir(), replace: map[string]string{}}
	if files["go.mod"] == "" {
		write(t, filepath.Join(m.dir, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	}
	var list []File
	for name, text := range files {
		full := filepath.Join(m.dir, name)
		write(t, full, text)
		if filepath.Ext(name) == ".go" {
			list = append(list, File{full, []byte(text)})
		}
	}
	var err error
	if m.pkg, err = Parse(list); err != nil {
		t.Fatal(err)
	}
	out, err := m.pkg.Generate(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		name := filepath.Join(m.dir, o.Name)
		m.replace[name] = filepath.Join(t.TempDir(), o.Name)
		write(t, m.replace[name], string(o.Source))
		if o.Loops {
			m.loops = append(m.loops, name)
		}
	}
	return m
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (m *module) source() engine.Source {
	return engine.Source{Dir: m.dir, Patterns: []string{"."}, Test: true,
		Settings: load.Settings{Replace: m.replace, Measured: m.loops}}
}

// run runs the benchmarks in gyr.
func run(t *testing.T, p *engine.Program, tier api.Tier, realtime bool, args ...string) (out string, stats engine.Stats) {
	t.Helper()
	out, stats, err := start(context.Background(), p, engine.Config{Config: api.Config{Realtime: realtime, Tier: tier}}, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out, stats
}

func start(ctx context.Context, p *engine.Program, cfg engine.Config, args ...string) (out string, stats engine.Stats, err error) {
	var b bytes.Buffer
	cfg.Stdout, cfg.Stderr, cfg.Name, cfg.Args = &b, &b, "m.test", args
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return "", stats, err
	}
	defer in.Close()
	err = in.Run(ctx)
	return b.String(), in.Stats(), err
}
