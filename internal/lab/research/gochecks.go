package research

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// checkFormat requires that changed Go files are formatted as gofmt does.
func (s *Session) checkFormat(ctx context.Context, _ *Check, c *subject) (ledger.Check, error) {
	for _, ch := range c.changes {
		if ch.Status == 'D' || path.Ext(ch.Path) != ".go" {
			continue
		}
		text, err := s.repo.File(ctx, c.tree, ch.Path)
		if err != nil {
			return ledger.Check{}, err
		}
		formatted, err := format.Source(text)
		switch {
		case err != nil:
			return ledger.Check{Status: fail, Detail: ch.Path + ": " + err.Error()}, nil
		case !bytes.Equal(text, formatted):
			return ledger.Check{Status: fail, Detail: ch.Path + " is not formatted"}, nil
		}
	}
	return ledger.Check{Status: pass}, nil
}

// checkAPI requires that packages with changed files have the same exported declarations as before.
func (s *Session) checkAPI(ctx context.Context, _ *Check, c *subject) (ledger.Check, error) {
	dirs := map[string]bool{}
	for _, ch := range c.changes {
		if path.Ext(ch.Path) == ".go" && !strings.HasSuffix(ch.Path, "_test.go") {
			dirs[path.Dir(ch.Path)] = true
		}
	}
	before, err := s.exported(ctx, c.parentCommit, dirs)
	if err != nil {
		return ledger.Check{}, err
	}
	after, err := s.exported(ctx, c.tree, dirs)
	if err != nil {
		return ledger.Check{Status: fail, Detail: err.Error()}, ctx.Err()
	}
	out := ledger.Check{Status: pass}
	for _, key := range sortedKeys(before) {
		if now, ok := after[key]; !ok {
			out.Notes = append(out.Notes, key+" is gone")
		} else if now != before[key] {
			out.Notes = append(out.Notes, key+" has changed")
		}
	}
	for _, key := range sortedKeys(after) {
		if _, ok := before[key]; !ok {
			out.Notes = append(out.Notes, key+" is new")
		}
	}
	if len(out.Notes) > 0 {
		out.Status, out.Detail = fail, out.Notes[0]
	}
	return out, nil
}

// exported maps the exported declarations of packages, as directory and name, to
// their text without bodies and comments.
func (s *Session) exported(ctx context.Context, tree string, dirs map[string]bool) (map[string]string, error) {
	files, err := s.repo.Files(ctx, tree)
	if err != nil {
		return nil, err
	}
	decls := map[string]string{}
	for _, name := range sortedKeys(files) {
		if !dirs[path.Dir(name)] || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := s.repo.File(ctx, tree, name)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == "main" {
			continue
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			addExported(decls, fset, path.Dir(name), d)
		}
	}
	return decls, nil
}

// addExported adds a declaration that ast.FileExports left.
func addExported(decls map[string]string, fset *token.FileSet, dir string, d ast.Decl) {
	text := func(n any) string {
		var b bytes.Buffer
		if printer.Fprint(&b, fset, n) != nil {
			return ""
		}
		return b.String()
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		key := d.Name.Name
		if d.Recv != nil {
			key = "(" + text(d.Recv.List[0].Type) + ")." + key
		}
		decls[dir+": "+key] = text(d.Type)
	case *ast.GenDecl:
		for i, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				spec.Doc, spec.Comment = nil, nil
				decls[dir+": "+spec.Name.Name] = text(spec)
			case *ast.ValueSpec:
				for k, name := range spec.Names {
					// The value of a constant is part of the API, a variable's is not.
					value := ""
					if d.Tok == token.CONST {
						value = strconv.Itoa(i)
						if k < len(spec.Values) {
							value = text(spec.Values[k])
						}
					}
					kind := ""
					if spec.Type != nil {
						kind = text(spec.Type)
					}
					decls[dir+": "+name.Name] = d.Tok.String() + " " + kind + " " + value
				}
			}
		}
	}
}

// checkCoverage lists the changed lines that no test runs.
func (s *Session) checkCoverage(ctx context.Context, k *Check, c *subject) (ledger.Check, error) {
	desk := filepath.Join(s.work, "cover")
	if err := errors.Join(os.RemoveAll(desk), os.MkdirAll(desk, 0o777)); err != nil {
		return ledger.Check{}, err
	}
	profile := filepath.Join(desk, "cover.out")
	args := append([]string{"test", "-coverpkg=./...", "-coverprofile=" + profile}, k.Packages...)
	o, err := s.runner.boxed(ctx, c.side, false, []string{desk}, filepath.Join(c.side.wt.Dir, k.Dir), s.checkEnv(k, c), s.config.limit(k),
		"go", args...)
	if err != nil {
		return ledger.Check{}, err
	}
	if err := o.Err(); err != nil {
		return ledger.Check{Status: fail, Detail: err.Error() + ": " + tail(o)}, nil
	}
	text, err := readWritten(profile)
	if err != nil {
		return ledger.Check{Status: fail, Detail: err.Error()}, nil
	}
	profiles, err := cover.ParseProfilesFromReader(bytes.NewReader(text))
	if err != nil {
		return ledger.Check{Status: fail, Detail: err.Error()}, nil
	}
	diff, err := s.repo.Diff(ctx, c.parentCommit, c.tree)
	if err != nil {
		return ledger.Check{}, err
	}
	out := ledger.Check{Status: pass}
	lines := 0
	added := addedLines(diff)
	for _, file := range sortedKeys(added) {
		missed := uncovered(profiles, file, added[file])
		lines += len(missed)
		for _, r := range ranges(missed) {
			out.Notes = append(out.Notes, file+":"+r)
		}
	}
	if k.Max != nil && lines > *k.Max {
		out.Status, out.Detail = fail, fmt.Sprintf("%d changed lines are run by no test, more than %d", lines, *k.Max)
	}
	return out, nil
}

// addedLines are the numbers of the lines that a patch adds, by file.
func addedLines(diff []byte) map[string][]int {
	added := map[string][]int{}
	file, n := "", 0
	for line := range strings.SplitSeq(string(diff), "\n") {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			file, n = "", 0
		case n == 0 && strings.HasPrefix(line, "+++ b/"):
			file = strings.TrimPrefix(line, "+++ b/")
		case strings.HasPrefix(line, "@@ "):
			_, rest, _ := strings.Cut(line, "+")
			first, _, _ := strings.Cut(rest, " ")
			first, _, _ = strings.Cut(first, ",")
			n, _ = strconv.Atoi(first)
		case n > 0 && strings.HasPrefix(line, "+"):
			if path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
				added[file] = append(added[file], n)
			}
			n++
		case n > 0 && strings.HasPrefix(line, " "):
			n++
		}
	}
	return added
}

// uncovered are the lines of a file that are in a block which never ran, and in none that ran.
func uncovered(profiles []*cover.Profile, file string, lines []int) []int {
	var missed []int
	for _, n := range lines {
		ran, not := false, false
		for _, p := range profiles {
			// A profile names files by import path.
			if !strings.HasSuffix(p.FileName, "/"+file) && p.FileName != file {
				continue
			}
			for _, b := range p.Blocks {
				if b.StartLine <= n && n <= b.EndLine {
					ran, not = ran || b.Count > 0, not || b.Count == 0
				}
			}
		}
		if not && !ran {
			missed = append(missed, n)
		}
	}
	return missed
}

// ranges prints rising numbers as "3", "5-9".
func ranges(lines []int) []string {
	var list []string
	for i := 0; i < len(lines); {
		k := i
		for k+1 < len(lines) && lines[k+1] == lines[k]+1 {
			k++
		}
		if k == i {
			list = append(list, strconv.Itoa(lines[i]))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", lines[i], lines[k]))
		}
		i = k + 1
	}
	return slices.Clip(list)
}
