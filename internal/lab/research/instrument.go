package research

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// A sourcePackage is the text of a package of a checkout whose functions are to be called.
type sourcePackage struct {
	dir       string
	name      string
	fset      *token.FileSet
	files     map[string]*ast.File // by name, without tests
	texts     map[string][]byte
	functions map[string]*sourceFunction
	types     map[string][]string // type arguments by name of the type, for each instance; none if they are unknown
	vars      map[string]bool
	tests     []string    // of the package itself: tests and examples
	outer     []string    // of the external test package
	benches   [2][]string // benchmarks of the package itself, and of the external test package
	innerName string      // names of the packages of test files
	outerName string
	strings   map[string]bool // literals of sources, tests and fuzz corpora
	ints      map[int64]bool
}

// A sourceFunction is a function, or a method as a function: (*T).Name.
type sourceFunction struct {
	file      string
	decl      *ast.FuncDecl
	calls     []string // as an expression, with type arguments; none if those are unknown
	own       string   // as an expression in the function itself, if it is generic
	signature string
	text      string
	recv      string // name of the receiver's type
	exported  bool   // the function and its receiver's type are
}

// readSourcePackage reads the package in a directory. Files that do not parse are left out.
func readSourcePackage(dir string) *sourcePackage {
	p := &sourcePackage{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}, texts: map[string][]byte{},
		functions: map[string]*sourceFunction{}, types: map[string][]string{}, vars: map[string]bool{},
		strings: map[string]bool{}, ints: map[int64]bool{}}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is valid
	for _, name := range names {
		base := filepath.Base(name)
		if ok, err := build.Default.MatchFile(dir, base); !ok || err != nil {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue
		}
		p.literals(f)
		if strings.HasSuffix(base, "_test.go") {
			p.readTests(f)
			continue
		}
		if p.name != "" && p.name != f.Name.Name {
			continue // such as a file for go run
		}
		p.name, p.files[base], p.texts[base] = f.Name.Name, f, text
	}
	for _, f := range p.files {
		p.declarations(f)
	}
	for base, f := range p.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				p.function(base, fn)
			}
		}
	}
	p.corpora(filepath.Join(dir, "testdata", "fuzz"))
	return p
}

func (p *sourcePackage) declarations(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if !spec.Assign.IsValid() && spec.Name.Name != "_" {
					p.types[spec.Name.Name] = typeArguments(spec.TypeParams)
				}
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					if g.Tok == token.VAR && id.Name != "_" {
						p.vars[id.Name] = true
					}
				}
			}
		}
	}
}

// instances are the arguments of type parameters, by turns. Those that tests use are found while tests
// run (probe/instance.go). The second one is the instance with floats.
var instances = [][]string{{"int", "string"}, {"float64"}}

// typeArguments are arguments for a list of type parameters, one for each instance. A type or function
// without type parameters has one, which is empty. There is none if a constraint may not allow them.
func typeArguments(list *ast.FieldList) (args []string) {
	if list == nil {
		return []string{""}
	}
	for _, f := range list.List {
		switch c := types.ExprString(f.Type); c {
		case "any", "interface{}", "comparable", "cmp.Ordered", "constraints.Ordered":
		default:
			return nil
		}
	}
	for _, of := range instances {
		var words []string
		for range list.NumFields() {
			words = append(words, of[len(words)%len(of)])
		}
		args = append(args, "["+strings.Join(words, ", ")+"]")
	}
	return args
}

// instance is a generic function with its own type parameters as arguments, as it may stand in its body.
// It is empty if a name there may mean something else.
func instance(fn *ast.FuncDecl, format, generic string, args []ast.Expr) string {
	var words []string
	for _, a := range args {
		id, ok := a.(*ast.Ident)
		if !ok || id.Name == "_" {
			return ""
		}
		words = append(words, id.Name)
	}
	hidden := false
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results, fn.Type.TypeParams} {
		if list != nil {
			for _, f := range list.List {
				hidden = hidden || slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == generic })
			}
		}
	}
	if len(words) == 0 || hidden || slices.Contains(words, generic) {
		return ""
	}
	return fmt.Sprintf(format, generic+"["+strings.Join(words, ", ")+"]")
}

func (p *sourcePackage) function(file string, fn *ast.FuncDecl) {
	name := fn.Name.Name
	if name == "_" || fn.Recv == nil && (name == "init" || name == "main") {
		return
	}
	f := &sourceFunction{file: file, decl: fn, signature: signature(fn.Type), exported: fn.Name.IsExported()}
	start, end := p.fset.Position(fn.Pos()).Offset, p.fset.Position(fn.End()).Offset
	f.text = string(p.texts[file][start:end])
	if fn.Recv != nil {
		recv := fn.Recv.List[0].Type
		star := ""
		if s, ok := recv.(*ast.StarExpr); ok {
			star, recv = "*", s.X
		}
		var params []ast.Expr
		switch x := recv.(type) {
		case *ast.IndexExpr:
			recv, params = x.X, []ast.Expr{x.Index}
		case *ast.IndexListExpr:
			recv, params = x.X, x.Indices
		}
		f.recv = types.ExprString(recv)
		f.own = instance(fn, "("+star+"%s)."+fn.Name.Name, f.recv, params)
		args, ok := p.types[f.recv]
		if !ok {
			return
		}
		f.exported = f.exported && ast.IsExported(f.recv)
		name = "(" + star + f.recv + ")." + name
		for _, a := range args {
			f.calls = append(f.calls, "("+star+f.recv+a+")."+fn.Name.Name)
		}
	} else {
		if list := fn.Type.TypeParams; list != nil {
			var params []ast.Expr
			for _, f := range list.List {
				for _, id := range f.Names {
					params = append(params, id)
				}
			}
			f.own = instance(fn, "%s", name, params)
		}
		for _, a := range typeArguments(fn.Type.TypeParams) {
			f.calls = append(f.calls, name+a)
		}
	}
	p.functions[name] = f
}

func (p *sourcePackage) readTests(f *ast.File) {
	list, benches := &p.tests, &p.benches[0]
	if strings.HasSuffix(f.Name.Name, "_test") {
		list, benches, p.outerName = &p.outer, &p.benches[1], f.Name.Name
	} else {
		p.innerName = f.Name.Name
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Type.TypeParams != nil {
			continue
		}
		params := fn.Type.Params.NumFields()
		switch name := fn.Name.Name; {
		case strings.HasPrefix(name, "Test") && name != "TestMain" && params == 1 && fn.Type.Results == nil &&
			types.ExprString(fn.Type.Params.List[0].Type) == "*testing.T",
			strings.HasPrefix(name, "Example") && params == 0 && fn.Type.Results == nil:
			*list = append(*list, name)
		case strings.HasPrefix(name, "Benchmark") && params == 1 && fn.Type.Results == nil &&
			types.ExprString(fn.Type.Params.List[0].Type) == "*testing.B":
			*benches = append(*benches, name)
		}
	}
}

// only is the package with no other tests than those with the names, and all of its benchmarks.
func (p *sourcePackage) only(tests []string) *sourcePackage {
	other := func(name string) bool { return !slices.Contains(tests, name) && !slices.Contains(tests, "all") }
	p.tests, p.outer = slices.DeleteFunc(p.tests, other), slices.DeleteFunc(p.outer, other)
	return p
}

// runs reports whether the package has tests or benchmarks.
func (p *sourcePackage) runs() bool {
	return len(p.tests)+len(p.outer)+len(p.benches[0])+len(p.benches[1]) > 0
}

// mostLiteral bounds the length of literals that become inputs.
const mostLiteral = 200

// literals collects the literals of a file, except imports and tags.
func (p *sourcePackage) literals(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil // the tree is not printed
		case *ast.BasicLit:
			p.literal(n)
		}
		return true
	})
}

func (p *sourcePackage) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.STRING:
		if s, err := strconv.Unquote(n.Value); err == nil && len(s) <= mostLiteral {
			p.strings[s] = true
		}
	case token.CHAR:
		if s, err := strconv.Unquote(n.Value); err == nil {
			p.strings[s] = true
		}
	case token.INT:
		if i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil && i <= 1<<16 {
			p.ints[i] = true
		}
	}
}

// corpora collects the values in seeds of fuzz tests: lines such as string("x").
func (p *sourcePackage) corpora(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), "go test fuzz v1") || len(p.strings) > 10*mostLiteral {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if e, err := parser.ParseExpr(strings.TrimSpace(line)); err == nil {
				ast.Inspect(e, func(n ast.Node) bool {
					if l, ok := n.(*ast.BasicLit); ok {
						p.literal(l)
					}
					return true
				})
			}
		}
	}
}

// dictionary has the literals of both versions, few enough that each is used now and then.
func dictionary(a, b *sourcePackage) (words []string, numbers []int64) {
	all, ints := map[string]bool{}, map[int64]bool{}
	for _, p := range []*sourcePackage{a, b} {
		for s := range p.strings {
			all[s] = true
		}
		for i := range p.ints {
			ints[i] = true
		}
	}
	const most = 300
	words = sortedKeys(all)
	for i := range ints {
		numbers = append(numbers, i)
	}
	slices.Sort(numbers)
	return words[:min(len(words), most)], numbers[:min(len(numbers), most)]
}

// declared is the text of what a package declares beside functions.
func (p *sourcePackage) declared() string {
	var list []string
	for file, f := range p.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.IMPORT {
				list = append(list, string(p.texts[file][p.fset.Position(g.Pos()).Offset:p.fset.Position(g.End()).Offset]))
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// changedFunctions are the functions whose texts differ, and those that are new. It is empty if
// something else changed too: any function may depend on it.
func changedFunctions(old, now *sourcePackage) (names []string) {
	if old.declared() != now.declared() {
		return nil
	}
	for _, name := range sortedKeys(now.functions) {
		if was := old.functions[name]; was == nil || was.text != now.functions[name].text {
			names = append(names, name)
		}
	}
	return names
}

// differentTypes are the types whose declarations differ, with what both versions have.
func differentTypes(old, now *sourcePackage) map[string]*probe.Shared {
	list := map[string]*probe.Shared{}
	before, after := old.declaredTypes(), now.declaredTypes()
	for name, was := range before {
		then, ok := fieldsOf(was)
		is, both := after[name]
		today, alsoStruct := fieldsOf(is)
		switch {
		case !both:
		case !ok || !alsoStruct:
			if types.ExprString(was) != types.ExprString(is) {
				list[name] = &probe.Shared{Other: true}
			}
		case !maps.Equal(then, today):
			x := &probe.Shared{}
			for _, field := range sortedKeys(then) {
				if today[field] == then[field] {
					x.Fields = append(x.Fields, field)
				} else {
					x.Lacks = true
				}
			}
			list[name] = x
		}
	}
	return list
}

// declaredTypes are the types of a package, by name.
func (p *sourcePackage) declaredTypes() map[string]ast.Expr {
	list := map[string]ast.Expr{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						list[t.Name.Name] = t.Type
					}
				}
			}
		}
	}
	return list
}

// fieldsOf are the types of a struct's fields as text, by name.
func fieldsOf(t ast.Expr) (fields map[string]string, ok bool) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return nil, false
	}
	fields = map[string]string{}
	for _, f := range s.Fields.List {
		text := types.ExprString(f.Type)
		for _, id := range f.Names {
			fields[id.Name] = text
		}
		if len(f.Names) == 0 {
			name := strings.TrimPrefix(text, "*")
			name, _, _ = strings.Cut(name, "[")
			fields[name[strings.LastIndexByte(name, '.')+1:]] = text
		}
	}
	return fields, true
}

// mostLimit bounds the numbers that may be limits of sizes.
const mostLimit = 1 << 16

// differentLiterals are the literals of one version that the other does not have.
func differentLiterals(a, b *sourcePackage) (limits []int64, floats []float64, words []string) {
	all := [2]map[string]token.Token{{}, {}}
	for i, p := range []*sourcePackage{a, b} {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok {
					all[i][l.Value] = l.Kind
				}
				_, is := n.(*ast.ImportSpec)
				return !is
			})
		}
	}
	for i := range all {
		for _, text := range sortedKeys(all[i]) {
			if _, both := all[1-i][text]; both {
				continue
			}
			switch all[i][text] {
			case token.INT:
				if x, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64); err == nil && x <= mostLimit {
					limits = append(limits, x)
				}
			case token.FLOAT:
				if x, err := strconv.ParseFloat(text, 64); err == nil {
					floats = append(floats, x)
				}
			case token.STRING, token.CHAR:
				if s, err := strconv.Unquote(text); err == nil && len(s) <= mostLiteral {
					words = append(words, s)
				}
			}
		}
	}
	const most = 24
	return limits[:min(len(limits), most)], floats[:min(len(floats), most)], words[:min(len(words), most)]
}

// instrument returns the files of the package with a call at the start of each function that notes
// its arguments. Lines do not move.
func (p *sourcePackage) instrument(probePath string) map[string]string {
	out := map[string]string{}
	edits := map[string][]edit{}
	for _, key := range sortedKeys(p.functions) {
		f := p.functions[key]
		if directed(f.decl) {
			continue
		}
		edits[f.file] = append(edits[f.file], p.watch(key, f)...)
	}
	for file, list := range edits {
		end := p.fset.Position(p.files[file].Name.End()).Offset
		list = append(list, edit{end, 0, "; import researchProbe " + strconv.Quote(probePath)})
		slices.SortStableFunc(list, func(a, b edit) int { return b.at - a.at })
		text := string(p.texts[file])
		for _, e := range list {
			text = text[:e.at] + e.text + text[e.at+e.cut:]
		}
		out[file] = text
	}
	return out
}

// An edit replaces bytes at an offset.
type edit struct {
	at, cut int
	text    string
}

// directed reports whether a function has a compiler directive that an added call would break.
func directed(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:noinline")
	})
}

// watch are the edits that make a function report its calls. Parameters and results without a name
// get one.
func (p *sourcePackage) watch(key string, f *sourceFunction) (list []edit) {
	offset := func(pos token.Pos) int { return p.fset.Position(pos).Offset }
	named := func(fields *ast.FieldList, prefix string) (names []string) {
		if fields == nil {
			return nil
		}
		for _, field := range fields.List {
			if len(field.Names) == 0 {
				name := fmt.Sprint(prefix, len(names))
				list = append(list, edit{offset(field.Type.Pos()), 0, name + " "})
				names = append(names, name)
			}
			for _, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = fmt.Sprint(prefix, len(names))
					list = append(list, edit{offset(id.Pos()), 1, name})
				}
				names = append(names, name)
			}
		}
		return names
	}
	params := append(named(f.decl.Recv, "researchR"), named(f.decl.Type.Params, "researchP")...)
	results := f.decl.Type.Results
	outs := named(results, "researchO")
	if results != nil && !results.Opening.IsValid() {
		// Of two edits at one place the later one comes first in the text.
		list = append(list, edit{offset(results.Pos()), 0, "("}, edit{offset(results.End()), 0, ")"})
	}
	pointers := func(names []string) string {
		text := ""
		for i, name := range names {
			if i > 0 {
				text += ", "
			}
			text += "&" + name
		}
		return text
	}
	head := fmt.Sprintf("%q, %v", key, f.decl.Recv != nil)
	if len(params) > 0 {
		head += ", " + pointers(params)
	}
	text := fmt.Sprintf(" defer researchProbe.Enter(%s)(%s);", head, pointers(outs))
	if f.own != "" {
		text = fmt.Sprintf(" researchProbe.Instantiate(%q, %s);", key, f.own) + text
	}
	return append(list, edit{offset(f.decl.Body.Lbrace) + 1, 0, text})
}

// table is the file that describes the package to the probe.
func (p *sourcePackage) table(probePath string, functions []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport researchProbe %q\n\n", p.name, probePath)
	b.WriteString("func init() {\n\tresearchProbe.Described = &researchProbe.Package{\n")
	entries := func(k int) { // of generic types and functions alone, after the first instance
		// A function without type arguments that are known has only a name.
		b.WriteString("\t\tFunctions: map[string]interface{}{\n")
		for _, name := range functions {
			switch f := p.functions[name]; {
			case f == nil:
			case k < len(f.calls):
				fmt.Fprintf(&b, "\t\t\t%q: %s,\n", name, f.calls[k])
			case k == 0:
				fmt.Fprintf(&b, "\t\t\t%q: nil,\n", name)
			}
		}
		b.WriteString("\t\t},\n\t\tTypes: []interface{}{\n")
		for _, name := range sortedKeys(p.types) {
			if args := p.types[name]; k < len(args) {
				fmt.Fprintf(&b, "\t\t\t(*%s%s)(nil),\n", name, args[k])
			}
		}
		b.WriteString("\t\t},\n")
	}
	entries(0)
	fmt.Fprintf(&b, "\t\tNamed: %#v,\n", sortedKeys(p.declaredTypes()))
	b.WriteString("\t\tFloats: researchProbe.Instance{\n")
	entries(1)
	b.WriteString("\t\t},\n\t\tState: map[string]interface{}{\n")
	for _, name := range sortedKeys(p.vars) {
		fmt.Fprintf(&b, "\t\t\t%q: &%s,\n", name, name)
	}
	b.WriteString("\t\t},\n\t}\n}\n")
	return b.String()
}

// suite is the test file that starts the probe with the tests and benchmarks of the package.
func (p *sourcePackage) suite(probePath string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\tresearchTesting \"testing\"\n\n\tresearchProbe %q\n)\n\n",
		cmp.Or(p.name, p.innerName, strings.TrimSuffix(p.outerName, "_test")), probePath)
	fmt.Fprintf(&b, "func %s(t *researchTesting.T) {\n\terr := researchProbe.Main(&researchProbe.Suite{\n", probeTest)
	b.WriteString("\t\tTests: []researchProbe.Test{\n")
	for _, name := range p.tests {
		fmt.Fprintf(&b, "\t\t\t%s,\n", runsTest(name))
	}
	b.WriteString("\t\t},\n\t\tBenches: []researchProbe.Test{\n")
	for _, name := range p.benches[0] {
		fmt.Fprintf(&b, "\t\t\t%s,\n", runsBenchmark(name))
	}
	b.WriteString("\t\t},\n" + namedBenchmarks + "\t\tGroup: func(body func(t interface{})) {\n" +
		"\t\t\tt.Run(\"own\", func(t *researchTesting.T) { body(t) })\n\t\t},\n\t})\n" +
		"\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n")
	return b.String()
}

// namedBenchmarks is a field of the table. A panic ends the benchmark, not the process.
const namedBenchmarks = `		Named: func(benches []researchProbe.Test, match func(pattern, name string) bool) {
			var list []researchTesting.InternalBenchmark
			for _, x := range benches {
				body := x.Body.(func(*researchTesting.B))
				list = append(list, researchTesting.InternalBenchmark{Name: x.Name, F: func(b *researchTesting.B) {
					defer func() { recover() }()
					body(b)
				}})
			}
			researchTesting.RunBenchmarks(func(pattern, name string) (bool, error) { return match(pattern, name), nil }, list)
		},
`

// outerTable is the test file that adds the tests and benchmarks of the external test package.
func (p *sourcePackage) outerTable(probePath string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport researchProbe %q\n", p.outerName, probePath)
	if len(p.outer) > 0 { // benchmarks alone do not use it
		b.WriteString("\nimport researchTesting \"testing\"\n")
	}
	b.WriteString("\nfunc init() {\n")
	for _, name := range p.outer {
		fmt.Fprintf(&b, "\tresearchProbe.More = append(researchProbe.More, researchProbe.Test%s)\n", runsTest(name))
	}
	for _, name := range p.benches[1] {
		fmt.Fprintf(&b, "\tresearchProbe.MoreBenches = append(researchProbe.MoreBenches, researchProbe.Test%s)\n", runsBenchmark(name))
	}
	b.WriteString("}\n")
	return b.String()
}

// runsBenchmark is the literal of a probe.Test without its type.
func runsBenchmark(name string) string {
	return fmt.Sprintf("{Name: %q, Body: %s}", name, name)
}

// runsTest is the literal of a probe.Test without its type. A panic ends the test, not the process.
func runsTest(name string) string {
	call := name + "(t)"
	if strings.HasPrefix(name, "Example") {
		call = name + "()"
	}
	return fmt.Sprintf("{Name: %q, Run: func(t interface{}) { t.(*researchTesting.T).Run(%q, func(t *researchTesting.T) { "+
		"defer func() { recover() }(); %s }) }}", name, name, call)
}
