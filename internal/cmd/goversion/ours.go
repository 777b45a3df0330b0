package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load"
)

// Places in gyr's module whose contents depend on the release.
const (
	overlayDir = "internal/front/guest/_src"
	layersFile = "internal/engine/layers.go"
	pullsFile  = "docs/linknames.md"
	hostsFile  = "internal/ir/primitive.go"

	intrinsicsFile = "internal/front/lower/intrinsic.go"

	vetAnswers  = "internal/tools/vet/unitchecker" // answers for a package of cmd/vet
	vetAnswered = "cmd/vendor/golang.org/x/tools/go/analysis/unitchecker"
)

// naming are the folders whose string literals may name declarations of std.
var naming = []string{"internal/front/lower", "internal/front/load", "internal/front/layout", "internal/opt", "internal/gas", "internal/run",
	"internal/engine"}

// ours are the sources of gyr. They are read and not executed, so that a release can be examined
// before gyr is built for it.
type ours struct {
	fsys   fs.FS
	texts  map[string]string // sources by folder, without tests
	layers map[string]bool
	pulls  []string // symbols that programs may take, sorted
	named  []string // string literals that look like declarations of std, sorted

	overlaid []string          // packages that are replaced whole, sorted
	answers  map[string]string // folders of the answers by package
}

// findOurs finds the module of gyr that contains a directory.
func findOurs(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.Contains("\n"+string(data), "\nmodule github.com/gyrvm/gyr\n") {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("no sources of gyr here: run the command in its module, or name that with -gyr")
		}
	}
}

func openOurs(fsys fs.FS) (*ours, error) {
	o := &ours{fsys: fsys, texts: map[string]string{}, answers: map[string]string{vetAnswered: vetAnswers}}
	answers := path.Join(overlayDir, load.AnswersDir)
	err := fs.WalkDir(fsys, overlayDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		dir := path.Dir(name)
		if p, ok := strings.CutPrefix(dir, answers+"/"); ok {
			o.answers[p] = dir
		} else if p := strings.TrimPrefix(dir, overlayDir+"/"); !slices.Contains(o.overlaid, p) {
			o.overlaid = append(o.overlaid, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(o.overlaid)
	if err := o.readLayers(); err != nil {
		return nil, err
	}
	doc, err := fs.ReadFile(fsys, pullsFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			if s := strings.TrimSpace(cells[1]); strings.Contains(s, ".") {
				o.pulls = append(o.pulls, s)
			}
		}
	}
	slices.Sort(o.pulls)
	o.pulls = slices.Compact(o.pulls)
	intrinsics, _ := fs.ReadFile(fsys, intrinsicsFile)
	for _, dir := range naming {
		for _, m := range quoted.FindAllString(o.source(dir), -1) {
			s, err := strconv.Unquote(m)
			s = strings.TrimLeft(s, "(*")
			if err == nil && (!strings.HasSuffix(s, ".") || strings.Contains(string(intrinsics), m)) {
				o.named = append(o.named, s)
			}
		}
	}
	slices.Sort(o.named)
	o.named = slices.Compact(o.named)
	return o, nil
}

// quoted matches literals such as "math/bits.Len64", "reflect.(*rtype).Elem" and
// "(time.Time).Unix". It also matches "sync/atomic.", which in the table of intrinsics means the
// whole package.
var quoted = regexp.MustCompile(`"\(?\*?[a-z][a-z0-9_]*(/[a-z0-9_]+)*\.[A-Za-z0-9_.()*]*"`)

// readLayers reads which packages the precompiled std has, from all words in the strings of the
// file.
func (o *ours) readLayers() error {
	src, err := fs.ReadFile(o.fsys, layersFile)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), layersFile, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	o.layers = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, _ := strconv.Unquote(lit.Value)
			for w := range strings.FieldsSeq(s) {
				path, _, _ := strings.Cut(w, "@") // the rest says since which release the package exists
				o.layers[path] = true
			}
		}
		return true
	})
	return nil
}

func (o *ours) layered(pkg string) bool { return o.layers[pkg] }

// replaces reports whether a package is in the overlay.
func (o *ours) replaces(pkg string) bool { return slices.Contains(o.overlaid, pkg) }

// source returns the Go sources in and below a folder, without tests and guest sources.
func (o *ours) source(dir string) string {
	if s, ok := o.texts[dir]; ok {
		return s
	}
	var b strings.Builder
	fs.WalkDir(o.fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && (base == "testdata" || base[0] == '_'):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go"):
			src, _ := fs.ReadFile(o.fsys, name)
			b.Write(src)
		}
		return nil
	})
	o.texts[dir] = b.String()
	return o.texts[dir]
}

// mentions reports whether a folder's sources contain a text.
func (o *ours) mentions(dir, text string) bool {
	return strings.Contains(o.source(dir), text)
}

// names reports whether gyr's sources name a declaration of std, for example as an intrinsic.
func (o *ours) names(symbol string) bool {
	if _, ok := slices.BinarySearch(o.named, symbol); ok {
		return true
	}
	_, ok := slices.BinarySearch(o.named, symbol[:strings.LastIndexByte(symbol, '.')+1])
	return ok
}

// guest returns an installation with gyr's packages in place of its own, and with the answers in
// their packages.
func (o *ours) guest(in *install) *install {
	if g, ok := in.facts["guest"].(*install); ok {
		return g
	}
	g := *in
	g.pkgs, g.facts = map[string]*pkg{}, map[string]any{}
	for name, p := range in.pkgs {
		g.pkgs[name] = p
	}
	for _, name := range o.overlaid {
		p := g.parse(name, path.Join(overlayDir, name), o.fsys)
		if p != nil {
			for _, f := range p.files {
				f.ours = true
			}
		}
		g.pkgs[name] = p
	}
	for name := range o.answers {
		if p := in.pkg(name); p != nil {
			g.pkgs[name] = o.answered(&g, p)
		}
	}
	in.facts["guest"] = &g
	return &g
}

// answersIn parses the answers for a package.
func (o *ours) answersIn(in *install, name string) (files []*file) {
	dir, ok := o.answers[name]
	if !ok {
		return nil
	}
	p := in.parse(name, dir, o.fsys)
	if p == nil {
		return nil
	}
	for _, f := range p.files {
		if f.ast != nil && f.ast.Name.Name == path.Base(name) {
			f.ours = true
			files = append(files, f)
		}
	}
	return files
}

// answerNames returns the names that the answers for a package replace: all declared names except
// gyr's own and additions.
func (o *ours) answerNames(in *install, name string) []string {
	var names []string
	for _, f := range o.answersIn(in, name) {
		for _, d := range f.ast.Decls {
			for _, n := range load.Declared(d) {
				added := slices.ContainsFunc(guest.Additions, func(a guest.Answer) bool { return a.Path == name && a.Name == n })
				if !added && !strings.Contains(strings.ToLower(n), "gyr") {
					names = append(names, n)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// answered returns a package with the answers in place of the declarations that they replace.
func (o *ours) answered(in *install, p *pkg) *pkg {
	files := o.answersIn(in, p.path)
	gone := map[string]bool{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			for _, n := range load.Declared(d) {
				gone[n] = true
			}
		}
	}
	out := &pkg{path: p.path}
	for _, f := range p.files {
		if f.ast == nil {
			continue
		}
		c, tree := *f, *f.ast
		tree.Decls = nil
		for _, d := range f.ast.Decls {
			if rest := leave(d, gone); rest != nil {
				tree.Decls = append(tree.Decls, rest)
			}
		}
		c.ast = &tree
		out.files = append(out.files, &c)
	}
	out.files = append(out.files, files...)
	out.index(in)
	return out
}

// leave returns a declaration without the names in gone, or nil if nothing is left.
func leave(d ast.Decl, gone map[string]bool) ast.Decl {
	names := load.Declared(d)
	if !slices.ContainsFunc(names, func(n string) bool { return gone[n] }) {
		return d
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	rest := *g
	rest.Specs = slices.DeleteFunc(slices.Clone(g.Specs), func(s ast.Spec) bool {
		ids := s.(*ast.ValueSpec).Names
		return len(ids) == 1 && gone[ids[0].Name]
	})
	if len(rest.Specs) == 0 {
		return nil
	}
	return &rest
}

// fileMentions is mentions for one file.
func (o *ours) fileMentions(name, text string) bool {
	src, err := fs.ReadFile(o.fsys, name)
	return err == nil && strings.Contains(string(src), text)
}
