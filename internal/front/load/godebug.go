package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// A setting is a GODEBUG setting whose default depends on the language version
// of the main module.
type setting struct {
	name    string
	changed int // minor release with the new behaviour
	old     string
}

// godebug returns the default GODEBUG of a program as the go command computes
// it: what the main module's language version implies, overridden by the
// godebug lines of go.mod or go.work, overridden by the go:debug directives of
// the main package.
func (l *loader) godebug(main *pkg) (string, error) {
	lang := l.release.Name()
	if len(l.mods.main) > 0 {
		lang = l.mods.main[0].goVersion
		if l.mods.workVersion != "" {
			lang = l.mods.workVersion
		}
	}
	values := map[string]string{}
	for _, g := range l.mods.godebug {
		values[g.Key] = g.Value
	}
	for _, f := range slices.Concat(main.files, main.xfiles) {
		for i := range f.directives {
			name, args := f.directives[i].split()
			if name != "debug" || f.directives[i].pos > f.ast.Package {
				continue
			}
			k, v, ok := strings.Cut(args, "=")
			if !ok {
				return "", Errors{{Pos: l.position(f, f.directives[i].pos), Msg: "invalid //go:debug: missing key=value"}}
			}
			values[k] = v
		}
	}
	if v, ok := values["default"]; ok {
		delete(values, "default")
		if v = "go" + strings.TrimPrefix(v, "go"); version.IsValid(v) {
			lang = version.Lang(v)
		}
	}
	if lang != l.release.Name() {
		minor, err := strconv.Atoi(strings.TrimPrefix(lang, "go1."))
		if err != nil {
			minor = 0
		}
		table, err := l.settings()
		if err != nil {
			return "", errorf("%v", err)
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

// settings reads, from the table of package internal/godebugs, the settings whose default has
// changed.
func (l *loader) settings() (list []setting, err error) {
	file := filepath.Join(l.goroot, "src", filepath.FromSlash(godebugTable))
	var src []byte
	if l.cfg.Std != nil {
		src = l.cfg.Std.godebugs
	} else if src, err = l.machine.readFile(file, maxSource); err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || lit.Type != nil {
			return true
		}
		var s setting
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			val, _ := kv.Value.(*ast.BasicLit)
			if key == nil || val == nil {
				continue
			}
			switch key.Name {
			case "Name":
				s.name, _ = strconv.Unquote(val.Value)
			case "Old":
				s.old, _ = strconv.Unquote(val.Value)
			case "Changed":
				s.changed, _ = strconv.Atoi(val.Value)
			}
		}
		if s.changed > 0 {
			list = append(list, s)
		}
		return false
	})
	return list, nil
}

// godebugLines returns the godebug lines of a go.mod or go.work.
func godebugLines(list []*modfile.Godebug) (out []modfile.Godebug) {
	for _, g := range list {
		out = append(out, *g)
	}
	return out
}
