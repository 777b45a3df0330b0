package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A world type-checks packages of an installation for wasm, as far as possible: it notes errors and
// leaves out what they affect.
type world struct {
	in     *install
	bodies func(path string) bool // whose function bodies are checked
	pkgs   map[string]*types.Package
	errs   []typeError
}

type typeError struct {
	pkg, pos, msg string
	ours          bool // the error is in one of gyr's files
}

// types returns the world of an installation, without bodies.
func (in *install) types() *world {
	w, ok := in.facts["types"].(*world)
	if !ok {
		w = &world{in: in, pkgs: map[string]*types.Package{}, bodies: func(string) bool { return false }}
		in.facts["types"] = w
	}
	return w
}

// Import resolves an import of std: golang.org/x is the vendored copy.
func (w *world) Import(path string) (*types.Package, error) { return w.importFrom(path, "vendor/") }

func (w *world) importFrom(path, vendor string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		path = vendor + path
	}
	if p := w.check(path); p != nil {
		return p, nil
	}
	return nil, errors.New("no package " + path)
}

type commandImporter struct{ w *world }

func (c commandImporter) Import(path string) (*types.Package, error) {
	return c.w.importFrom(path, "cmd/vendor/")
}

// check returns a package's types, or nil if the package does not exist.
func (w *world) check(path string) *types.Package {
	if t, ok := w.pkgs[path]; ok {
		return t
	}
	p := w.in.pkg(path)
	w.pkgs[path] = nil
	if p == nil {
		return nil
	}
	var files []*ast.File
	of := map[string]*file{}
	for _, f := range p.files {
		if f.ast != nil {
			files = append(files, f.ast)
			of[f.name] = f
		}
	}
	conf := types.Config{Importer: w, Sizes: wasm, IgnoreFuncBodies: !w.bodies(path), FakeImportC: true, Error: func(err error) {
		e, ok := errors.AsType[types.Error](err)
		if !ok || strings.HasPrefix(e.Msg, "file requires newer Go version") {
			return // it is about the Go that built this command
		}
		at := e.Fset.Position(e.Pos)
		f := of[at.Filename]
		w.errs = append(w.errs, typeError{path, fmt.Sprintf("%s:%d", at.Filename, at.Line), e.Msg, f != nil && f.ours})
	}}
	if strings.HasPrefix(path, "cmd/") {
		conf.Importer = commandImporter{w}
	}
	t, _ := conf.Check(path, w.in.fset, files, nil) // Error collects the errors
	w.pkgs[path] = t
	return t
}

var wasm = types.SizesFor("gc", "wasm")

func qualified(p *types.Package) string { return p.Path() }

// layout describes a type's memory, or an interface's methods.
func layout(t types.Type) (s string) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		var words []string
		for i, off := range wasm.Offsetsof(fields) {
			words = append(words, fmt.Sprintf("%d %s %s", off, fields[i].Name(), types.TypeString(fields[i].Type(), qualified)))
		}
		return fmt.Sprintf("%d bytes {%s}", wasm.Sizeof(u), strings.Join(words, "; "))
	case *types.Interface:
		var words []string
		for m := range u.Methods() {
			words = append(words, m.Name()+strings.TrimPrefix(types.TypeString(nameless(m.Signature()), qualified), "func"))
		}
		return "interface {" + strings.Join(words, "; ") + "}"
	default:
		return types.TypeString(u, qualified)
	}
}

// nameless returns a signature without names.
func nameless(s *types.Signature) *types.Signature {
	vars := func(t *types.Tuple) *types.Tuple {
		var list []*types.Var
		for v := range t.Variables() {
			list = append(list, types.NewParam(v.Pos(), nil, "", v.Type()))
		}
		return types.NewTuple(list...)
	}
	return types.NewSignatureType(nil, nil, nil, vars(s.Params()), vars(s.Results()), s.Variadic())
}

// layouts adds the types of a package, or the named ones.
func (in *install) layouts(into items, path string, names ...string) {
	p := in.types().check(path)
	if p == nil {
		return
	}
	if names == nil {
		names = p.Scope().Names()
	}
	for _, name := range names {
		tn, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			continue
		}
		if d := in.decl(path, name); d != nil {
			into[path+"."+name] = item{layout(tn.Type()), d.pos()}
		}
	}
}

// near are the packages whose memory layout gyr's compiler and host know.
var near = []string{"internal/abi", "internal/runtime/maps"}

// alike are types of other packages that gyr's runtime or host has copies of.
var alike = map[string][]string{
	"sync":    {"notifyList"},
	"time":    {"Time", "Timer", "Ticker"},
	"reflect": {"Value", "MapIter", "hiter", "rtype", "flag", "bitVector", "makeFuncImpl", "methodValue"},
	"os":      {"fileStat"},
	"syscall": {"Stat_t", "Dirent", "SysProcAttr"},
	"net":     {"netFD", "fakeNetFD", "fakeNetAddr"},
}

func compareLayouts(c *comparison) {
	var all [2]items
	for i, in := range []*install{c.old, c.new} {
		all[i] = items{}
		for _, path := range near {
			in.layouts(all[i], path)
		}
		for _, path := range slices.Sorted(maps.Keys(alike)) {
			in.layouts(all[i], path, alike[path]...)
		}
	}
	at := len(c.findings)
	c.diff("layout", all[0], all[1], nil)
	for i := range c.findings[at:] {
		f := &c.findings[at+i]
		if was, is := all[0][f.Name].text, all[1][f.Name].text; was != "" && is != "" {
			f.Text = differingFields(was, is)
		}
	}
}

// differingFields describes the changes between two layouts.
func differingFields(was, is string) string {
	split := func(s string) (head string, fields []string) {
		head, rest, ok := strings.Cut(s, "{")
		if !ok {
			return s, nil
		}
		return strings.TrimSpace(head), strings.Split(strings.TrimSuffix(rest, "}"), "; ")
	}
	oldHead, oldFields := split(was)
	newHead, newFields := split(is)
	var words []string
	if oldHead != newHead {
		words = append(words, oldHead+" → "+newHead)
	}
	words = append(words, differing(oldFields, newFields)...)
	if words == nil {
		words = []string{"another order"}
	}
	return shorten(strings.Join(words, "; "))
}

// differing returns the words that only one of two lists has.
func differing(was, is []string) (words []string) {
	for _, f := range was {
		if !slices.Contains(is, f) {
			words = append(words, "no longer "+f)
		}
	}
	for _, f := range is {
		if !slices.Contains(was, f) {
			words = append(words, "now "+f)
		}
	}
	return words
}

func (in *install) consts(into items, path string) {
	p := in.types().check(path)
	if p == nil {
		return
	}
	for _, name := range p.Scope().Names() {
		if k, ok := p.Scope().Lookup(name).(*types.Const); ok {
			if d := in.decl(path, name); d != nil {
				into[path+"."+name] = item{k.Val().ExactString(), d.pos()}
			}
		}
	}
}

func compareConsts(c *comparison) {
	was, is := items{}, items{}
	for _, path := range near {
		c.old.consts(was, path)
		c.new.consts(is, path)
	}
	c.diff("const", was, is, nil)
}

// compareCompile type-checks gyr's packages and answers with the new std. Errors that the packages
// have without gyr are no findings.
func compareCompile(c *comparison) {
	guest := c.ours.guest(c.new)
	bodies := func(path string) bool { return c.ours.replaces(path) || c.ours.answers[path] != "" }
	w := &world{in: guest, pkgs: map[string]*types.Package{}, bodies: bodies}
	plain := &world{in: c.new, pkgs: map[string]*types.Package{}, bodies: func(path string) bool { return c.ours.answers[path] != "" }}
	for _, path := range slices.Concat(c.ours.overlaid, slices.Sorted(maps.Keys(c.ours.answers))) {
		w.check(path)
	}
	if slices.ContainsFunc(w.errs, func(e typeError) bool { return !e.ours }) {
		for _, path := range slices.Sorted(maps.Keys(c.ours.answers)) {
			plain.check(path)
		}
	}
	slices.SortStableFunc(w.errs, func(a, b typeError) int { return cmp.Compare(a.pos, b.pos) })
	for _, e := range w.errs {
		if !e.ours && (slices.Contains(plain.errs, e) || !bodies(e.pkg) || strings.HasSuffix(e.msg, "imported and not used")) {
			continue
		}
		c.findings = append(c.findings, Finding{Kind: "compile", Name: e.pkg, Pos: e.pos, Text: shorten(e.msg), Ours: "does not compile", now: e.msg})
	}
}
