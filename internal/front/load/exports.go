package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/rewrite"
	"github.com/gyrvm/gyr/internal/ir"
)

// Programs that the host calls.
//
// With Options.Exports the package that Patterns names is a library, whatever its name. The code
// below generates a function that runs in place of its main function. This function reports the
// exported functions to the host. Then it makes the calls that the host requests, one after the
// other, on the first goroutine.
//
// Values cross in two structs, one for the arguments and one for the results. A generic function
// for each shape of signature spells their types, so that generated code need not name a type of
// the package. A last result of type error crosses as its text.

// The generated code talks to the host, and is part of the user's package. Its names become ones
// that cannot be written in Go (gyr_main becomes gyr·main), so that no other code of the package
// can use them.

// ExportsMain is the function that replaces main.
const ExportsMain = rewrite.HiddenPrefix + "main"

const writtenPrefix = "gyr_"

// ShownName returns the name of a function as tracebacks show it. The names of generated functions
// cannot be written in Go.
func ShownName(name string) string {
	return strings.Replace(name, rewrite.HiddenPrefix, writtenPrefix, 1)
}

// hideNames renames the declarations of a generated file.
func hideNames(f *file) {
	for _, d := range f.ast.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if rest, ok := strings.CutPrefix(id.Name, writtenPrefix); ok {
					id.Name = rewrite.HiddenPrefix + rest
				}
			}
			return true
		})
	}
	for i := range f.directives {
		d := &f.directives[i]
		d.Text = strings.Replace(d.Text, "linkname "+writtenPrefix, "linkname "+rewrite.HiddenPrefix, 1)
	}
}

// addExports adds the generated file to the package p, which is loaded.
func (l *loader) addExports(p *pkg) error {
	if p.errs != nil || p.syntax != nil || len(p.files) == 0 {
		return nil // reported elsewhere
	}
	var src strings.Builder
	fmt.Fprintf(&src, "package %s\n\n", p.name)
	src.WriteString(exportsHead)
	shapes := map[string]bool{}
	var one, generic strings.Builder
	for _, f := range p.files {
		for _, fn := range exportedFuncs(f) {
			if noCall(fn) != "" {
				continue
			}
			e := exportOf(fn)
			variadic := false
			if n := fn.Type.Params.NumFields(); n > 0 {
				_, variadic = fn.Type.Params.List[len(fn.Type.Params.List)-1].Type.(*ast.Ellipsis)
			}
			results := fn.Type.Results.NumFields()
			if e.Fails {
				results--
			}
			name := shapeName(len(e.Params), results, variadic, e.Fails)
			if !shapes[name] {
				shapes[name] = true
				writeShape(&generic, name, len(e.Params), results, variadic, e.Fails)
			}
			fmt.Fprintf(&one, "\tcase %d:\n\t\t%s(in, out, %s)\n", len(l.exports), name, e.Name)
			l.exports = append(l.exports, e)
		}
	}
	if len(l.exports) == 0 {
		return diag.Errorf("package %s has no exported function to call", p.importPath)
	}
	fmt.Fprintf(&src, "const gyr_exports = %d\n\nfunc gyr_one(i int, in, out any) {\n\tswitch i {\n%s\t}\n}\n%s",
		len(l.exports), one.String(), generic.String())

	f := &file{name: p.tree.Join(p.dir, "gyr_exports.go"), key: "exports:" + p.path, size: src.Len(), generated: true}
	fset := token.NewFileSet()
	fset.AddFile("", fileBase(f.key)-1, 0)
	var err error
	if f.ast, err = parser.ParseFile(fset, f.name, src.String(),
		parser.SkipObjectResolution|parser.ParseComments); err != nil {
		return diag.Errorf("generated exports of %s: %v", p.importPath, err)
	}
	f.token = fset.File(f.ast.FileStart)
	f.directives = directive.OfComments(f.ast)
	hideNames(f)
	l.exports = append(l.exports, refusedExports(p)...)
	p.files = append(p.files, f)
	return nil
}

// exportedFuncs returns the exported functions that a file declares.
func exportedFuncs(f *file) (list []*ast.FuncDecl) {
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
			list = append(list, fn)
		}
	}
	return list
}

// noCall returns why no call can name a function, or "".
func noCall(fn *ast.FuncDecl) string {
	switch {
	case fn.Type.TypeParams.NumFields() > 0:
		return "it is generic"
	case fn.Body == nil:
		return "it has no body"
	}
	return ""
}

// exportOf describes a function from its declaration.
func exportOf(fn *ast.FuncDecl) ir.Export {
	e := ir.Export{Name: fn.Name.Name}
	if fn.Type.Params != nil {
		for _, field := range fn.Type.Params.List {
			if len(field.Names) == 0 {
				e.Params = append(e.Params, "_")
			}
			for _, n := range field.Names {
				e.Params = append(e.Params, n.Name)
			}
		}
	}
	if fn.Type.Results.NumFields() > 0 {
		last := fn.Type.Results.List[len(fn.Type.Results.List)-1]
		if id, ok := last.Type.(*ast.Ident); ok && id.Name == "error" {
			e.Fails = true
		}
	}
	return e
}

const exportsHead = `//go:linkname gyr_describe runtime.gyr_describe
func gyr_describe(in, out any)

//go:linkname gyr_next runtime.gyr_next
func gyr_next() (i int, in, out any)

func gyr_main() {
	for i := range gyr_exports {
		gyr_one(i, nil, nil)
	}
	for {
		gyr_one(gyr_next())
	}
}

`

func shapeName(params, results int, variadic, err bool) string {
	name := fmt.Sprintf("gyr_call_%d_%d", params, results)
	if variadic {
		name += "v"
	}
	if err {
		name += "e"
	}
	return name
}

// writeShape writes the function that calls functions of one shape.
func writeShape(b *strings.Builder, name string, params, results int, variadic, err bool) {
	list := func(n int, format, sep string) string {
		s := make([]string, n)
		for i := range s {
			s[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
		}
		return strings.Join(s, sep)
	}
	var types []string
	for i := range params {
		types = append(types, fmt.Sprintf("A%d", i))
	}
	for i := range results {
		types = append(types, fmt.Sprintf("R%d", i))
	}
	// Not inlined into gyr_one, whose frame would otherwise hold the locals of all these functions.
	b.WriteString("\n//go:noinline\nfunc " + name)
	if len(types) > 0 {
		b.WriteString("[" + strings.Join(types, ", ") + " any]")
	}
	paramList, in, args := list(params, "A#", ", "), list(params, "A# A#", "; "), list(params, "in.A#", ", ")
	if variadic {
		last := fmt.Sprintf("A%d", params-1)
		paramList = strings.TrimSuffix(paramList, last) + "..." + last
		in = strings.TrimSuffix(in, last) + "[]" + last
		args += "..."
	}
	resultList, out, targets := list(results, "R#", ", "), list(results, "R# R#", "; "), list(results, "out.R#", ", ")
	if err {
		join := func(a, sep, x string) string {
			if a == "" {
				return x
			}
			return a + sep + x
		}
		resultList, out, targets = join(resultList, ", ", "error"), join(out, "; ", "Error string; Failed bool"),
			join(targets, ", ", "err")
	}
	fmt.Fprintf(b, "(argp, resp any, f func(%s) (%s)) {\n", paramList, resultList)
	fmt.Fprintf(b, "\ttype args = struct{ %s }\n\ttype results = struct{ %s }\n", in, out)
	b.WriteString("\tif argp == nil {\n\t\tgyr_describe(new(args), new(results))\n\t\treturn\n\t}\n")
	if args != "" {
		// The struct is reused for the next call, so it must not keep references.
		b.WriteString("\tp := argp.(*args)\n\tin := *p\n\t*p = args{}\n")
	}
	if out != "" {
		b.WriteString("\tout := resp.(*results)\n")
	}
	if err {
		b.WriteString("\tvar err error\n")
	}
	if targets != "" {
		b.WriteString("\t" + targets + " = ")
	} else {
		b.WriteString("\t")
	}
	fmt.Fprintf(b, "f(%s)\n", args)
	if err {
		b.WriteString("\tif out.Failed = err != nil; out.Failed {\n\t\tout.Error = err.Error()\n\t}\n")
	}
	b.WriteString("}\n")
}
