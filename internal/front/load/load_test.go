package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/release"
)

// overlay replaces the five packages with little more than declarations.
var overlay = os.DirFS("testdata/overlay")

// files makes a file system from a text in the form of testscript archives:
// "-- name --" lines and the files' contents.
func files(text string) fstest.MapFS {
	m := fstest.MapFS{}
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			m[name] = &fstest.MapFile{Mode: 0o644}
			continue
		}
		if name != "" {
			m[name].Data = append(m[name].Data, line...)
		}
	}
	return m
}

// loadText loads the program in an archive.
func loadText(text string, cfg Options) (*Packages, error) {
	cfg.FS = files(text)
	if cfg.Overlay == nil {
		cfg.Overlay = overlay
	}
	return Load(context.Background(), cfg)
}

func mustLoad(t *testing.T, text string, cfg Options) *Packages {
	t.Helper()
	p, err := loadText(text, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHello(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module example.com/hello
go 1.26
-- main.go --
package main

import (
	"fmt"

	"example.com/hello/greet"
)

func main() { fmt.Println(greet.Text()) }
-- greet/greet.go --
package greet

func Text() string { return "hello" }
`, Options{})
	if p.Main == nil || p.Main.Func("main") == nil || p.Main.Func("main").Blocks == nil {
		t.Fatal("no main function")
	}
	main := p.Package("main")
	if main.Import != "example.com/hello" || main.Std || main.GoVersion != "go1.26" {
		t.Errorf("main package: import path %q, std %v, version %s", main.Import, main.Std, main.GoVersion)
	}
	if last := p.Packages[len(p.Packages)-1]; last != main {
		t.Errorf("last package to initialise is %s, not main", last.Path)
	}
	if g := p.Package("example.com/hello/greet"); g == nil || g.SSA.Func("Text").Blocks == nil {
		t.Error("package greet has no code")
	}
	rt := p.Package("runtime")
	if rt == nil || !rt.Std || !rt.Overlay || rt.Types.Scope().Lookup("panicText") == nil {
		t.Error("package runtime is not that of the overlay")
	}
	if f := p.Package("fmt"); !f.Std || f.Overlay {
		t.Error("package fmt is not of the standard library")
	}
	if p.Release == nil || p.Release != release.Of(p.GoVersion) {
		t.Errorf("GoVersion = %q", p.GoVersion)
	}
}

func TestNamedFiles(t *testing.T) {
	p := mustLoad(t, `
-- d/a.go --
//go:build ignore

package main

func main() { f() }
-- d/b.go --
package main

func f() {}
-- d/c.go --
package other
`, Options{Dir: "d", Patterns: []string{"a.go", "b.go"}})
	if p.Main.Func("f") == nil {
		t.Error("b.go is not in the program")
	}
	if got := p.Package("main").Import; got != "command-line-arguments" {
		t.Errorf("import path %q", got)
	}
}

func TestPatternOfOneMain(t *testing.T) {
	const text = `
-- go.mod --
module m
-- lib/lib.go --
package lib
-- cmd/tool/main.go --
package main
func main() {}
-- cmd/tool/testdata/x.go --
package main
func main() {}
`
	p := mustLoad(t, text, Options{Patterns: []string{"./..."}})
	if got := p.Package("main").Import; got != "m/cmd/tool" {
		t.Errorf("import path %q", got)
	}
	p = mustLoad(t, text, Options{Patterns: []string{"m/cmd/tool"}})
	if got := p.Package("main").Import; got != "m/cmd/tool" {
		t.Errorf("import path %q", got)
	}
}

// TestMachineFiles loads from the machine's file system, started outside the module and inside.
func TestMachineFiles(t *testing.T) {
	dir := t.TempDir()
	for name, f := range files(`
-- go.mod --
module m
go 1.25
-- a/main.go --
package main
import "m/b"
func main() { b.F() }
-- b/b.go --
package b
func F() {}
`) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, cfg := range []Options{
		{Dir: dir, Patterns: []string{"./a"}},
		{Dir: filepath.Join(dir, "a")},
		{Dir: filepath.Join(dir, "b"), Patterns: []string{"m/a"}},
		{Patterns: []string{filepath.Join(dir, "a")}},
		{Patterns: []string{filepath.Join(dir, "a", "main.go")}},
	} {
		cfg.Overlay = overlay
		p, err := Load(context.Background(), cfg)
		if err != nil {
			t.Fatalf("Dir %q, Patterns %q: %v", cfg.Dir, cfg.Patterns, err)
		}
		if got := p.Package("main").GoVersion; got != "go1.25" {
			t.Errorf("language version %s", got)
		}
		pos := p.Fset.Position(p.Package("m/b").SSA.Func("F").Pos())
		if got := p.TrimPath(pos.Filename); got != "m/b/b.go" || pos.Line != 2 {
			t.Errorf("position of m/b.F is %s:%d", got, pos.Line)
		}
	}
}

// dump prints all parts of a program, including positions.
func dump(p *Packages) string {
	var b bytes.Buffer
	for _, q := range p.Packages {
		fmt.Fprintln(&b, "package", q.Path, q.Import, q.GoVersion)
	}
	var fns []*ssa.Function
	for fn := range allFunctions(p) {
		fns = append(fns, fn)
	}
	slices.SortFunc(fns, func(a, b *ssa.Function) int {
		if c := strings.Compare(a.String(), b.String()); c != 0 {
			return c
		}
		return strings.Compare(a.Signature.String(), b.Signature.String())
	})
	for _, fn := range fns {
		fmt.Fprintf(&b, "%s %d %v %v\n", p.Symbol(fn), fn.Pos(), p.Pruned(fn), p.Pragma(fn))
		if fn.Pkg == p.Main || fn.Pkg == nil {
			ssa.WriteFunction(&b, fn)
		}
	}
	return b.String()
}

const mixed = `
-- go.mod --
module m
go 1.26
-- main.go --
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"m/sub"
)

type shape interface{ Area() float64 }
type square struct{ side float64 }

func (s square) Area() float64 { return s.side * s.side }

type stack[T any] struct{ items []T }

func (s *stack[T]) push(x T) { s.items = append(s.items, x) }

func main() {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	st := &stack[shape]{}
	st.push(square{2})
	for _, x := range st.items {
		fmt.Printf("%v %T %.1f\n", x, x, x.Area())
	}
	words := strings.Fields("c a b")
	slices.Sort(words)
	if _, err := os.Open("nothing"); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, err, sub.All(words))
	}
	time.Sleep(time.Millisecond)
}
-- sub/sub.go --
package sub

func All(w []string) (n int) {
	for range func(yield func(int) bool) { yield(1) } {
		defer func() { n++ }()
	}
	return len(w)
}
`

// TestSameResult checks that neither earlier loads of the process, nor the cache of parsed files,
// nor concurrent loads change the result.
func TestSameResult(t *testing.T) {
	if testing.Short() {
		t.Skip("several loads")
	}
	want := dump(mustLoad(t, mixed, Options{NoCache: true}))
	var wg sync.WaitGroup
	got := make([]string, 3)
	errs := make([]error, len(got))
	for i := range got {
		wg.Go(func() {
			var p *Packages
			p, errs[i] = loadText(mixed, Options{cacheOverlay: true})
			if errs[i] == nil {
				got[i] = dump(p)
			}
		})
	}
	wg.Wait()
	for i := range got {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if got[i] != want {
			t.Errorf("load %d differs: %s", i, firstDifference(want, got[i]))
		}
	}
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf("line %d: %q and %q", i+1, la[i], lb[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(la), len(lb))
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Load(ctx, Options{FS: files("-- a.go --\npackage main\nfunc main() {}\n"), Overlay: overlay})
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
