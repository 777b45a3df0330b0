package load

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/printable"
)

// An embedVar is a variable with go:embed directives, before type-checking.
type embedVar struct {
	f     *file
	name  *ast.Ident
	files map[string][]byte // by path relative to the package, with slashes
}

// checkEmbeds finds the go:embed directives of a package and reads the files
// that they name, into p.embeds.
func (l *loader) checkEmbeds(p *pkg) (errs diag.Errors) {
	byName := map[*ast.Ident]*embedVar{}
	for _, f := range p.files {
		for i := range f.directives {
			d := &f.directives[i]
			if name, _ := d.Split(); name != "embed" {
				continue
			}
			compileError := func(msg string) {
				pos := l.position(f, d.Pos+2)
				pos.Filename = diag.DotSlash(pos.Filename)
				errs = append(errs, &diag.Error{Package: p.importPath, Pos: pos, Msg: msg})
			}
			dir, ok := ast.ParseDirective(d.Pos, "//go:"+d.Text)
			if !ok {
				continue
			}
			args, err := dir.ParseArgs()
			if err != nil || len(args) == 0 {
				compileError("usage: //go:embed pattern...")
				continue
			}
			spec, why := embedSpec(f, d.Pos)
			if spec == nil || why != "" {
				compileError(why)
				continue
			}
			if p.mod != nil && version.Compare(p.mod.GoVersion, "go1.16") < 0 {
				compileError(fmt.Sprintf("go:embed requires go1.16 or later (-lang was set to %s; check go.mod)", p.mod.GoVersion))
				continue
			}
			v := byName[spec.Names[0]]
			if v == nil {
				v = &embedVar{f: f, name: spec.Names[0], files: map[string][]byte{}}
				byName[v.name] = v
				p.embeds = append(p.embeds, v)
			}
			for _, a := range args {
				err := l.embedPattern(p, a.Arg, v.files)
				if over := (*api.CompileLimitError)(nil); errors.As(err, &over) {
					pos := l.position(f, a.Pos)
					over.File, over.Line, over.Column = pos.Filename, pos.Line, pos.Column
					l.stop(over)
					return nil
				}
				if err != nil {
					errs = append(errs, &diag.Error{Pos: l.position(f, a.Pos), Msg: fmt.Sprintf("pattern %s: %v", a.Arg, err)})
				}
			}
		}
	}
	return errs
}

// embedSpec returns the variable declaration that follows a directive, or why none does.
func embedSpec(f *file, pos token.Pos) (*ast.ValueSpec, string) {
	if !slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"embed"` }) {
		return nil, `go:embed requires import "embed" (or import _ "embed", if package is not used)`
	}
	var next *ast.ValueSpec
	for _, d := range f.ast.Decls {
		if d.Pos() <= pos && pos < d.End() {
			if _, ok := d.(*ast.FuncDecl); ok {
				return nil, "go:embed cannot apply to var inside func"
			}
		}
		g, ok := d.(*ast.GenDecl)
		if d.End() <= pos {
			continue
		}
		if !ok || g.Tok != token.VAR {
			if d.Pos() > pos {
				break
			}
			continue
		}
		for _, s := range g.Specs {
			if s.Pos() > pos {
				next = s.(*ast.ValueSpec)
				break
			}
		}
		break
	}
	switch {
	case next == nil:
		return nil, "misplaced go:embed directive"
	case len(next.Names) > 1:
		return nil, "go:embed cannot apply to multiple vars"
	case len(next.Values) > 0:
		return nil, "go:embed cannot apply to var with initializer"
	case next.Type == nil:
		return nil, "go:embed cannot apply to var without type"
	}
	return next, ""
}

// embedPattern adds the files that a pattern matches.
func (l *loader) embedPattern(p *pkg, pattern string, files map[string][]byte) error {
	glob, all := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(glob, ""); err != nil || glob != "." && !fs.ValidPath(glob) {
		return errors.New("invalid pattern syntax")
	}
	t := p.tree
	matches := l.glob(t, p.dir, "", strings.Split(glob, "/"))
	if glob == "." {
		matches = []string{"."}
	}
	if len(matches) == 0 {
		return errors.New("no matching files found")
	}
	read := func(rel string) error {
		most := l.cfg.Limits.EmbedBytes
		data, err := t.ReadFile(t.Join(p.dir, filepath.FromSlash(rel)), most-l.embedded)
		if size := (*hostfile.SizeError)(nil); errors.As(err, &size) {
			return &api.CompileLimitError{Limit: "EmbedBytes", Max: most, What: "embedded files up to " + printable.Line(rel)}
		}
		if err != nil {
			return fmt.Errorf("cannot embed file %s: %v", rel, filetree.Reason(err))
		}
		l.embedded += int64(len(data))
		files[rel] = data
		return nil
	}
	total := 0
	for _, rel := range matches {
		full := t.Join(p.dir, filepath.FromSlash(rel))
		info, err := t.Lstat(full)
		if err != nil {
			return filetree.Reason(err)
		}
		what := "file"
		if info.IsDir() {
			what = "directory"
		}
		for dir := rel; dir != "."; dir = path.Dir(dir) {
			if t.IsFile(t.Join(p.dir, filepath.FromSlash(dir), "go.mod")) {
				return fmt.Errorf("cannot embed %s %s: in different module", what, rel)
			}
			if dir != rel {
				if st, err := t.Lstat(t.Join(p.dir, filepath.FromSlash(dir))); err == nil && !st.IsDir() {
					return fmt.Errorf("cannot embed %s %s: in non-directory %s", what, rel, dir)
				}
			}
			if elem := path.Base(dir); badEmbedName(elem) {
				if dir == rel {
					return fmt.Errorf("cannot embed %s %s: invalid name %s", what, rel, elem)
				}
				return fmt.Errorf("cannot embed %s %s: in invalid directory %s", what, rel, elem)
			}
		}
		switch {
		case info.Mode().IsRegular():
			total++
			if err := read(rel); err != nil {
				return err
			}
		case info.IsDir():
			count := 0
			if err := l.embedDir(p, rel, all, &count, read); err != nil {
				return err
			}
			if count == 0 {
				return fmt.Errorf("cannot embed directory %s: contains no embeddable files", rel)
			}
			total += count
		default:
			return fmt.Errorf("cannot embed irregular file %s", rel)
		}
	}
	if total == 0 {
		return errors.New("no matching files found")
	}
	return nil
}

// embedDir reads all files of a directory that would be part of a module.
func (l *loader) embedDir(p *pkg, rel string, all bool, count *int, read func(string) error) error {
	t := p.tree
	list, err := t.ReadDir(t.Join(p.dir, filepath.FromSlash(rel)))
	if err != nil {
		return filetree.Reason(err)
	}
	for _, e := range list {
		name := e.Name()
		sub := path.Join(rel, name)
		hidden := name[0] == '.' || name[0] == '_'
		if bad := badEmbedName(name); bad || hidden && !all {
			if e.IsDir() || hidden {
				continue
			}
			return fmt.Errorf("cannot embed file %s: invalid name %s", sub, name)
		}
		switch {
		case e.IsDir():
			if t.IsFile(t.Join(p.dir, filepath.FromSlash(sub), "go.mod")) {
				continue
			}
			if err := l.embedDir(p, sub, all, count, read); err != nil {
				return err
			}
		case e.Type().IsRegular():
			*count++
			if err := read(sub); err != nil {
				return err
			}
		}
	}
	return nil
}

// badEmbedName reports whether a file of this name would not be part of a
// module.
func badEmbedName(name string) bool {
	if module.CheckFilePath(name) != nil {
		return true
	}
	switch name {
	case "", ".bzr", ".hg", ".git", ".svn":
		return true
	}
	return false
}

// glob returns the paths relative to dir that match the elements of a pattern,
// sorted.
func (l *loader) glob(t filetree.Tree, dir, prefix string, elems []string) []string {
	elem, rest := elems[0], elems[1:]
	var names []string
	if !strings.ContainsAny(elem, `*?[\`) {
		if _, err := t.Lstat(t.Join(dir, filepath.FromSlash(prefix), elem)); err == nil {
			names = []string{elem}
		}
	} else {
		list, err := t.ReadDir(t.Join(dir, filepath.FromSlash(prefix)))
		if err != nil {
			return nil
		}
		for _, e := range list {
			if ok, _ := path.Match(elem, e.Name()); ok {
				names = append(names, e.Name())
			}
		}
	}
	var out []string
	for _, n := range names {
		p := path.Join(prefix, n)
		if len(rest) == 0 {
			out = append(out, p)
		} else if t.IsDir(t.Join(dir, filepath.FromSlash(p))) {
			out = append(out, l.glob(t, dir, p, rest)...)
		}
	}
	return out
}

// embeds gives variables with go:embed directives their contents.
func (l *loader) embeds(order []*pkg) error {
	var errs diag.Errors
	for _, p := range order {
		for _, v := range p.embeds {
			obj, ok := p.out.Info.Defs[v.name].(*types.Var)
			if !ok {
				continue
			}
			fail := func(msg string) {
				pos := l.position(v.f, v.name.Pos())
				pos.Filename = diag.DotSlash(pos.Filename)
				errs = append(errs, &diag.Error{Package: p.importPath, Pos: pos, Msg: msg})
			}
			kind, ok := l.embedKind(obj.Type())
			if !ok {
				fail(fmt.Sprintf("go:embed cannot apply to var of type %s",
					types.TypeString(obj.Type(), types.RelativeTo(p.out.Types))))
				continue
			}
			if kind != EmbedFS && len(v.files) > 1 {
				fail(fmt.Sprintf("invalid go:embed: multiple files for type %s",
					types.TypeString(obj.Type(), types.RelativeTo(p.out.Types))))
				continue
			}
			if p.out.Embeds == nil {
				p.out.Embeds = map[*types.Var]*Embed{}
			}
			p.out.Embeds[obj] = &Embed{Kind: kind, Files: embedFiles(v.files, kind)}
		}
	}
	if errs != nil {
		return errs
	}
	return nil
}

// embedKind returns what a variable of a type embeds, if a go:embed directive may apply to the
// type. Only the standard library's embed.FS counts, because lowering writes its representation.
func (l *loader) embedKind(t types.Type) (EmbedKind, bool) {
	std := l.stdPkg("embed")
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Name() == "FS" && std != nil &&
		n.Obj().Pkg() == std.out.Types {
		return EmbedFS, true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return EmbedString, u.Kind() == types.String
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return EmbedBytes, ok && b.Kind() == types.Uint8
	}
	return 0, false
}

// embedFiles lists files, and for an embed.FS the directories that contain
// them, in the order that embed.FS searches by: directory, then name.
func embedFiles(files map[string][]byte, kind EmbedKind) []EmbedFile {
	var list []EmbedFile
	dirs := map[string]bool{}
	for name, data := range files {
		sum := sha256.Sum256(data)
		list = append(list, EmbedFile{Name: name, Data: data, Hash: [16]byte(sum[:16])})
		if kind != EmbedFS {
			continue
		}
		for d := path.Dir(name); d != "." && !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
			list = append(list, EmbedFile{Name: d + "/"})
		}
	}
	slices.SortFunc(list, func(a, b EmbedFile) int {
		ad, ae := path.Split(strings.TrimSuffix(a.Name, "/"))
		bd, be := path.Split(strings.TrimSuffix(b.Name, "/"))
		ad, bd = path.Clean(ad), path.Clean(bd)
		if c := strings.Compare(ad, bd); c != 0 {
			return c
		}
		return strings.Compare(ae, be)
	})
	return list
}
