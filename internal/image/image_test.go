package image

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

var allPrograms = flag.Bool("all", false, "round trips of all of programs/")

const hello = `package main

import "fmt"

func main() { fmt.Println("hello") }
`

const templates = `package main

import (
	"os"
	"text/template"
)

func main() {
	t := template.Must(template.New("t").Parse("{{range $i, $x := .}}{{if $i}}, {{end}}{{printf \"%q\" $x}}{{end}}\n"))
	if err := t.Execute(os.Stdout, []string{"a", "b", "c"}); err != nil {
		panic(err)
	}
}
`

// lowered compiles a program, or the package in a directory, as far as the IR.
func lowered(t testing.TB, src string) *ir.Module {
	t.Helper()
	pattern := src
	if strings.HasPrefix(src, "package") {
		pattern = filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(pattern, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{pattern}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := lower.Program(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// optimise takes a module through phase A, fixes the roots and numbers it densely, as the cache does before it writes it.
func optimise(t testing.TB, m *ir.Module) {
	t.Helper()
	if err := opt.PhaseA(m, nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Funcs()[1:] {
		f.FixRoots()
		f.Renumber()
	}
}

var helloImage = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(hello), 0o644); err != nil {
		panic(err)
	}
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{file}})
	if err != nil {
		panic(err)
	}
	m, err := lower.Program(p, nil)
	if err != nil {
		panic(err)
	}
	b, err := Encode(m, header(Optimised))
	if err != nil {
		panic(err)
	}
	return b
})

func header(f Form) Header {
	return Header{Form: f, Determinism: 7, Go: "go1.26", FrontEnd: "go1.26.8, x/tools",
		Tags: []string{"a", "b"}, Unsafe: true}
}

func decode(t testing.TB, data []byte) *ir.Module {
	t.Helper()
	im, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := im.Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRoundTrip: a decoded module is the one that was encoded, and encoding it
// again gives the same bytes.
func TestRoundTrip(t *testing.T) {
	programs := map[string]string{"hello": hello, "templates": templates, "binarytrees": "../../programs/binarytrees"}
	if *allPrograms {
		dirs, err := filepath.Glob("../../programs/*/main.go")
		if err != nil || len(dirs) == 0 {
			t.Fatal("no programs", err)
		}
		for _, d := range dirs {
			programs[filepath.Base(filepath.Dir(d))] = filepath.Dir(d)
		}
	}
	for name, src := range programs {
		t.Run(name, func(t *testing.T) {
			m := lowered(t, src)
			for _, f := range m.Funcs()[1:] {
				f.Renumber()
			}
			roundTrip(t, m, Optimised)
			optimise(t, m)
			roundTrip(t, m, Optimised)
		})
	}
}

func roundTrip(t *testing.T, m *ir.Module, form Form) {
	t.Helper()
	h := header(form)
	data, err := Encode(m, h)
	if err != nil {
		t.Fatal(err)
	}
	im, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(im.Header(), h) {
		t.Errorf("header %+v, want %+v", im.Header(), h)
	}
	got := decode(t, data)
	var a, b bytes.Buffer
	ir.Print(&a, m)
	ir.Print(&b, got)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the decoded module prints differently")
	}
	// The text form does not show these.
	if !reflect.DeepEqual(got.Vars, m.Vars) || !reflect.DeepEqual(got.TypeLayouts, m.TypeLayouts) || !reflect.DeepEqual(got.Layouts, m.Layouts) || !reflect.DeepEqual(got.Exports, m.Exports) || len(got.Inits) != len(m.Inits) {
		t.Error("other tables")
	}
	for i, f := range m.Funcs()[1:] {
		g := got.Func(i + 1)
		if (f.LocalLive == nil) != (g.LocalLive == nil) {
			t.Fatalf("%s: live locals %v, want %v", f.Name, g.LocalLive, f.LocalLive)
		}
		if f.RootsFixed != g.RootsFixed || f.Size != g.Size || f.Moved != g.Moved {
			t.Fatalf("%s: roots fixed: %v %d %d, want %v %d %d", f.Name, g.RootsFixed, g.Size, g.Moved, f.RootsFixed, f.Size, f.Moved)
		}
		if f.LocalLive != nil && !reflect.DeepEqual(f.LocalLive, g.LocalLive) {
			t.Fatalf("%s: live locals %+v, want %+v", f.Name, g.LocalLive, f.LocalLive)
		}
		for k, b := range f.Blocks {
			for n, v := range b.Values {
				if w := g.Blocks[k].Values[n]; w.Live != v.Live {
					t.Fatalf("%s: %s: set %d, want %d", f.Name, v.LongString(), w.Live, v.Live)
				}
			}
		}
	}
	again, err := Encode(got, h)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, data) {
		t.Error("encoding it again gives other bytes")
	}
	if err := ir.VerifyModule(got); err != nil {
		t.Error(err)
	}
	n := 0
	for _, f := range got.Funcs()[1:] {
		n += f.NumOps()
	}
	t.Logf("%s: %d bytes, %d functions, %d operations", form, len(data), got.NumFuncs()-1, n)
	for s := range im.sections {
		t.Logf("\t%s %d", sectionNames[s], len(im.sections[s]))
	}
}

func BenchmarkDecode(b *testing.B) {
	data := helloImage()
	im, err := Open(data)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			Open(data)
		}
	})
	b.Run("tables", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := im.Module(nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		n := 0
		for b.Loop() {
			m, err := im.Decode(nil)
			if err != nil {
				b.Fatal(err)
			}
			n += m.NumFuncs() - 1
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "functions/s")
	})
}
