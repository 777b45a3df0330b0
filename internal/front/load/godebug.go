package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A setting is a GODEBUG setting that package internal/godebugs of a release knows.
type setting struct {
	name    string
	changed int    // minor release with the new behaviour; 0: its default never changed
	old     string // the default before that

	// Settings that the release has removed:
	removed int      // the minor release that removed it
	refused []string // values that are refused; nil: all are
}

// check returns an error if the go command refuses a value of a setting that verb introduces. A nil
// setting is unknown.
func (s *setting) check(verb, name, value string) error {
	switch {
	case s == nil:
		return fmt.Errorf("unknown %s %q", verb, name)
	case s.removed > 0 && s.refused == nil:
		return fmt.Errorf("use of removed %s %q, see https://go.dev/doc/godebug#go-1%d", verb, name, s.removed)
	case slices.Contains(s.refused, value):
		return fmt.Errorf("removed GODEBUG %q set to old value %q (https://go.dev/doc/godebug#go-1%d)", name, value, s.removed)
	}
	return nil
}

// godebug returns the default GODEBUG of a program as the go command computes
// it: what the main module's language version implies, overridden by the
// godebug lines of go.mod or go.work, overridden by the go:debug directives of
// the main package.
func (l *loader) godebug(main *pkg) (string, error) {
	lang := l.Release.Name()
	if len(l.mods.Main) > 0 {
		lang = l.mods.Main[0].GoVersion
		if l.mods.WorkVersion != "" {
			lang = l.mods.WorkVersion
		}
	}
	values := map[string]string{}
	var table map[string]*setting
	set := func(verb, key, value string) (err error) {
		values[key] = value
		if key == "default" {
			return nil
		}
		if table == nil {
			if table, err = l.settings(); err != nil {
				return err
			}
		}
		return table[key].check(verb, key, value)
	}
	for _, g := range l.mods.GODEBUG {
		if err := set("godebug", g.Key, g.Value); err != nil {
			return "", diag.Errorf("%s:%d: %v", l.Short(l.mods.File), g.Syntax.Start.Line, err)
		}
	}
	for _, f := range slices.Concat(main.files, main.xfiles) {
		for i := range f.directives {
			name, args := f.directives[i].Split()
			if name != "debug" || f.directives[i].Pos > f.ast.Package {
				continue
			}
			k, v, ok := strings.Cut(args, "=")
			if !ok {
				return "", diag.Errors{{Pos: l.position(f, f.directives[i].Pos), Msg: "invalid //go:debug: missing key=value"}}
			}
			if err := set("//go:debug setting", k, v); err != nil {
				return "", diag.Errors{{Pos: l.position(f, f.directives[i].Pos), Msg: "invalid //go:debug: " + err.Error()}}
			}
		}
	}
	if v, ok := values["default"]; ok {
		delete(values, "default")
		if v = "go" + strings.TrimPrefix(v, "go"); version.IsValid(v) {
			lang = version.Lang(v)
		}
	}
	if lang != l.Release.Name() {
		minor, err := strconv.Atoi(strings.TrimPrefix(lang, "go1."))
		if err != nil {
			minor = 0
		}
		if table == nil {
			if table, err = l.settings(); err != nil {
				return "", diag.Errorf("%v", err)
			}
		}
		for _, s := range table {
			if _, ok := values[s.name]; !ok && minor < s.changed {
				values[s.name] = s.old
			}
		}
	}
	var list []string
	for k, v := range values {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return strings.Join(list, ","), nil
}

// settings reads the table of package internal/godebugs, by name.
func (l *loader) settings() (table map[string]*setting, err error) {
	file := filepath.Join(l.GOROOT, "src", filepath.FromSlash(godebugTable))
	var src []byte
	if l.cfg.Std != nil {
		src = l.cfg.Std.godebugs
	} else if src, err = l.Machine.ReadFile(file, filetree.MaxSource); err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	table = map[string]*setting{}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || lit.Type != nil {
			return true
		}
		s := &setting{}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			if key == nil {
				continue
			}
			texts := literals(kv.Value)
			switch {
			case key.Name == "Old" && !isText(kv.Value):
				s.refused = texts
			case len(texts) != 1:
			case key.Name == "Name":
				s.name = texts[0]
			case key.Name == "Old":
				s.old = texts[0]
			case key.Name == "Changed":
				s.changed, _ = strconv.Atoi(texts[0])
			case key.Name == "Removed":
				s.removed, _ = strconv.Atoi(texts[0])
			}
		}
		if s.name != "" {
			table[s.name] = s
		}
		return false
	})
	return table, nil
}

// isText reports whether an expression is a literal.
func isText(e ast.Expr) bool { _, ok := e.(*ast.BasicLit); return ok }

// literals returns the values of the literals in an expression of the table. There zero and one are
// functions that compare with "0" and "1".
func literals(e ast.Expr) (texts []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil {
				texts = append(texts, text)
			} else {
				texts = append(texts, n.Value)
			}
		case *ast.Ident:
			switch n.Name {
			case "zero":
				texts = append(texts, "0")
			case "one":
				texts = append(texts, "1")
			}
		}
		return true
	})
	return texts
}
