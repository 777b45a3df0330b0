package guest

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/release"
)

// A text is a literal that the standard library prints when it ends a program or reports: an
// operand of panic, throw, print and their kin, or an entry of a table of such texts.
type text struct {
	pkg, file string
	line      int
	value     string
}

func (t text) String() string { return fmt.Sprintf("%s/%s:%d: %q", t.pkg, t.file, t.line, t.value) }

// ending are the functions whose operands are texts.
var ending = []string{"panic", "throw", "fatal", "print", "println", "plainError", "errorString", "badPointer", "fatalthrow", "exitThread", "writeErrStr", "printString", "fatalpanic"}

// tables are variables and constants whose literals are texts.
var tables = []string{"waitReasonStrings", "gStatusStrings", "boundsErrorFmts", "boundsNegErrorFmts", "stwReasonStrings"}

// texts lists the texts of a package in a Go installation, for Linux on amd64.
func texts(goroot, pkg string) (list []text, err error) {
	ctx := build.Default
	ctx.GOROOT, ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = goroot, "linux", "amd64", false, nil
	dir := filepath.Join(goroot, "src", filepath.FromSlash(pkg))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no sources: %v", dir, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if ok, err := ctx.MatchFile(dir, name); !ok || err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		found, err := textsOf(file)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			t.pkg = pkg
			list = append(list, t)
		}
	}
	return list, nil
}

// textsOf lists the texts of a file.
func textsOf(file string) (list []text, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	seen := map[token.Pos]bool{}
	literals := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || seen[lit.Pos()] {
				return true
			}
			seen[lit.Pos()] = true
			// A literal without letters is punctuation between texts.
			if s, err := strconv.Unquote(lit.Value); err == nil && strings.ContainsFunc(s, isLetter) {
				list = append(list, text{file: filepath.Base(file), line: fset.Position(lit.Pos()).Line, value: s})
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains(ending, calleeName(n.Fun)) {
				for _, a := range n.Args {
					literals(a)
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if slices.Contains(tables, name.Name) {
					literals(n)
				}
			}
		case *ast.FuncDecl:
			// The method makes a text.
			if n.Recv != nil && n.Body != nil && (n.Name.Name == "Error" || n.Name.Name == "String") {
				literals(n.Body)
			}
		}
		return true
	})
	return list, nil
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func calleeName(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// ours returns all literals of the overlay for a release, whatever their use: our texts are made
// from them.
func ours(t *testing.T, minor int) map[string]bool {
	list := map[string]bool{}
	tag := regexp.MustCompile(`(?m)^//go:build (!?)go1\.27$`)
	err := fs.WalkDir(Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		b, err := fs.ReadFile(Source, name)
		if err != nil {
			return err
		}
		if m := tag.FindSubmatch(b); m != nil && (minor >= 27) != (len(m[1]) == 0) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					list[strings.TrimSpace(s)] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// An absence is a line of testdata/texts.txt: texts that no guest shows.
type absence struct {
	line    int
	file    *regexp.Regexp // of package/file
	text    *regexp.Regexp
	why     string
	matched int
}

// absences reads the list for a release.
func absences(t *testing.T, minor int) (list []*absence) {
	f, err := os.Open("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		n++
		line := s.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 || strings.TrimSpace(parts[2]) == "" {
			t.Fatalf("texts.txt:%d: want FILE | TEXT | REASON", n)
		}
		file, of, ok := strings.Cut(strings.TrimSpace(parts[0]), "@")
		if ok && of != fmt.Sprint(minor) {
			continue
		}
		a := &absence{line: n, why: parts[2]}
		if a.file, err = regexp.Compile("^(?:" + file + ")$"); err != nil {
			t.Fatalf("texts.txt:%d: %v", n, err)
		}
		if a.text, err = regexp.Compile("(?s)^(?:" + strings.TrimSpace(parts[1]) + ")$"); err != nil {
			t.Fatalf("texts.txt:%d: %v", n, err)
		}
		list = append(list, a)
	}
	return list
}

// TestTexts: every text with which GOROOT's runtime ends a program or reports is one of the
// overlay's too, or comes from a package that guests use unchanged, or is listed in
// testdata/texts.txt with the reason why no guest shows it.
func TestTexts(t *testing.T) {
	goroot := runtime.GOROOT()
	minor := release.Of(runtime.Version()).Minor
	own := ours(t, minor)
	absent := absences(t, minor)
	var total, same, std, listed int
	for _, pkg := range []string{"sync", "sync/atomic", "internal/sync", "internal/synctest", "internal/runtime/maps", "internal/runtime/atomic", "internal/runtime/exithook", "internal/bytealg",
		"internal/abi", "maps", "iter", "weak", "unique", "time"} {
		list, err := texts(goroot, pkg)
		if err != nil {
			t.Fatal(err)
		}
		total += len(list)
		std += len(list)
	}
	for _, pkg := range []string{"runtime", "runtime/pprof", "runtime/trace", "runtime/metrics"} {
		list, err := texts(goroot, pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			total++
			if own[strings.TrimSpace(x.value)] {
				same++
				continue
			}
			i := slices.IndexFunc(absent, func(a *absence) bool { return a.file.MatchString(x.pkg+"/"+x.file) && a.text.MatchString(x.value) })
			if i < 0 {
				t.Errorf("%v: is no text of the overlay, and testdata/texts.txt does not say why", x)
				continue
			}
			absent[i].matched++
			listed++
		}
	}
	for _, a := range absent {
		if a.matched == 0 {
			t.Errorf("texts.txt:%d (%s) is about no text of go1.%d", a.line, strings.TrimSpace(a.why), minor)
		}
	}
	t.Logf("%d texts: %d are ours, %d are in std as it stands, %d are listed", total, same, std, listed)
	if total < 1000 || same < 100 {
		t.Errorf("%d texts, %d ours", total, same)
	}
}
