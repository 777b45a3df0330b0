package load

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// testFuncs are the functions that a test binary runs.
type testFuncs struct {
	tests, benchmarks, fuzz []testFunc
	examples                []testFunc
	main                    string // qualified name of TestMain, or empty
	importTest, needTest    bool   // import the package under test; by a name
	importXtest, needXtest  bool   // the same for its external tests
}

// A testFunc is a test, benchmark, fuzz target or example.
type testFunc struct {
	pkg, name string
	output    string
	unordered bool
}

// testMain completes a test program around the loaded package under test: it adds the external
// tests and the generated main package, which it returns.
//
// The package under test replaces the one without tests everywhere. The go command does that too,
// by recompiling the packages in between. It refuses the import cycles that this could create.
func (l *loader) testMain(p *pkg) (*pkg, error) {
	if p.errs != nil || p.syntax != nil || p.origin == ofOverlay {
		if p.origin == ofOverlay {
			return nil, diag.Errorf("package %s is part of the engine: its tests cannot run", p.path)
		}
		return p, nil // sort and check report the errors
	}
	if err := l.reserved(p); err != nil {
		return nil, err
	}
	funcs := &testFuncs{importTest: true}
	var x *pkg
	if len(p.xfiles) > 0 {
		x = &pkg{place: p.place, importPath: p.importPath + "_test", dirPath: p.dirPath, test: true, files: p.xfiles,
			loaded: make(chan struct{})}
		x.path += "_test"
		x.name = p.xfiles[0].ast.Name.Name
	}
	var errs diag.Errors
	for _, f := range p.files {
		if strings.HasSuffix(f.name, "_test.go") {
			errs = append(errs, funcs.add(l, f, "_test")...)
		}
	}
	if x != nil {
		for _, f := range x.files {
			errs = append(errs, funcs.add(l, f, "_xtest")...)
		}
	}
	if errs != nil {
		return nil, errs
	}
	source := funcs.source(p, x)
	m := &pkg{
		place:      place{path: "main", tree: l.overlay, origin: ofLoader},
		importPath: p.importPath + ".test",
		name:       "main",
		generated:  true,
		given:      map[string]*pkg{p.path: p},
		loaded:     make(chan struct{}),
	}
	f := &file{name: "_testmain.go", key: "testmain:" + p.path, size: len(source)}
	fset := token.NewFileSet()
	fset.AddFile("", fileBase(f.key)-1, 0)
	var err error
	if f.ast, err = parser.ParseFile(fset, f.name, source, parser.SkipObjectResolution); err != nil {
		return nil, diag.Errorf("generated test main of %s: %v", p.path, err)
	}
	f.token = fset.File(f.ast.FileStart)
	m.files = []*file{f}
	l.mu.Lock()
	l.pkgs[m.key()] = m
	if x != nil {
		l.pkgs[x.key()] = x
		m.given[x.path] = x
	}
	l.mu.Unlock()
	if x != nil {
		x.imports = l.importsOf(x, x.files)
	}
	m.imports = l.importsOf(m, m.files)
	l.wg.Wait()
	return m, l.ended()
}

// add collects the tests of a file.
func (t *testFuncs) add(l *loader, f *file, pkg string) (errs diag.Errors) {
	seen := false
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		name := fn.Name.Name
		check := func(arg string) {
			why := ""
			if !isTestFunc(fn, arg) {
				why = fmt.Sprintf("must be: func %s(%s *testing.%s)", name, strings.ToLower(arg), arg)
			}
			if fn.Type.TypeParams.NumFields() > 0 {
				why = "test functions cannot have type parameters"
			}
			if why != "" {
				errs = append(errs, &diag.Error{Pos: l.position(f, fn.Pos()), Msg: fmt.Sprintf("wrong signature for %s, %s", name, why)})
			}
			seen = true
		}
		one := testFunc{pkg: pkg, name: name}
		switch {
		case name == "TestMain" && isTestFunc(fn, "T"):
			t.tests = append(t.tests, one)
			seen = true
		case name == "TestMain":
			check("M")
			if t.main != "" {
				errs = append(errs, &diag.Error{Pos: l.position(f, fn.Pos()), Msg: "multiple definitions of TestMain"})
			}
			t.main = pkg + ".TestMain"
		case isTest(name, "Test"):
			check("T")
			t.tests = append(t.tests, one)
		case isTest(name, "Benchmark"):
			check("B")
			t.benchmarks = append(t.benchmarks, one)
		case isTest(name, "Fuzz"):
			check("F")
			t.fuzz = append(t.fuzz, one)
		}
	}
	examples := doc.Examples(f.ast)
	slices.SortFunc(examples, func(a, b *doc.Example) int { return a.Order - b.Order })
	for _, e := range examples {
		if pkg == "_xtest" {
			t.importXtest = true
		}
		if e.Output == "" && !e.EmptyOutput {
			continue
		}
		t.examples = append(t.examples, testFunc{pkg, "Example" + e.Name, e.Output, e.Unordered})
		seen = true
	}
	if seen && pkg == "_xtest" {
		t.importXtest, t.needXtest = true, true
	}
	if seen && pkg == "_test" {
		t.needTest = true
	}
	return errs
}

// source returns the main package of the test binary.
func (t *testFuncs) source(p, x *pkg) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"os\"\n")
	if t.main != "" {
		b.WriteString("\t\"reflect\"\n")
	}
	b.WriteString("\t\"testing\"\n\t\"testing/internal/testdeps\"\n")
	imp := func(name, path string, need bool) {
		if !need {
			name = "_"
		}
		fmt.Fprintf(&b, "\t%s %q\n", name, path)
	}
	if len(p.files) > 0 {
		imp("_test", p.path, t.needTest)
	}
	if x != nil {
		imp("_xtest", x.path, t.needXtest)
	}
	b.WriteString(")\n")
	list := func(name, typ string, funcs []testFunc, example bool) {
		fmt.Fprintf(&b, "\nvar %s = []testing.%s{\n", name, typ)
		for _, f := range funcs {
			if example {
				fmt.Fprintf(&b, "\t{%q, %s.%s, %q, %v},\n", f.name, f.pkg, f.name, f.output, f.unordered)
			} else {
				fmt.Fprintf(&b, "\t{%q, %s.%s},\n", f.name, f.pkg, f.name)
			}
		}
		b.WriteString("}\n")
	}
	list("tests", "InternalTest", t.tests, false)
	list("benchmarks", "InternalBenchmark", t.benchmarks, false)
	list("fuzzTargets", "InternalFuzzTarget", t.fuzz, false)
	list("examples", "InternalExample", t.examples, true)
	modpath := ""
	if p.mod != nil {
		modpath = p.mod.Path
	}
	fmt.Fprintf(&b, "\nfunc init() {\n\ttestdeps.ModulePath = %q\n\ttestdeps.ImportPath = %q\n}\n", modpath, p.importPath)
	b.WriteString("\nfunc main() {\n\tm := testing.MainStart(testdeps.TestDeps{}, testdeps.Tests(tests), benchmarks, testdeps.FuzzTargets(fuzzTargets), testdeps.Examples(examples))\n")
	if t.main != "" {
		fmt.Fprintf(&b, "\t%s(m)\n\tos.Exit(int(reflect.ValueOf(m).Elem().FieldByName(\"exitCode\").Int()))\n", t.main)
	} else {
		b.WriteString("\tos.Exit(m.Run())\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// isTestFunc reports whether fn has the form of a testing function, whose one parameter is a
// pointer to testing's type arg. It cannot know how testing was imported, so it accepts a type of
// that name from any package.
func isTestFunc(fn *ast.FuncDecl, arg string) bool {
	if fn.Type.Results.NumFields() > 0 || fn.Type.Params.NumFields() != 1 {
		return false
	}
	ptr, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := ptr.X.(type) {
	case *ast.Ident:
		return x.Name == arg
	case *ast.SelectorExpr:
		return x.Sel.Name == arg
	}
	return false
}

// isTest reports whether name looks like a test: no lower-case letter follows the prefix.
func isTest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}
