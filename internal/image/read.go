package image

import (
	"bytes"
	"math"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// The least number of bytes that an element of a table takes.
const (
	minSig         = 2
	minFunc        = 9
	minSite        = 3
	minPos         = 2
	minShape       = 1
	minHost        = 2
	minExport      = 7
	minHostPackage = 38
	minInit        = 5
)

// readMeta reads what the other sections are read with.
func (im *Image) readMeta() error {
	c := cursor{b: im.sections[secMeta]}
	h := &im.header
	h.Go = c.string()
	h.FrontEnd = c.string()
	h.Tags = c.strings()
	h.Unsafe = c.bool()
	if s := c.bytes(); len(s) > 0 {
		h.Std = bytes.Clone(s)
	}
	h.Layer = int(c.int32())
	for _, n := range im.counts.list() {
		*n = int(c.int32())
	}
	im.base = *countsOf(baseOf(&ir.Module{}), 0)
	if im.header.Form.hasBase() {
		for _, n := range im.base.list() {
			*n = int(c.int32())
		}
	}
	if err := c.end("meta"); err != nil {
		return err
	}
	for _, t := range []struct {
		n, min int
		in     section
	}{
		{im.counts.sigs, minSig, secSigs}, {im.counts.funcs - im.base.funcs, minFunc, secFuncs},
		{im.counts.sites - im.base.sites, minSite, secSites}, {im.counts.pos - im.base.pos, minPos, secPos},
		{im.counts.shapes - im.base.shapes, minShape, secTables}, {im.counts.hosts - im.base.hosts, minHost, secTables},
	} {
		if t.n > im.sizes[t.in]/t.min {
			return formatError("%s: more elements than bytes", sectionNames[t.in])
		}
	}
	if im.counts.funcs == 0 {
		return formatError("functions: none")
	}
	if im.header.Form.hasBase() && (im.counts.funcs < im.base.funcs || im.counts.sites < im.base.sites ||
		im.counts.pos < im.base.pos ||
		im.counts.shapes < im.base.shapes || im.counts.hosts < im.base.hosts) {
		return formatError("less than its base")
	}
	return im.readSigs()
}

func (im *Image) readSigs() error {
	c := cursor{b: im.sections[secSigs]}
	if n := c.uvarint(); n != uint64(im.counts.sigs) {
		c.fail("%d signatures, %d announced", n, im.counts.sigs)
	}
	// All types of all signatures stand in one piece of memory, which has room
	// since each takes a byte of the section.
	types := make([]ir.Type, 0, c.left())
	list := func() []ir.Type {
		from := len(types)
		for _, b := range c.bytes() {
			t := ir.Type(b)
			if !t.Valid() {
				c.fail("unknown type %d", b)
			}
			types = append(types, t)
		}
		if from == len(types) {
			return nil
		}
		return types[from:len(types):len(types)]
	}
	im.sigs = make([]ir.Sig, im.counts.sigs)
	for i := range im.sigs {
		im.sigs[i] = ir.Sig{Params: list(), Results: list()}
	}
	return c.end("signatures")
}

// Sigs returns the signatures of all functions, host functions, shapes and
// calls of the program, each once. They must not be changed.
func (im *Image) Sigs() []ir.Sig { return im.sigs }

// Module decodes everything except the bodies of functions. base is the module that the image
// continues, nil if it stands alone. The caller knows that the image was written with this base;
// the reader could tell another one only by the lengths of its tables.
func (im *Image) Module(base *ir.Module) (*ir.Module, *Bodies, error) {
	switch continued := im.header.Form.hasBase(); {
	case base == nil && continued:
		return nil, nil, formatError("its base is needed")
	case base == nil:
		return im.module(&ir.Module{})
	case !continued || im.base != *countsOf(base, len(base.Sigs)):
		return nil, nil, formatError("not of this base")
	}
	return im.module(&ir.Module{
		Base: base, Files: base.Files, Layouts: base.Layouts, Roots: base.Roots,
		Primitives: base.Primitives, Go: base.Go, Runtime: base.Runtime, Vars: base.Vars,
	})
}

// module decodes the rest of the tables of m, after those parts that m has already.
func (im *Image) module(m *ir.Module) (*ir.Module, *Bodies, error) {
	bs := &Bodies{im: im, m: m}
	for _, read := range []func(*ir.Module) error{bs.readFuncs, im.readFiles, im.readLines, im.readTables, im.readData} {
		if err := read(m); err != nil {
			return nil, nil, err
		}
	}
	return m, bs, nil
}

// Decode decodes a whole module. Base is what the image continues, as for [Image.Module].
func (im *Image) Decode(base *ir.Module) (*ir.Module, error) {
	m, bodies, err := im.Module(base)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Own() {
		if err := bodies.Decode(f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (im *Image) readFiles(m *ir.Module) error {
	c := cursor{b: im.sections[secFiles]}
	if n := c.count(1); n > 0 {
		have := len(m.Files)
		m.Files = extend(m.Files, have+n)
		for i := have; i < len(m.Files); i++ {
			m.Files[i] = c.string()
		}
	}
	return c.end("files")
}

func (im *Image) readTables(m *ir.Module) error {
	c := cursor{b: im.sections[secTables]}
	have := len(m.Layouts)
	m.Layouts = extend(m.Layouts, have+c.count(2))
	for i := have; i < len(m.Layouts); i++ {
		m.Layouts[i] = ir.Layout{Size: c.size(), Ptrs: c.words()}
	}
	if n := c.count(3); n > 0 {
		have := len(m.Roots)
		m.Roots = extend(m.Roots, have+n)
		addr := int64(0)
		for i := have; i < len(m.Roots); i++ {
			if addr += c.varint(); addr < 0 || addr > 1<<32-1 {
				c.fail("address out of range")
			}
			m.Roots[i] = ir.Root{Addr: uint32(addr), Layout: c.int32(), Count: c.int32()}
		}
	}
	if n := c.count(2); n > 0 {
		m.TypeLayouts = make(map[uint32]int32, n)
		addr := uint64(0)
		for i := range n {
			d := c.uvarint()
			if d > 1<<32-1-addr || d == 0 && i > 0 {
				c.fail("address out of range")
				break
			}
			addr += d
			m.TypeLayouts[uint32(addr)] = c.int32()
		}
	}
	if n := im.base.hosts + c.count(minHost); n != im.counts.hosts {
		c.fail("%d host functions, %d announced", n, im.counts.hosts)
	} else {
		m.Primitives = extend(m.Primitives, n)
	}
	for i := im.base.hosts; i < len(m.Primitives); i++ {
		m.Primitives[i].Name = c.string()
		m.Primitives[i].Sig = im.sig(&c)
	}
	shapes := c.bytes()
	m.SetShapes(im.counts.shapes, func() ([]*ir.Shape, error) { return im.shapes(shapes, m) })
	if !im.trusted {
		if err := m.LoadShapes(); err != nil {
			return err
		}
	}
	m.Entry = fn(&c, m)
	if m.Base == nil {
		if m.Go = int(min(c.uvarint(), math.MaxInt32)); m.Go != 0 && release.OfMinor(m.Go) == nil {
			c.fail("the standard library of go1.%d", m.Go)
		}
		readNames(&c, m)
	}
	if n := c.count(minInit); n > 0 {
		m.Inits = make([]ir.Init, n)
	}
	for i := range m.Inits {
		in := &m.Inits[i]
		in.Path, in.Func = c.string(), fn(&c, m)
		a := c.uvarint()
		if a > 1<<32-1 {
			c.fail("address out of range")
		}
		in.Closure, in.Std = uint32(a), c.bool()
		if n := c.count(1); n > 0 {
			in.Deps = make([]int32, n)
			for j := range in.Deps {
				in.Deps[j] = int32(c.index(len(m.Inits)))
			}
		}
	}
	exports := c.bool()
	if n := c.count(minExport); exports {
		m.Exports = make([]ir.Export, n)
	} else if n > 0 {
		c.fail("exported functions")
	}
	for i := range m.Exports {
		x := &m.Exports[i]
		x.Name = c.string()
		x.Params = c.strings()
		x.Fails = c.bool()
		x.Signature = c.string()
		x.ParamTypes = c.strings()
		x.ResultTypes = c.strings()
		x.Refusal = c.string()
		if len(x.ParamTypes) != len(x.Params) {
			c.fail("types of parameters")
		}
	}
	readHostPackages(&c, m)
	m.Described = c.string()
	m.BSS = c.size()
	return c.end("tables")
}

// readHostPackages reads which packages of the host the program imports.
func readHostPackages(c *cursor, m *ir.Module) {
	if n := c.count(minHostPackage); n > 0 {
		m.HostPackages = make([]ir.HostPackage, n)
	}
	last := ""
	for i := range m.HostPackages {
		h := &m.HostPackages[i]
		last = nextName(c, i, last)
		h.Path = last
		if sum := c.string(); len(sum) == len(h.Sum) {
			copy(h.Sum[:], sum)
		} else {
			c.fail("sum of a host package")
		}
		h.First, h.Funcs = c.index(ir.MaxHostFuncs), c.index(ir.MaxHostFuncs)
		h.FirstError, h.Errors = c.index(ir.MaxHostFuncs), c.index(ir.MaxHostFuncs)
	}
}

// readNames reads what tiers find by name.
func readNames(c *cursor, m *ir.Module) {
	n := c.count(2)
	m.Runtime = make(map[string]*ir.Func, n)
	last := ""
	for i := range n {
		last = nextName(c, i, last)
		m.Runtime[last] = fn(c, m)
	}
	n = c.count(2)
	m.Vars = make(map[string]uint32, n)
	for i := range n {
		last = nextName(c, i, last)
		a := c.uvarint()
		if a > 1<<32-1 {
			c.fail("address out of range")
		}
		m.Vars[last] = uint32(a)
	}
}

// extend returns a table of n elements that begins with those of a base, which keeps its own.
func extend[T any](base []T, n int) []T {
	t := make([]T, n)
	copy(t, base)
	return t
}

// nextName reads name i of a sorted list.
func nextName(c *cursor, i int, last string) string {
	name := c.string()
	if i > 0 && name <= last {
		c.fail("names out of order")
	}
	return name
}

// sig reads the number of a signature.
func (im *Image) sig(c *cursor) ir.Sig {
	i := c.index(len(im.sigs))
	if c.err != nil {
		return ir.Sig{}
	}
	return im.sigs[i]
}

// fn reads the number of a function; 0 is none.
func fn(c *cursor, m *ir.Module) *ir.Func {
	i := c.index(m.NumFuncs())
	if c.err != nil || i == 0 {
		return nil
	}
	return m.Func(i)
}

// shapes decodes the shapes of a module after those of its base.
func (im *Image) shapes(b []byte, m *ir.Module) ([]*ir.Shape, error) {
	var list []*ir.Shape
	if m.Base != nil {
		if err := m.Base.LoadShapes(); err != nil {
			return nil, err
		}
		list = m.Base.Shapes
	}
	list = extend(list, im.counts.shapes)
	c := cursor{b: b}
	for i := im.base.shapes; i < len(list); i++ {
		if c.bool() {
			list[i] = im.shape(&c, m)
		}
	}
	return list, c.end("shapes")
}

func (im *Image) shape(c *cursor, m *ir.Module) *ir.Shape {
	s := &ir.Shape{Sig: im.sig(c)}
	if n := c.count(3); n > 0 {
		s.Offsets, s.ByRef, s.Sizes = make([]int32, n), make([]bool, n), make([]int32, n)
		for i := range n {
			s.Offsets[i], s.ByRef[i], s.Sizes[i] = c.int32(), c.bool(), c.int32()
		}
	}
	s.RetOff, s.Size = c.int32(), c.int32()
	s.Unpack, s.Pack = int32(c.index(m.NumFuncs())), int32(c.index(m.NumFuncs()))
	return s
}
