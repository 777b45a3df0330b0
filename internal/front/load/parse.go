package load

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	"hash/fnv"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/load/rewrite"
	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/printable"
)

// A file is one parsed source file. Files of the standard library are shared
// between programs and never changed.
type file struct {
	name       string // as positions name it
	key        string // determines its base in the file set
	size       int
	sum        uint32            // checksum of what was read
	hash       [sha256.Size]byte // the same, for analyzers
	ast        *ast.File
	token      *token.File
	directives []directive.Directive
	syntax     diag.Errors
	limit      error       // why it was not parsed
	head       *diag.Error // a syntax error in the package clause or the imports
	cgo        bool        // imports "C"
	cgoTag     bool        // its build constraint mentions cgo
	dot        bool        // has a dot import
	generated  bool        // made by the loader: has privileges that user code does not have
	zones      bool        // it may load time zones by their names
	buildInfo  bool        // it may ask for build information
	answer     bool        // of the overlay, with declarations that replace some in a package of GOROOT
	rangeDefer []*ast.BlockStmt
	loops      map[token.Pos]string // the calls of measured loops, by the position of the loops' names
	cover      *coverer             // nil: its blocks are not counted
}

// need returns the package at a place. The first call starts loading it.
func (l *loader) need(pl *place) *pkg {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pkgs[pl.key()]; p != nil {
		return p
	}
	if b := l.onBase(pl.path); b != nil && pl.origin.std() {
		return l.needBase(b)
	}
	if l.library != nil && pl.origin.std() && !ofCommand(pl.path) {
		return l.later(pl)
	}
	p := &pkg{place: *pl, importPath: pl.path, dirPath: pl.path, loaded: make(chan struct{})}
	l.start(p)
	return p
}

// start registers a package and loads it in the background; l.mu is held.
func (l *loader) start(p *pkg) {
	l.pkgs[p.key()] = p
	if l.cfg.Std != nil && p.origin == ofGOROOT {
		l.needsSources("compiling package " + p.path)
		close(p.loaded)
		return
	}
	if err := l.usurped(&p.place, p.importPath); err != nil {
		p.fail("%v", err)
		close(p.loaded)
		return
	}
	l.wg.Go(func() {
		l.try("loading a package", p, func() { l.loadPackage(p) })
		close(p.loaded)
		l.try("loading a package", p, func() { l.loadImports(p) })
	})
}

// loadPackage finds, reads and parses the files of a package.
func (l *loader) loadPackage(p *pkg) {
	if l.Ctx.Err() != nil {
		return
	}
	if p.origin.std() && !p.test && l.cache != nil && !l.covers(p) && !p.ofCommand() {
		e, err := l.cache.get(p.path, func() (*stdEntry, error) {
			// Later programs need to know what was read.
			rec := p.tree.Rec
			if rec != nil {
				p.tree.Rec = &filetree.Inputs{}
			}
			l.loadFiles(p)
			e := &stdEntry{name: p.name, files: p.files, errs: p.errs, syntax: p.syntax, inputs: p.tree.Rec}
			p.tree.Rec = rec
			return e, l.ended()
		})
		if err != nil {
			return
		}
		if p.tree.Rec != nil {
			p.tree.Rec.Merge(e.inputs)
		}
		p.name, p.files, p.errs, p.syntax = e.name, e.files, slices.Clip(e.errs), e.syntax
		return
	}
	l.loadFiles(p)
}

// loadFiles reads and parses the files of a package that belong to this build.
func (l *loader) loadFiles(p *pkg) {
	l.mu.Lock()
	l.stats.Parsed++
	l.mu.Unlock()
	names := p.named
	if names == nil {
		list, err := p.tree.ReadSources(p.dir)
		if err != nil {
			p.fail("package %s: cannot find package: %v", p.importPath, filetree.Reason(err))
			return
		}
		for _, e := range list {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	files, foreign, excluded := l.candidates(p, names)
	answers := l.addAnswers(p)
	drop, errs := l.parseFiles(p, files)
	if l.Ctx.Err() != nil {
		return
	}
	files, drop, errs = append(files, answers...), append(drop, make([]bool, len(answers))...), append(errs, make([]error, len(answers))...)
	var cgo []*file
	cgoTag := false
	for i, f := range files {
		if l.forUnits && (drop[i] || f.cgo) {
			p.ignored = append(p.ignored, f.name)
		}
		switch {
		case f.limit != nil:
			p.limit = cmp.Or(p.limit, f.limit)
			excluded++
			continue
		case errs[i] != nil:
			p.errs = append(p.errs, &diag.Error{Msg: fmt.Sprintf("open %s: %v", l.Short(f.name), filetree.Reason(errs[i]))})
			continue
		case f.head != nil:
			p.errs = append(p.errs, f.head)
			continue
		case drop[i]:
			excluded++
			continue
		case f.cgo:
			cgo = append(cgo, f)
			excluded++
			continue
		}
		cgoTag = cgoTag || f.cgoTag
		p.syntax = append(p.syntax, f.syntax...)
		name := f.ast.Name.Name
		if p.test && strings.HasSuffix(f.name, "_test.go") && strings.HasSuffix(name, "_test") {
			p.xfiles = append(p.xfiles, f)
			continue
		}
		if name == "documentation" && p.named == nil {
			excluded++
			continue
		}
		if p.name == "" {
			p.name = name
		} else if name != p.name && f.syntax == nil {
			first := p.files[0].name
			p.fail("found packages %s (%s) and %s (%s) in %s", p.name, printable.Line(filepath.Base(first)), name,
				printable.Line(filepath.Base(f.name)), l.Shown(p.dir))
			return
		}
		if p.host && f.syntax == nil {
			f.ofHost()
		}
		p.files = append(p.files, f)
	}
	switch {
	case l.forUnits:
		l.noteForeign(p, foreign)
	case !p.origin.std():
		l.refuseForeign(p, cgo, cgoTag, foreign)
	}
	if len(p.files) == 0 && len(p.xfiles) == 0 && p.errs == nil && p.limit == nil {
		switch {
		case excluded > 0:
			p.noFiles = &diag.Error{Msg: fmt.Sprintf("package %s: build constraints exclude all Go files in %s", p.importPath, l.Shown(p.dir)) +
				l.otherSystems(p, p, l.leftOut(&p.place), "has only")}
			p.errs = append(p.errs, p.noFiles)
		default:
			p.fail("no Go files in %s", l.Shown(p.dir))
		}
	}
	if l.covers(p) {
		l.declareCover(p)
	}
	if p.name == "" && len(p.xfiles) > 0 {
		p.name = strings.TrimSuffix(p.xfiles[0].ast.Name.Name, "_test")
	}
}

// refuseForeign records errors for files that are not pure Go: files that import "C", and files in
// other languages.
func (l *loader) refuseForeign(p *pkg, cgo []*file, cgoTag bool, foreign []string) {
	// If cgo is disabled, the go command leaves out these files and those that cgo would compile.
	// That is right for a package with constraints on cgo. In any other package it would hide the
	// cause of later errors.
	for _, f := range cgo {
		if !cgoTag {
			p.errs = append(p.errs, l.refuseCgo(p, f))
		}
	}
	for _, name := range foreign {
		full := p.tree.Join(p.dir, name)
		src, err := p.tree.ReadFile(full, filetree.MaxSource)
		if err != nil {
			continue
		}
		if ok, _ := l.header(&p.place, src); !ok {
			continue
		}
		what := "C source file"
		switch filepath.Ext(name) {
		case ".s", ".S":
			l.refuseAssembly(p, full, src)
			continue
		case ".syso":
			what = "object file"
		default:
			if cgoTag {
				continue
			}
		}
		p.errs = append(p.errs, &diag.Error{Pos: token.Position{Filename: l.Short(full)}, Msg: what + "s are not supported"})
	}
}

// refuseAssembly refuses a file of assembly that has code.
func (l *loader) refuseAssembly(p *pkg, name string, src []byte) {
	if !target.HasCode(src) {
		p.assembly = true
		return
	}
	msg := "assembly files with code are not supported"
	if tag := l.match.TagWithout(src); tag != "" {
		msg += ": -tags=" + tag + " leaves this one out"
	}
	p.errs = append(p.errs, &diag.Error{Pos: token.Position{Filename: l.Short(name)}, Msg: msg})
}

// noteForeign notes which files in languages other than Go belong to the build.
func (l *loader) noteForeign(p *pkg, foreign []string) {
	for _, name := range foreign {
		full := p.tree.Join(p.dir, name)
		src, err := p.tree.ReadFile(full, filetree.MaxSource)
		if err != nil {
			continue
		}
		if ok, _ := l.header(&p.place, src); ok {
			p.other = append(p.other, full)
		} else {
			p.ignored = append(p.ignored, full)
		}
	}
}

// ignore notes a file that its name excludes from the build, for analyzers of the package.
func (l *loader) ignore(p *pkg, name string) {
	if l.forUnits && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") {
		p.ignored = append(p.ignored, p.tree.Join(p.dir, name))
	}
}

// candidates returns the Go files among the names, the files that only the gc toolchain or a C
// compiler could build, and how many files are excluded by their names.
func (l *loader) candidates(p *pkg, names []string) (files []*file, foreign []string, excluded int) {
	for _, name := range names {
		ext := filepath.Ext(name)
		if ext != ".go" {
			if !p.origin.std() && p.named == nil && filetree.ForeignExt[ext] {
				if l.match.Name(name) {
					foreign = append(foreign, name)
				} else {
					l.ignore(p, name)
				}
			}
			continue
		}
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && !p.test {
			continue
		}
		if p.named == nil && !l.match.Name(name) {
			l.ignore(p, name)
			excluded++
			continue
		}
		f := &file{name: p.tree.Join(p.dir, name)}
		if p.named != nil {
			f.name = p.tree.At(l.Dir, name)
		}
		switch {
		case p.origin == ofOverlay:
			f.key = "overlay:" + p.path + "/" + name
			f.name = gomod.StdName(p.path, name)
		case p.origin.std():
			f.key = "std:" + p.path + "/" + name
			if !p.test || l.User.FS != nil { // a user who tests a package knows its files by their own names
				f.name = gomod.StdName(p.path, name)
			}
		default:
			f.key = "user:" + p.path + "/" + filepath.Base(name)
			if l.User.FS != nil {
				f.name = l.GuestName(f.name)
			}
		}
		files = append(files, f)
	}
	return files, foreign, excluded
}

// parseFiles parses files in parallel. The caller goes through the results in order and decides why
// each file is dropped.
func (l *loader) parseFiles(p *pkg, files []*file) (drop []bool, errs []error) {
	drop, errs = make([]bool, len(files)), make([]error, len(files))
	done := make(chan struct{}, len(files))
	for i, f := range files {
		l.workers <- struct{}{}
		go func() {
			defer func() { <-l.workers; done <- struct{}{} }()
			l.try("parsing a file", p, func() { drop[i], errs[i] = l.parseFile(p, f) })
		}()
	}
	for range files {
		<-done
	}
	return drop, errs
}

func (p *pkg) fail(format string, args ...any) {
	p.errs = append(p.errs, &diag.Error{Msg: fmt.Sprintf(format, args...)})
}

// parseFile reads a file and parses it, unless its build constraint excludes it.
func (l *loader) parseFile(p *pkg, f *file) (drop bool, err error) {
	src, err := l.treeOf(p, f).ReadFile(f.sourceName(p), filetree.MaxSource)
	if err != nil {
		return false, err
	}
	if p.named == nil {
		ok, cgo := l.header(&p.place, src)
		f.cgoTag = cgo
		if !ok || !p.origin.std() && isFiletest(f.name, src) {
			return true, nil
		}
	}
	f.size = len(src)
	if !p.origin.std() && l.tooLarge(p, f, src) {
		return true, nil
	}
	mode := parser.SkipObjectResolution
	if p.test && strings.HasSuffix(f.name, "_test.go") || !p.origin.std() && bytes.Contains(src, []byte("//go:")) || l.mayMeasure(f) {
		mode |= parser.ParseComments
	}
	if l.forUnits { // the analyzer parses the rest of the file
		mode, f.hash = parser.ImportsOnly|parser.SkipObjectResolution, sha256.Sum256(src)
	}
	mode = l.countOnly(p, mode)
	f.sum = crc32.Checksum(src, castagnoli())
	if p.blanks != nil && (f.answer || l.cfg.Std == nil || p.origin != ofGOROOT) { // the files of a Std have no such bodies
		if src, err = p.blanks[filepath.Base(f.name)].apply(src, f.sum); err != nil {
			return false, err
		}
	}
	fset := token.NewFileSet()
	fset.AddFile("", fileBase(f.key)-1, 0)
	f.ast, err = parser.ParseFile(fset, f.name, src, mode)
	if f.ast == nil || !f.ast.FileStart.IsValid() {
		return false, err
	}
	f.token = fset.File(f.ast.FileStart)
	if err != nil {
		f.syntax = l.syntaxErrors(p, f, src, err)
		err = nil
	}
	if f.ast.Name == nil {
		f.ast.Name = &ast.Ident{NamePos: f.ast.FileStart, Name: "_"}
	}
	for _, imp := range f.ast.Imports {
		if imp.Path.Value == `"C"` {
			f.cgo = true
		}
		f.dot = f.dot || imp.Name != nil && imp.Name.Name == "."
	}
	f.zones = !p.origin.std() && f.namesZones(src)
	f.buildInfo = !p.origin.std() && f.namesBuildInfo(src)
	if mode&parser.ParseComments != 0 {
		f.directives = directive.OfComments(f.ast)
	} else {
		f.directives = directive.OfText(src, f.token)
	}
	if !l.Release.LinknameStd {
		f.directives = slices.DeleteFunc(f.directives, func(d directive.Directive) bool { name, _ := d.Split(); return name == directive.LinknameStd })
	}
	if l.mayMeasure(f) {
		f.loops = loopsOf(f.ast)
	}
	if p.answered != nil && !f.answer {
		f.leaveOut(p.answered)
	}
	if f.syntax == nil && l.covers(p) && !f.answer {
		l.cover(p, f, src)
	}
	if f.syntax == nil && !l.forUnits {
		f.rangeDefer = rewrite.AddDefers(f.ast)
	}
	return false, nil
}

// treeOf returns the tree that has a package's file.
func (l *loader) treeOf(p *pkg, f *file) filetree.Tree {
	if f.answer {
		return l.answersFor(p)
	}
	return p.tree
}

// sourceName returns the file's name in the package's tree.
func (f *file) sourceName(p *pkg) string {
	if f.answer {
		return path.Join(AnswersDir, p.path, path.Base(f.name))
	}
	if p.named != nil && !p.origin.std() {
		return f.name
	}
	return p.tree.Join(p.dir, filepath.Base(f.name))
}

// fileBase returns the base in the file set of the file with a key. It is a function of the key
// alone, so that positions depend neither on the order in which files were parsed nor on what this
// process loaded before. Two keys collide with a probability of 2^-38; fileSet detects that.
func fileBase(key string) int {
	h := fnv.New64a()
	h.Write([]byte(key))
	x := h.Sum64()
	x ^= x >> 31
	return int(x&(1<<38-1))<<filetree.FileBits + 2
}

// fileSet collects the files of all packages.
func (l *loader) fileSet(order []*pkg) (*token.FileSet, error) {
	fset := token.NewFileSet()
	bases := map[int]string{}
	var files []*token.File
	for _, p := range order {
		list := p.files
		if p.part != nil {
			list = p.part.files
		}
		for _, f := range list {
			if other, ok := bases[f.token.Base()]; ok {
				return nil, diag.Errorf("the names of the files %s and %s have the same hash: rename one", other, f.name)
			}
			bases[f.token.Base()] = f.name
			files = append(files, f.token)
			l.stats.Bytes += f.size
		}
	}
	fset.AddExistingFiles(files...)
	return fset, nil
}

// loadImports resolves the imports of a package and starts loading them.
func (l *loader) loadImports(p *pkg) {
	if l.Ctx.Err() == nil {
		p.imports = l.importsOf(p, p.files)
	}
}

func (l *loader) importsOf(p *pkg, files []*file) map[string]*pkg {
	imports := map[string]*pkg{}
	for _, f := range files {
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if path == "unsafe" && !p.origin.std() {
				err = l.claims(path)
			}
			if err != nil {
				p.errs = append(p.errs, &diag.Error{Pos: l.position(f, spec.Pos()), End: f.token.Position(spec.End()),
					Msg: err.Error()})
			}
			if err != nil || path == "unsafe" || path == "C" {
				continue
			}
			if q, ok := imports[path]; ok && q != nil {
				continue
			}
			if q := p.given[path]; q != nil {
				imports[path] = q
				continue
			}
			pl, err := l.resolve(path, p)
			if err != nil {
				imports[path] = nil
				p.errs = append(p.errs, l.importError(p, f, spec, path, err))
				continue
			}
			q := l.need(pl)
			imports[path] = q
		}
	}
	return imports
}

// importError returns why an import cannot be resolved. An error about the build as a whole has no
// position.
func (l *loader) importError(p *pkg, f *file, spec *ast.ImportSpec, path string, err error) *diag.Error {
	if gomod.IsFatal(err) {
		return &diag.Error{Msg: err.Error(), Fatal: true}
	}
	if e := (*gomod.MissingSumError)(nil); errors.As(err, &e) {
		if e.Importer, e.Test = p.importPath, isTestFile(f.name); e.Test {
			e.Importer = strings.TrimSuffix(e.Importer, "_test") // of external tests
		}
		if p.mod != nil {
			e.Version = p.mod.Version
		}
	}
	return &diag.Error{Import: path, Pos: l.position(f, spec.Pos()), End: f.token.Position(spec.End()), Msg: err.Error()}
}

// checkImported reports imports of main packages. It must run after all packages are loaded.
func (l *loader) checkImported(p *pkg) (errs diag.Errors) {
	if p.origin.std() {
		return nil
	}
	for _, f := range p.files {
		for _, spec := range f.ast.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if q := p.imports[path]; q != nil && q.name == "main" && !q.test {
				errs = append(errs, &diag.Error{Pos: l.position(f, spec.Pos()), End: f.token.Position(spec.End()),
					Msg: fmt.Sprintf("import %q is a program, not an importable package", path)})
			}
		}
	}
	return errs
}

// position returns a place in a file in the form that the go command prints when it loads packages.
func (l *loader) position(f *file, pos token.Pos) token.Position {
	p := f.token.Position(pos)
	p.Filename = l.Short(p.Filename)
	return p
}

func (l *loader) importPos(f *file, path string) token.Position {
	i := slices.IndexFunc(f.ast.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(path) })
	return l.position(f, f.ast.Imports[i].Pos())
}
