package load

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"hash/crc32"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// The format of a base.
//
// A base is a mark, the length and the checksum of the index, the index, and then for each package
// its unexported names and its export data. The index consists of numbers (unsigned, of variable
// length) and strings (a length and bytes):
//
//	release  tags  packages  symbols of functions  symbols of variables
//
// A list begins with its length. A package is
//
//	path  name  flags  imports  generic  functions  variables  constants  blanks  len(hidden)  len(data)  checksum
//
// where imports and generic are numbers of earlier packages; packages of the base below come first.
// A function or variable may be tied to another object. This is written as the number of its
// package, plus 1, and its name there, or as 0 without one.

const baseMark = "gyr std types 1\n"

// castagnoli returns the table of checksums, which takes time to make.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

const (
	baseOverlay = 1 << iota
	baseSource
	baseInit
	baseFlags
)

// BaseTypes returns the input of [OpenBase]: the types of the packages of the standard library in
// p, and all else that a load on them needs. The program must have been loaded with NoPrune, and
// without a package under test. If it was loaded on a base, the packages of that base are not
// included.
func (p *Packages) BaseTypes() ([]byte, error) {
	if !p.whole {
		return nil, errors.New("load: a base is made of a program that was loaded from source without pruning")
	}
	b := &Base{goVersion: p.GoVersion, tags: p.tags, byPath: map[string]*basePackage{}}
	e := baseEncoder{p: p, b: b, number: map[*basePackage]int{}}
	if p.base != nil {
		b.own, b.pkgs, b.byPath = len(p.base.pkgs), slices.Clip(p.base.pkgs), maps.Clone(p.base.byPath)
		for i, bp := range b.pkgs {
			e.number[bp] = i
		}
	}
	for _, q := range p.Packages {
		if q.Base || q.SSA == p.Main {
			continue
		}
		if !q.Std || q.Test {
			return nil, fmt.Errorf("load: package %s cannot be part of a base", q.Path)
		}
		bp := &basePackage{path: q.Path, name: q.Types.Name(), overlay: q.Overlay, source: sources(q.Types), init: q.init}
		for _, im := range q.Imports {
			bp.imports = append(bp.imports, b.byPath[im.Path])
		}
		scope := q.Types.Scope()
		var data bytes.Buffer
		if err := gcexportdata.Write(&data, nil, q.Types); err != nil {
			return nil, fmt.Errorf("load: export data of package %s: %w", q.Path, err)
		}
		bp.data = data.Bytes()
		var err error
		if bp.types, err = b.mentioned(bp); err != nil {
			return nil, err
		}
		if bp.source {
			bp.blanks = map[string]*blanks{}
			for _, f := range q.files {
				bp.blanks[filepath.Base(f.name)] = blanksOf(f)
			}
			bp.refs = b.references(q)
		}
		bp.consts = map[string]string{}
		for _, name := range scope.Names() {
			if c, ok := scope.Lookup(name).(*types.Const); ok && c.Exported() && c.Type() == types.Typ[types.UntypedFloat] {
				if x, ok := constant.Val(c.Val()).(*big.Rat); ok {
					bp.consts[name] = x.String()
				}
			}
			if !ast.IsExported(name) {
				bp.hidden = append(append(bp.hidden, name...), 0)
			}
		}
		b.byPath[q.Path] = bp
		e.number[bp] = len(b.pkgs)
		b.pkgs = append(b.pkgs, bp)
	}
	return e.encode(), nil
}

// mentioned returns the packages that the export data of a package mentions. Export data contains
// all reachable types.
func (b *Base) mentioned(p *basePackage) (list []*basePackage, err error) {
	all := map[string]*types.Package{}
	if _, err := gcexportdata.Read(bytes.NewReader(p.data), token.NewFileSet(), all, p.path); err != nil {
		return nil, fmt.Errorf("load: export data of package %s: %w", p.path, err)
	}
	for path := range all {
		if q := b.byPath[path]; q != nil {
			list = append(list, q)
		} else if path != p.path {
			return nil, fmt.Errorf("load: the types of package %s have parts in %s, which it does not import", p.path, path)
		}
	}
	slices.SortFunc(list, func(x, y *basePackage) int { return strings.Compare(x.path, y.path) })
	return list, nil
}

// A baseEncoder writes a base.
type baseEncoder struct {
	p      *Packages
	b      *Base
	number map[*basePackage]int
	out    []byte
}

func (e *baseEncoder) int(n int) { e.out = binary.AppendUvarint(e.out, uint64(n)) }

func (e *baseEncoder) string(s string) {
	e.int(len(s))
	e.out = append(e.out, s...)
}

// function writes the function that supplies the body of another, if one does.
func (e *baseEncoder) function(fn *ssa.Function) {
	if body := e.p.Resolve(fn); body != nil {
		e.object(declared(body))
		return
	}
	e.symbol(e.p.baseBody(fn))
}

// global writes the variable whose memory another variable shares.
func (e *baseEncoder) global(g *ssa.Global) {
	if s := e.p.baseGlobal(g); s.pkg != nil {
		e.symbol(s)
		return
	}
	e.object(e.p.ResolveGlobal(g).Object())
}

// object writes the object of the base that something is tied to.
func (e *baseEncoder) object(obj types.Object) {
	if obj == nil || obj.Pkg() == nil || e.b.byPath[obj.Pkg().Path()] == nil {
		e.int(0)
		return
	}
	e.symbol(baseSymbol{e.b.byPath[obj.Pkg().Path()], localName(obj)})
}

func (e *baseEncoder) symbol(s baseSymbol) {
	if s.pkg == nil {
		e.int(0)
		return
	}
	e.int(e.number[s.pkg] + 1)
	e.string(s.name)
}

func (e *baseEncoder) encode() []byte {
	e.string(e.b.goVersion)
	e.int(len(e.b.tags))
	for _, t := range e.b.tags {
		e.string(t)
	}
	own := e.b.pkgs[e.b.own:]
	e.int(len(own))
	for _, bp := range own {
		e.pkg(bp)
	}
	bodies := maps.Clone(e.p.bodies)
	maps.DeleteFunc(bodies, func(_ string, fn *ssa.Function) bool { return fn.Pkg == e.p.Main })
	e.int(len(bodies))
	for _, sym := range slices.Sorted(maps.Keys(bodies)) {
		e.string(sym)
		e.function(bodies[sym])
	}
	vars := maps.Clone(e.p.vars)
	maps.DeleteFunc(vars, func(_ string, g *ssa.Global) bool { return g.Pkg == e.p.Main })
	e.int(len(vars))
	for _, sym := range slices.Sorted(maps.Keys(vars)) {
		e.string(sym)
		e.global(vars[sym])
	}
	index := e.out
	e.out = append([]byte(baseMark), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(e.out[len(baseMark):], uint32(len(index)))
	binary.LittleEndian.PutUint32(e.out[len(baseMark)+4:], crc32.Checksum(index, castagnoli()))
	e.out = append(e.out, index...)
	for _, bp := range own {
		e.out = append(append(e.out, bp.hidden...), bp.data...)
	}
	return e.out
}

func (e *baseEncoder) pkg(bp *basePackage) {
	q := e.p.std[bp.path]
	e.string(bp.path)
	e.string(bp.name)
	flags := 0
	for i, f := range []bool{bp.overlay, bp.source, bp.init} {
		if f {
			flags |= 1 << i
		}
	}
	e.int(flags)
	e.int(len(bp.imports))
	for _, im := range bp.imports {
		e.int(e.number[im])
	}
	type entry struct {
		name string
		obj  *types.Func
		info funcInfo
		body bool
	}
	for _, list := range [][]*basePackage{bp.types, bp.refs} {
		e.int(len(list))
		for _, q := range list {
			e.int(e.number[q])
		}
	}
	var funcs []entry
	for _, f := range q.Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name == "_" || fn.Recv == nil && fn.Name.Name == "init" {
				continue
			}
			obj := q.Info.Defs[fn.Name].(*types.Func)
			info := e.p.funcs[obj]
			if info == nil && fn.Body != nil {
				continue
			}
			if info == nil {
				info = &funcInfo{}
			}
			funcs = append(funcs, entry{localName(obj), obj, *info, fn.Body != nil})
		}
	}
	slices.SortFunc(funcs, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	e.int(len(funcs))
	for _, f := range funcs {
		e.string(f.name)
		e.string(f.info.symbol)
		e.int(int(f.info.pragma))
		e.string(f.info.wasmModule)
		e.string(f.info.wasmName)
		if f.body {
			e.int(1)
			continue
		}
		e.int(0)
		e.function(e.p.SSA.FuncValue(f.obj))
	}
	vars := map[string]types.Object{}
	for obj := range e.p.globals {
		if obj.Pkg() == q.Types {
			vars[obj.Name()] = obj
		}
	}
	e.int(len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		e.string(name)
		e.global(q.SSA.Var(name))
	}
	e.int(len(bp.consts))
	for _, name := range slices.Sorted(maps.Keys(bp.consts)) {
		e.string(name)
		e.string(bp.consts[name])
	}
	e.int(len(bp.blanks))
	for _, name := range slices.Sorted(maps.Keys(bp.blanks)) {
		f := bp.blanks[name]
		e.string(name)
		e.int(f.size)
		e.int(int(f.sum))
		e.int(len(f.bodies))
		end := 0
		for _, x := range f.bodies {
			e.int(x.start - end)
			e.int(x.end - x.start)
			end = x.end
		}
	}
	e.int(len(bp.hidden))
	e.int(len(bp.data))
	e.int(int(crc32.Update(crc32.Checksum(bp.hidden, castagnoli()), castagnoli(), bp.data)))
}

// localName returns the name of a function or variable within its package.
func localName(obj types.Object) string { return defaultSymbol(obj)[len(obj.Pkg().Path())+1:] }

var errBase = errors.New("load: damaged base of the standard library")

// A baseDecoder reads an index. After the first error everything reads as zero.
type baseDecoder struct {
	s    string
	bad  bool
	pkgs []*basePackage
}

func (d *baseDecoder) fail() { d.bad, d.s = true, "" }

func (d *baseDecoder) uint() uint64 {
	x, shift := uint64(0), 0
	for i := range len(d.s) {
		c := d.s[i]
		x |= uint64(c&0x7f) << shift
		if shift += 7; c < 0x80 {
			d.s = d.s[i+1:]
			return x
		}
		if shift > 56 {
			break
		}
	}
	d.fail()
	return 0
}

// count reads the number of things that follow. Each takes at least one byte.
func (d *baseDecoder) count() int {
	n := d.uint()
	if n > uint64(len(d.s)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *baseDecoder) string() string {
	n := d.count()
	s := d.s[:n]
	d.s = d.s[n:]
	return s
}

// pkg reads the number of a package and adds off to it.
func (d *baseDecoder) pkg(off uint64) *basePackage {
	n := d.uint()
	if n < off || n-off >= uint64(len(d.pkgs)) {
		if n != 0 || off == 0 {
			d.fail()
		}
		return nil
	}
	return d.pkgs[n-off]
}

func (d *baseDecoder) symbol() (s baseSymbol) {
	if s.pkg = d.pkg(1); s.pkg != nil {
		s.name = d.string()
	}
	return s
}

// decode reads a base that encode wrote. Below is the base that it was made on, or nil.
func (b *Base) decode(below *Base, blob []byte) error {
	rest, ok := bytes.CutPrefix(blob, []byte(baseMark))
	if !ok || len(rest) < 8 {
		return errBase
	}
	n, sum := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
	rest = rest[8:]
	if uint64(n) > uint64(len(rest)) || crc32.Checksum(rest[:n], castagnoli()) != sum {
		return errBase
	}
	d := baseDecoder{s: string(rest[:n])}
	rest = rest[n:]
	b.goVersion = d.string()
	for range d.count() {
		b.tags = append(b.tags, d.string())
	}
	b.byPath = map[string]*basePackage{}
	if below != nil {
		if b.goVersion != below.goVersion || !slices.Equal(b.tags, below.tags) {
			return errBase
		}
		b.own, b.byPath = len(below.pkgs), maps.Clone(below.byPath)
		d.pkgs = slices.Clip(below.pkgs)
	}
	// A function may be tied to one in a later package.
	for range d.count() {
		d.pkgs = append(d.pkgs, &basePackage{sources: b.sources})
	}
	for i := b.own; i < len(d.pkgs); i++ {
		if d.bad {
			return errBase
		}
		rest = d.readPackage(i, rest)
		if p := d.pkgs[i]; p.path == "" || b.byPath[p.path] != nil {
			return errBase
		}
		b.byPath[d.pkgs[i].path] = d.pkgs[i]
	}
	b.pkgs = d.pkgs
	b.funcs, b.vars = d.symbols(), d.symbols()
	if below != nil {
		maps.Copy(b.funcs, below.funcs)
		maps.Copy(b.vars, below.vars)
	}
	if d.bad || d.s != "" || len(rest) != 0 {
		return errBase
	}
	for _, path := range implicitImports {
		if b.byPath[path] == nil {
			return errBase
		}
	}
	return nil
}

func (d *baseDecoder) symbols() map[string]baseSymbol {
	n := d.count()
	m := make(map[string]baseSymbol, n)
	for range n {
		name := d.string()
		if s := d.symbol(); s.pkg != nil {
			m[name] = s
		}
	}
	return m
}

// before reads numbers of packages below i.
func (d *baseDecoder) before(i int) []*basePackage {
	list := make([]*basePackage, d.count())
	for k := range list {
		n := d.uint()
		if n >= uint64(i) {
			d.fail()
			return nil
		}
		list[k] = d.pkgs[n]
	}
	return list
}

// blanks reads the blanks of a file, in ascending order and inside the file.
func (d *baseDecoder) blanks() *blanks {
	size, sum := d.uint(), d.uint()
	if size >= 1<<filetree.FileBits || sum > 1<<32-1 {
		d.fail()
		return nil
	}
	f := &blanks{size: int(size), sum: uint32(sum), bodies: make([]extent, d.count())}
	end := uint64(0)
	for i := range f.bodies {
		skip, n := d.uint(), d.uint()
		if skip > size-end || n > size-end-skip {
			d.fail()
			return nil
		}
		f.bodies[i] = extent{int(end + skip), int(end + skip + n)}
		end += skip + n
	}
	return f
}

// readPackage reads a package of the index and returns the rest of the data.
func (d *baseDecoder) readPackage(i int, data []byte) []byte {
	p := d.pkgs[i]
	p.path, p.name = d.string(), d.string()
	flags := d.uint()
	if flags >= baseFlags {
		d.fail()
	}
	p.overlay, p.source, p.init = flags&baseOverlay != 0, flags&baseSource != 0, flags&baseInit != 0
	p.imports, p.types, p.refs = d.before(i), d.before(i), d.before(i)
	n := d.count()
	p.funcs = make(map[string]*baseFunc, n)
	for range n {
		name := d.string()
		f := &baseFunc{}
		f.symbol, f.pragma = d.string(), directive.Pragma(d.uint())
		f.wasmModule, f.wasmName = d.string(), d.string()
		if f.bodyless = d.uint() == 0; f.bodyless {
			f.body = d.symbol()
		}
		p.funcs[name] = f
	}
	p.vars = d.symbols()
	n = d.count()
	p.consts = make(map[string]string, n)
	for range n {
		name := d.string()
		p.consts[name] = d.string()
	}
	n = d.count()
	p.blanks = make(map[string]*blanks, n)
	for range n {
		name := d.string()
		p.blanks[name] = d.blanks()
	}
	hidden, size, sum := d.uint(), d.uint(), d.uint()
	if sum > 1<<32-1 || hidden > uint64(len(data)) || size > uint64(len(data))-hidden {
		d.fail()
		return nil
	}
	p.hidden, p.data, p.sum = data[:hidden:hidden], data[hidden:hidden+size:hidden+size], uint32(sum)
	return data[hidden+size:]
}
