package risk

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// testingAware: a program that is no test asks whether it is being tested or measured.
func testingAware(p *pkg, files []string) (list []hit) {
	p.inFiles(files, func(f *ast.File) {
		for _, imp := range f.Imports {
			if name, _ := strconv.Unquote(imp.Path.Value); name == "testing" || strings.HasPrefix(name, "testing/") ||
				strings.HasSuffix(name, "/testing") {
				list = append(list, p.hitAt(imp, "%s is imported outside of tests", name))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			at, name := p.called(call)
			switch {
			case at == "testing" && name == "Testing":
				list = append(list, p.hitAt(call, "testing.Testing makes the program another one in tests"))
			case at == "flag" && name == "Lookup" && len(call.Args) == 1 && strings.HasPrefix(p.stringOf(call.Args[0]), "test."):
				list = append(list, p.hitAt(call, "a flag of the test binary is read"))
			}
			return true
		})
	})
	return list
}

// asking are functions by which a program finds out how it was started or what calls it.
var asking = []string{
	"runtime.Caller", "runtime.Callers", "runtime.CallersFrames", "runtime.FuncForPC", "runtime.Stack",
	"runtime/debug.Stack", "runtime/debug.PrintStack",
	"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Executable", "os.Getppid", "os.Hostname",
	"runtime/debug.ReadBuildInfo", "flag.Parsed", "flag.VisitAll", "flag.Visit",
}

// benchmarkName: the program examines its callers or its command line, or contains words of a
// benchmark's output or name.
func benchmarkName(p *pkg, files []string) (list []hit) {
	p.inFiles(files, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if slices.Contains(asking, p.calledFunction(n)) {
					list = append(list, p.hitAt(n, "%s tells the program who runs it", p.expr(n.Fun)))
				}
			case *ast.SelectorExpr:
				if p.expr(n) == "os.Args" {
					list = append(list, p.hitAt(n, "os.Args tells the program who runs it"))
				}
			case *ast.BasicLit:
				text := p.stringOf(n)
				for _, word := range []string{"Benchmark", "_test.go", ".test", "test.bench", "RESEARCH_", "GYR_MEASURE"} {
					if strings.Contains(text, word) {
						list = append(list, p.hitAt(n, "%q is a word of benchmarks", text))
						break
					}
				}
			case *ast.ImportSpec:
				return false
			}
			return true
		})
	})
	return list
}

// printsResult: the program prints text that a harness reads as a result.
func printsResult(p *pkg, files []string) (list []hit) {
	p.inFiles(files, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				text := p.stringOf(lit)
				for _, word := range []string{"METRIC", "ns/op", "allocs/op", "B/op"} {
					if strings.Contains(text, word) {
						list = append(list, p.hitAt(lit, "%q is a line that the harness takes for a result", text))
						break
					}
				}
			}
			return true
		})
	})
	return list
}

// stringOf is the value of a string literal, empty for other expressions.
func (p *pkg) stringOf(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}

// inFiles calls f for the changed files of the package.
func (p *pkg) inFiles(files []string, f func(*ast.File)) {
	for _, full := range slices.Sorted(maps.Keys(p.files)) {
		if slices.Contains(files, full) {
			f(p.files[full])
		}
	}
}

// systems are words after an underscore by which the go command selects files. The list has only
// machines that are measured on.
var systems = []string{"linux", "darwin", "windows", "freebsd", "unix", "wasip1", "js", "amd64", "arm64", "386",
	"arm", "riscv64", "wasm"}

// buildTag: a file now belongs to some builds only.
func buildTag(c *change) (list []hit) {
	for _, full := range c.files {
		f := c.new.files[full]
		if f == nil {
			continue
		}
		before := ""
		if old := c.old.files[full]; old != nil {
			before = constraints(old)
		}
		if now := constraints(f); now != before && now != "" {
			list = append(list, hit{pos: f.Package, where: now, text: "the file is built under another condition than before: " + now})
		}
		stem := strings.TrimSuffix(path.Base(full), ".go")
		if word := stem[strings.LastIndexByte(stem, '_')+1:]; c.old.files[full] == nil && word != stem &&
			slices.Contains(systems, word) {
			list = append(list, hit{pos: f.Package, where: word, text: "the new file is built for " + word + " only"})
		}
	}
	return list
}

// constraints are the lines of a file that restrict its builds.
func constraints(f *ast.File) string {
	var lines []string
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "// +build") {
				lines = append(lines, c.Text)
			}
		}
	}
	return strings.Join(lines, " ")
}

// linkname: the code takes a name from another package, or gives it one.
func linkname(p *pkg, files []string) (list []hit) {
	p.directives(files, func(c *ast.Comment) {
		if strings.HasPrefix(c.Text, "//go:linkname") {
			list = append(list, hit{pos: c.Pos(), where: c.Text, text: "go:linkname reaches past what packages export"})
		}
	})
	return list
}

// compilerHints are directives that make code unsound if they are wrong.
var compilerHints = []string{"//go:noescape", "//go:nosplit", "//go:nocheckptr", "//go:uintptrescapes", "//go:norace",
	"//go:cgo_", "//go:systemstack"}

// directive: the code tells the compiler something that it cannot check.
func directive(p *pkg, files []string) (list []hit) {
	p.directives(files, func(c *ast.Comment) {
		for _, d := range compilerHints {
			if strings.HasPrefix(c.Text, d) {
				list = append(list, hit{pos: c.Pos(), where: c.Text, text: strings.TrimPrefix(d, "//") + " tells the compiler what it cannot check"})
			}
		}
	})
	p.inFiles(files, func(f *ast.File) {
		for _, imp := range f.Imports {
			if imp.Path.Value == `"C"` {
				list = append(list, hit{pos: imp.Pos(), where: "C", text: "code in C is not checked by anything here"})
			}
		}
	})
	return list
}

func (p *pkg) directives(files []string, visit func(*ast.Comment)) {
	p.inFiles(files, func(f *ast.File) {
		for _, g := range f.Comments {
			for _, c := range g.List {
				visit(c)
			}
		}
	})
}

// otherLanguage: a file that is not Go belongs to the build.
func otherLanguage(name string, text []byte) string {
	switch path.Ext(name) {
	case ".s", ".S", ".c", ".h", ".cc", ".cpp", ".syso", ".a", ".o":
		if text != nil {
			return "a file that no rule reads belongs to the build"
		}
	}
	return ""
}

// outside are packages by which a program reaches beyond itself.
var outside = []string{"os/exec", "syscall", "net", "net/http", "plugin", "os/signal", "golang.org/x/sys/unix",
	"runtime/cgo"}

// capability: the code imports a package that reaches beyond the process.
func capability(p *pkg, files []string) (list []hit) {
	p.inFiles(files, func(f *ast.File) {
		for _, imp := range f.Imports {
			if name, _ := strconv.Unquote(imp.Path.Value); slices.Contains(outside, name) {
				h := p.hitAt(imp, "%s is imported, by which the program reaches beyond itself", name)
				list = append(list, h)
			}
		}
	})
	return list
}
