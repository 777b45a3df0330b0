//go:build ignore

// Command generate copies the passes of go vet from a Go installation: those that its own vet is built of, with what
// they need of golang.org/x/tools that others cannot import. See doc.go for what it changes.
//
//	go run generate.go
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// roots are the passes of go vet, and those that they require.
var roots = strings.Fields(`appends asmdecl assign atomic bools buildtag cgocall composite copylock ctrlflow defers
	directive errorsas framepointer hostport httpresponse ifaceassert inspect loopclosure lostcancel nilfunc printf shift
	sigchanyzer slog stdmethods stdversion stringintconv structtag testinggoroutine tests timeformat unmarshal unreachable
	unsafeptr unusedresult waitgroup`)

const (
	tools = "golang.org/x/tools/"
	here  = "github.com/gyrvm/gyr/internal/tools/vet/passes/"
)

// written are the packages that stand here already.
var written = []string{"internal/stdlib"}

// edits are changes of files, each at one place.
var edits = map[string][][2]string{
	"ctrlflow/ctrlflow.go": {
		{"\t\"golang.org/x/tools/internal/cfginternal\"\n", ""},
		{"\t\"golang.org/x/tools/go/analysis/passes/internal/ctrlflowinternal\"\n", ""},
		{"func init() {\n\t// Expose the hidden method to callers in x/tools.\n\tctrlflowinternal.NoReturn = func(c any, fn *types.Func) bool {\n\t\treturn c.(*CFGs).isNoReturn(fn)\n\t}\n}\n\n", ""},
		{"cfginternal.IsNoReturn(li.cfg)", "li.cfg.NoReturn()"},
		{"cfginternal.IsNoReturn(di.cfg)", "di.cfg.NoReturn()"},
	},
	"internal/typesinternal/types.go": {{"(code ErrorCode,", "(code int,"}, {"return ErrorCode(data[0]),", "return data[0],"}},
	"internal/typesinternal/classify_call.go": {
		{"\t_ \"unsafe\"\n", ""},
		{"//go:linkname interfaceMethod golang.org/x/tools/go/types/typeutil.interfaceMethod\n", ""},
		{"//go:linkname usedIdent golang.org/x/tools/go/types/typeutil.usedIdent\n", ""},
		{"func usedIdent(info *types.Info, e ast.Expr) *ast.Ident\n", usedIdent},
		{"func interfaceMethod(f *types.Func) bool\n", interfaceMethod},
	},
	"internal/typesinternal/toonew.go": {{"stdlib.PackageSymbols[pkg.Path()]", "stdlib.Symbols(pkg.Path())"}},
	"internal/analysis/analyzerutil/version.go": {
		{"\t// Standard packages that are part of toolchain bootstrapping\n\t// are not considered to use a version of Go later than the\n\t// current bootstrap toolchain version.\n\t// The bootstrap rule does not cover tests,\n\t// and some tests (e.g. debug/elf/file_test.go) rely on this.\n\tpkgpath := pass.Pkg.Path()\n\tif packagepath.IsStdPackage(pkgpath) &&\n\t\tstdlib.IsBootstrapPackage(pkgpath) && // (excludes \"*_test\" external test packages)\n\t\t!strings.HasSuffix(pass.Fset.File(file.Pos()).Name(), \"_test.go\") { // (excludes all tests)\n\t\tfileVersion = stdlib.BootstrapVersion.String() // package must bootstrap\n\t}\n\n", ""},
		{"\t\"strings\"\n", ""},
		{"\t\"golang.org/x/tools/internal/packagepath\"\n", ""},
		{"\t\"golang.org/x/tools/internal/stdlib\"\n", ""},
	},
}

func main() {
	log.SetFlags(0)
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src", "cmd", "vendor", "golang.org", "x", "tools")
	c := &copier{root: root, done: map[string]bool{}}
	for _, p := range roots {
		c.copy("go/analysis/passes/" + p)
	}
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("LICENSE", license, 0o644); err != nil {
		log.Fatal(err)
	}
	writeSymbols(root)
}

// usedIdent and interfaceMethod are the functions of package typeutil, which newer versions of it do not have.
const usedIdent = `func usedIdent(info *types.Info, e ast.Expr) *ast.Ident {
	if info.Types == nil || info.Uses == nil {
		panic("one of info.Types or info.Uses is nil; both must be populated")
	}
	// Look through type instantiation if necessary.
	switch d := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if info.Types[d.Index].IsType() {
			e = d.X
		}
	case *ast.IndexListExpr:
		e = d.X
	}

	switch e := ast.Unparen(e).(type) {
	// info.Uses always has the object we want, even for selector expressions.
	// We don't need info.Selections.
	// See go/types/recording.go:recordSelection.
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}
`

const interfaceMethod = `func interfaceMethod(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}
`

type copier struct {
	root string
	done map[string]bool
}

// target is the folder of a package's copy, or empty if the package is imported as it is.
func target(pkg string) string {
	for _, prefix := range []string{"go/analysis/passes/", ""} {
		if rest, ok := strings.CutPrefix(pkg, prefix); ok && (prefix != "" || strings.HasPrefix(pkg, "internal/")) {
			return rest
		}
	}
	return ""
}

// copy copies a package of golang.org/x/tools, and those that it imports.
func (c *copier) copy(pkg string) {
	dir := target(pkg)
	if c.done[pkg] || slices.Contains(written, dir) {
		return
	}
	c.done[pkg] = true
	files, _ := filepath.Glob(filepath.Join(c.root, filepath.FromSlash(pkg), "*.go"))
	if len(files) == 0 {
		log.Fatalf("no files in %s", pkg)
	}
	os.RemoveAll(filepath.FromSlash(dir))
	if err := os.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		log.Fatal(err)
	}
	docs := ""
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && filepath.Base(f) == "doc.go" {
			docs = string(b)
		}
	}
	for _, f := range files {
		name := path.Join(dir, filepath.Base(f))
		src, err := os.ReadFile(f)
		if err != nil {
			log.Fatal(err)
		}
		if dropped[name] {
			continue
		}
		src = rewrite(name, src, docs)
		if err := os.WriteFile(filepath.FromSlash(name), src, 0o644); err != nil {
			log.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			log.Fatal(err)
		}
		for _, spec := range file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if rest, ok := strings.CutPrefix(p, here); ok {
				c.copy(source(rest))
			}
		}
	}
}

// source is the package of golang.org/x/tools whose copy is in a folder.
func source(dir string) string {
	if slices.Contains(written, dir) {
		return dir
	}
	if strings.HasPrefix(dir, "internal/") {
		return dir
	}
	return "go/analysis/passes/" + dir
}

// dropped are files that nothing here needs.
var dropped = map[string]bool{
	"internal/typesinternal/errorcode.go": true, "internal/typesinternal/errorcode_string.go": true,
	"internal/analysis/analyzerutil/extractdoc.go": true,
}

var (
	mustExtract = regexp.MustCompile(`analyzerutil\.MustExtractDoc\(doc, ("[a-z]+"|[A-Za-z]+)\)`)
	embedDoc    = regexp.MustCompile(`(?m)^//go:embed doc.go\nvar doc string\n+`)
	embedImport = regexp.MustCompile(`(?m)^(import|\t*)\s*_ "embed"\n`)
	importPath  = regexp.MustCompile(`"golang.org/x/tools/([a-z0-9/]+)"`)
	global      = regexp.MustCompile(`(?m)^var ([A-Za-z]+) += regexp\.MustCompile\((.*)\)$`)
	inBlock     = regexp.MustCompile(`(?m)^\t([A-Za-z]+) += (regexp\.MustCompile|re)\((.*)\)$`)
)

// rewrite makes the copy of a file.
func rewrite(name string, src []byte, docs string) []byte {
	s := string(src)
	for _, e := range edits[name] {
		if strings.Count(s, e[0]) != 1 {
			log.Fatalf("%s: %q is there %d times", name, e[0], strings.Count(s, e[0]))
		}
		s = strings.Replace(s, e[0], e[1], 1)
	}
	s = mustExtract.ReplaceAllStringFunc(s, func(m string) string {
		arg := mustExtract.FindStringSubmatch(m)[1]
		which, err := strconv.Unquote(arg)
		if err != nil {
			log.Fatalf("%s: %s", name, m)
		}
		return strconv.Quote(extractDoc(docs, which))
	})
	s = embedDoc.ReplaceAllString(s, "")
	s = embedImport.ReplaceAllString(s, "")
	if !strings.Contains(s, "analyzerutil.") {
		s = strings.Replace(s, "\t\"golang.org/x/tools/internal/analysis/analyzerutil\"\n", "", 1)
	}
	s = importPath.ReplaceAllStringFunc(s, func(m string) string {
		rest := importPath.FindStringSubmatch(m)[1]
		if dir := target(rest); dir != "" {
			return strconv.Quote(here + dir)
		}
		return m
	})
	// Regular expressions are compiled when they are first used.
	var names []string
	for _, re := range []*regexp.Regexp{global, inBlock} {
		s = re.ReplaceAllStringFunc(s, func(m string) string {
			sub := re.FindStringSubmatch(m)
			names = append(names, sub[1])
			call, arg := "regexp.MustCompile", sub[len(sub)-1]
			if len(sub) == 4 {
				call = sub[2]
			}
			head := "\t"
			if re == global {
				head = "var "
			}
			return fmt.Sprintf("%s%s = sync.OnceValue(func() *regexp.Regexp { return %s(%s) })", head, sub[1], call, arg)
		})
	}
	for _, n := range names {
		use := regexp.MustCompile(`\b` + n + `\.(Find|Match|Replace)`)
		s = use.ReplaceAllString(s, n+"().$1")
	}
	if len(names) > 0 && !strings.Contains(s, "\t\"sync\"\n") {
		s = strings.Replace(s, "\t\"regexp\"\n", "\t\"regexp\"\n\t\"sync\"\n", 1)
	}
	s = "// Code generated by generate.go from golang.org/x/tools, as the Go release has it. DO NOT EDIT.\n\n" + s
	b, err := format.Source([]byte(s))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return b
}

// extractDoc returns the section about a pass in the comment of its package.
func extractDoc(src, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", src, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		log.Fatal(err)
	}
	for section := range strings.SplitSeq(f.Doc.Text(), "\n# ") {
		if body, ok := strings.CutPrefix(section, "Analyzer "+name+"\n"); ok {
			return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(body), name+":"))
		}
	}
	log.Fatalf("no documentation of %s", name)
	return ""
}

// oldest is the oldest release whose symbols anybody asks for: files have no older version in modules that the pass
// looks at, those of Go 1.21 or later.
const oldest = 22

// writeSymbols writes the table of symbols of the standard library that are younger than that.
func writeSymbols(root string) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal", "stdlib", "manifest.go"), nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated by generate.go. DO NOT EDIT.\n\npackage stdlib\n\n// table has a line for each package and, behind a tab, for each of its symbols.\nconst table = `")
	ast.Inspect(f, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		path, _ := strconv.Unquote(kv.Key.(*ast.BasicLit).Value)
		head := path + "\n"
		for _, e := range kv.Value.(*ast.CompositeLit).Elts {
			elts := e.(*ast.CompositeLit).Elts
			name, _ := strconv.Unquote(elts[0].(*ast.BasicLit).Value)
			version, _ := strconv.Atoi(elts[2].(*ast.BasicLit).Value)
			if version >= oldest {
				fmt.Fprintf(&b, "%s\t%s %s %d\n", head, name, elts[1].(*ast.Ident).Name, version)
				head = ""
			}
		}
		return false
	})
	b.WriteString("`\n")
	if err := os.WriteFile("internal/stdlib/table.go", b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
