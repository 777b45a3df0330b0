package load

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// with is the overlay of this package's tests with some more files.
type with struct {
	fs.FS
	more fs.FS
}

func (w *with) Open(name string) (fs.File, error) {
	if f, err := w.more.Open(name); err == nil && name != "." {
		return f, nil
	}
	return w.FS.Open(name)
}

// TestAnswers replaces a function, a method, a variable and one of a group of variables.
func TestAnswers(t *testing.T) {
	answers := &with{overlay, fstest.MapFS{
		"answers/strings/gyr_it.go": {Data: []byte("package strings\n\nimport \"math/bits\"\n\n" +
			"func ToUpper(s string) string { return s + gyrMore }\n\n" +
			"func (b *Builder) Len() int { return bits.Len(7) }\n\n" +
			"var gyrMore, asciiSpace = \"!\", [256]uint8{1, 1}\n")},
	}}
	p := mustLoad(t, `
-- go.mod --
module example.com/hello
go 1.26
-- main.go --
package main

import "strings"

func main() { var b strings.Builder; println(strings.ToUpper("x"), b.Len(), strings.Fields("a b")) }
`, Options{Overlay: answers})
	text := func(name string) string {
		fn := p.Func(name)
		if fn == nil || fn.Blocks == nil {
			t.Fatalf("%s has no body", name)
		}
		return p.Fset.Position(fn.Pos()).Filename
	}
	const file = gomod.StdRoot + "/src/strings/gyr_it.go"
	for _, name := range []string{"strings.ToUpper", "strings.(*Builder).Len"} {
		if got := text(name); got != file {
			t.Errorf("%s is declared in %s", name, got)
		}
	}
	if got := text("strings.Fields"); got == file {
		t.Errorf("Fields is declared in %s", got)
	}
	if p.Package("strings").SSA.Var("gyrMore") == nil {
		t.Error("what an answer declares beside it is missing")
	}
}

// stdDecls returns the declarations of a package of GOROOT, by the names that answers have for
// them.
func stdDecls(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	l, err := newLoader(t.Context(), &Options{Dir: t.TempDir(), Tags: []string{"purego", "math_big_pure_go"}, Overlay: fstest.MapFS{}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	p := &pkgT{place: *l.gorootPlace(pkg), importPath: pkg}
	l.loadFiles(p)
	names := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			for _, n := range Declared(d) {
				names[n] = true
			}
			if g, ok := d.(*ast.GenDecl); ok && len(g.Specs) > 1 {
				for _, s := range g.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && len(v.Names) > 1 {
						for _, n := range v.Names {
							delete(names, n.Name) // one of several that are declared together cannot be left out
						}
					}
				}
			}
		}
	}
	return names
}

type pkgT = pkg

// TestAnswersInStd compares the table of answers with their sources, and both with the installed
// standard library.
func TestAnswersInStd(t *testing.T) {
	goroot, r := installed(t)
	listed := map[string]bool{}
	for _, a := range guest.Answers {
		if name, since, _ := strings.Cut(a.Name, "@"); since > fmt.Sprint(r.Minor) { // two digits each, for long
			continue
		} else {
			a.Name = name
		}
		if a.Why == "" || strings.HasSuffix(a.Why, ".") {
			t.Errorf("%s.%s: a reason is missing, or is no clause", a.Path, a.Name)
		}
		if key := a.Path + "." + a.Name; listed[key] {
			t.Errorf("%s is listed twice", key)
		}
		listed[a.Path+"."+a.Name] = true
	}
	added := map[string]bool{}
	for _, a := range guest.Additions {
		added[a.Path+"."+a.Name] = true
	}
	src := filepath.Join(goroot, "src")
	err := fs.WalkDir(guest.Source, AnswersDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !slices.ContainsFunc(must(fs.ReadDir(guest.Source, name)), func(e fs.DirEntry) bool { return !e.IsDir() }) {
			return err
		}
		pkg := strings.TrimPrefix(name, AnswersDir+"/")
		if slices.Contains(Overlay, pkg) {
			t.Errorf("package %s is replaced as a whole", pkg)
		}
		std := stdDecls(t, pkg)
		l, err := newLoader(t.Context(), &Options{Dir: t.TempDir()})
		if err != nil {
			return err
		}
		defer l.close()
		p := &pkgT{place: *l.gorootPlace(pkg), importPath: pkg}
		for _, f := range l.addAnswers(p) {
			base := path.Base(f.name)
			if _, err := os.Stat(filepath.Join(src, pkg, base)); err == nil || !strings.HasPrefix(base, "gyr_") {
				t.Errorf("%s/%s: the names of files with answers begin with gyr_", name, base)
			}
			if f.syntax != nil {
				t.Error(f.syntax)
			}
		}
		for n := range p.answered {
			_, member, method := strings.Cut(n, ".")
			own := strings.HasPrefix(n, "gyr") || method && strings.HasPrefix(member, "gyr")
			switch key := pkg + "." + n; {
			case own && std[n]:
				t.Errorf("package %s has a %s of its own", pkg, n)
			case own:
			case added[key] && std[n]:
				t.Errorf("package %s has a %s of its own: it is an answer, no addition", pkg, n)
			case added[key]:
			case !listed[key]:
				t.Errorf("%s is not in guest.Answers: name the reason there, or begin its name with gyr", key)
			case !std[n]:
				t.Errorf("%s: package %s of this release of Go has no declaration of that name that could be left out", key, pkg)
			}
			delete(listed, pkg+"."+n)
			delete(added, pkg+"."+n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range added {
		t.Errorf("guest.Additions has %s, _src/answers has not", key)
	}
	for key := range listed {
		t.Errorf("guest.Answers has %s, _src/answers has not", key)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
