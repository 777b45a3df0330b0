package research

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A series often gets its benchmark late, so its first commits cannot be measured with it. With
// ReplayOptions.BenchFrom a replay takes the benchmarks of its metrics from a later commit. It adds
// to each tree that lacks one a test file with the benchmark, the declarations of test files that
// the benchmark uses and the tree lacks, and the package's testdata that the tree lacks.

// carriedFile is the name of that file in the package's directory. Benchmarks of an external test
// package have one of their own.
const carriedFile = "zz_research_bench%s_test.go"

// carryBenchmarks adds to a tree the benchmarks that it lacks.
func (s *Session) carryBenchmarks(ctx context.Context, tree string) (string, error) {
	if s.config.replay == nil || s.config.replay.BenchFrom == "" {
		return tree, nil
	}
	from, err := s.repo.Resolve(ctx, s.config.replay.BenchFrom)
	if err != nil {
		return "", fmt.Errorf("-bench-from: %w", err)
	}
	files := map[string][]byte{}
	var data []string // directories whose testdata is needed
	for dir, names := range s.config.benchmarks() {
		later, err := s.testFiles(ctx, from, dir)
		if err != nil {
			return "", err
		}
		now, err := s.testFiles(ctx, tree, dir)
		if err != nil {
			return "", err
		}
		carried, err := later.carry(now, names)
		if err != nil {
			return "", fmt.Errorf("-bench-from %s: %s: %w", s.config.replay.BenchFrom, dir, err)
		}
		for suffix, text := range carried {
			files[path.Join(dir, fmt.Sprintf(carriedFile, suffix))] = text
			data = append(data, path.Join(dir, "testdata")+"/")
		}
	}
	if len(files) == 0 {
		return tree, nil
	}
	has, err := s.repo.Files(ctx, tree)
	if err != nil {
		return "", err
	}
	tree, err = s.repo.Overlay(ctx, tree, from, func(name string) bool {
		return has[name] == "" && slices.ContainsFunc(data, func(dir string) bool { return strings.HasPrefix(name, dir) })
	})
	if err != nil {
		return "", err
	}
	return s.repo.WithFiles(ctx, tree, files)
}

// benchmarks are the functions of the config's benchmarks, by their packages' directories.
func (c *Config) benchmarks() map[string][]string {
	list := map[string][]string{}
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.Bench == "" {
			continue
		}
		name, _, _ := strings.Cut(m.Bench, "/")
		name = "Benchmark" + strings.TrimPrefix(name, "Benchmark")
		if dir := path.Clean(m.Pkg); !slices.Contains(list[dir], name) {
			list[dir] = append(list[dir], name)
		}
	}
	return list
}

// A packageFiles is a package's directory in a tree, parsed.
type packageFiles struct {
	fset  *token.FileSet
	files []*ast.File
	tests map[*ast.File]bool
}

func (s *Session) testFiles(ctx context.Context, tree, dir string) (*packageFiles, error) {
	all, err := s.repo.Files(ctx, tree)
	if err != nil {
		return nil, err
	}
	p := &packageFiles{token.NewFileSet(), nil, map[*ast.File]bool{}}
	for _, name := range sortedKeys(all) {
		if path.Dir(name) != dir || path.Ext(name) != ".go" {
			continue
		}
		text, err := s.repo.File(ctx, tree, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			continue // it does not build either
		}
		p.files = append(p.files, f)
		p.tests[f] = strings.HasSuffix(name, "_test.go")
	}
	return p, nil
}

// A testDecl is a declaration of a test file. Specs of a group are declarations of their own.
type testDecl struct {
	file *ast.File
	decl ast.Decl
}

// declarations are those of one package's files by name, of test files alone or of all. A method
// has its receiver's type before its name.
func (p *packageFiles) declarations(pkg string, testsOnly bool) map[string]testDecl {
	list := map[string]testDecl{}
	for _, f := range p.files {
		if f.Name.Name != pkg || testsOnly && !p.tests[f] {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d) + "." + name
				}
				list[name] = testDecl{f, d}
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
				for _, spec := range d.Specs {
					var one ast.Decl = &ast.GenDecl{Tok: d.Tok, TokPos: d.TokPos, Specs: []ast.Spec{spec}}
					if d.Tok == token.CONST {
						one = d // a constant may depend on those before it
					}
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						list[spec.Name.Name] = testDecl{f, one}
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							list[id.Name] = testDecl{f, one}
						}
					}
				}
			}
		}
	}
	return list
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// carry makes the files that another version of the package needs to have the named benchmarks, by
// the suffix of their package.
func (p *packageFiles) carry(now *packageFiles, names []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(now.files, func(f *ast.File) bool {
			_, has := now.declarations(f.Name.Name, true)[name]
			return has
		})
	})
	seen := map[string]bool{}
	for _, f := range p.files {
		pkg := f.Name.Name
		if seen[pkg] || !p.tests[f] {
			continue
		}
		seen[pkg] = true
		later, has := p.declarations(pkg, true), now.declarations(pkg, false)
		var wanted []string
		for _, name := range missing {
			if _, ok := later[name]; ok {
				wanted = append(wanted, name)
			}
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(wanted, name) })
		if len(wanted) == 0 {
			continue
		}
		text, err := p.source(pkg, later, has, wanted)
		if err != nil {
			return nil, err
		}
		suffix := ""
		if strings.HasSuffix(pkg, "_test") {
			suffix = "_outer"
		}
		out[suffix] = text
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("there is no %s", strings.Join(missing, ", "))
	}
	return out, nil
}

// source is a file with the wanted declarations and those that they use, except those that the
// other version has.
func (p *packageFiles) source(pkg string, later, has map[string]testDecl, wanted []string) ([]byte, error) {
	var decls []ast.Decl
	imports := map[string]bool{} // as written
	done := map[ast.Decl]bool{}
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		d, ok := later[name]
		if _, both := has[name]; !ok || both || done[d.decl] {
			continue
		}
		done[d.decl] = true
		decls = append(decls, d.decl)
		for _, i := range d.file.Imports {
			if name := importName(i); name == "_" || name == "." || selects(d.decl, name) {
				imports[printed(p.fset, i)] = true
			}
		}
		ast.Inspect(d.decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				wanted = append(wanted, id.Name)
			}
			return true
		})
		// The methods of a type belong to it.
		for _, key := range sortedKeys(later) {
			if strings.HasPrefix(key, name+".") {
				wanted = append(wanted, key)
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n", pkg)
	for _, i := range sortedKeys(imports) {
		fmt.Fprintf(&b, "\t%s\n", i)
	}
	b.WriteString(")\n")
	for _, d := range decls {
		fmt.Fprintf(&b, "\n%s\n", printed(p.fset, d))
	}
	return format.Source(b.Bytes())
}

// selects reports whether a declaration uses something of a package.
func selects(d ast.Decl, pkg string) (is bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			x, ok := sel.X.(*ast.Ident)
			is = is || ok && x.Name == pkg
		}
		return !is
	})
	return is
}

// importName is the name by which a file uses an import. Without a name of its own it is the last
// part of the path that is no version.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	at, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return ""
	}
	name := path.Base(at)
	if v, ok := strings.CutPrefix(name, "v"); ok && path.Dir(at) != "." {
		if _, err := strconv.Atoi(v); err == nil {
			name = path.Base(path.Dir(at))
		}
	}
	name, _, _ = strings.Cut(name, ".")
	return strings.TrimPrefix(name, "go-")
}

func printed(fset *token.FileSet, n any) string {
	var b bytes.Buffer
	if printer.Fprint(&b, fset, n) != nil {
		return ""
	}
	return b.String()
}
