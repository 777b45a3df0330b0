package image

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// Encode writes a module. The bytes depend on nothing but the module and the
// header. Values and blocks lose their numbers (see the package comment), so a
// module that is to be equal to its image has to be numbered densely before.
//
// A module that breaks the rules of [ir.VerifyModule] may give an error or an
// image that cannot be read.
func Encode(m *ir.Module, h Header) ([]byte, error) { return EncodeWith(m, h, nil) }

// EncodeWith is Encode for a LoweredOn image that carries the images of the layers that it continues.
func EncodeWith(m *ir.Module, h Header, layers [][]byte) ([]byte, error) {
	if h.Form < Lowered || h.Form >= numForms || h.Form.hasBase() != (m.Base != nil) {
		return nil, fmt.Errorf("image: %s, base %t", h.Form, m.Base != nil)
	}
	if err := cmp.Or(m.LoadLines(), m.LoadData(), m.LoadShapes()); err != nil {
		return nil, err
	}
	e := &encoder{m: m, base: baseOf(m), form: h.Form, sigs: map[string]int{}}
	if err := cmp.Or(e.base.LoadData(), e.base.LoadShapes()); err != nil {
		return nil, err
	}
	var secs [numSections][]byte
	if err := e.funcs(&secs); err != nil {
		return nil, err
	}
	var w writer
	files := m.Files[len(e.base.Files):]
	w.uint(len(files))
	for _, f := range files {
		w.string(f)
	}
	secs[secFiles], w = w.b, writer{}
	e.sites(&w)
	secs[secSites], w = w.b, writer{}
	e.pos(&w)
	secs[secPos], w = w.b, writer{}
	e.tables(&w)
	secs[secTables], w = w.b, writer{}
	encodeData(&w, m.Data, e.base.Data)
	secs[secData], w = w.b, writer{}
	w.uint(len(e.sigList))
	for _, s := range e.sigList {
		for _, ts := range [][]ir.Type{s.Params, s.Results} {
			w.uint(len(ts))
			for _, t := range ts {
				w.b = append(w.b, byte(t))
			}
		}
	}
	secs[secSigs] = w.b
	if len(layers) > 0 {
		w = writer{}
		w.uint(len(layers))
		for _, l := range layers {
			w.string(string(l))
		}
		secs[secStd] = w.b
	}
	w = writer{}
	w.string(h.Go)
	w.string(h.FrontEnd)
	w.uint(len(h.Tags))
	for _, t := range h.Tags {
		w.string(t)
	}
	w.bool(h.Unsafe)
	w.string(string(h.Std))
	w.uint(h.Layer)
	for _, n := range countsOf(m, len(e.sigList)).list() {
		w.uint(*n)
	}
	if m.Base != nil {
		for _, n := range countsOf(m.Base, len(m.Base.Sigs)).list() {
			w.uint(*n)
		}
	}
	secs[secMeta] = w.b

	n := headerSize
	for _, s := range secs {
		n += len(s)
	}
	out := make([]byte, headerSize, n)
	le := binary.LittleEndian
	copy(out, magic)
	le.PutUint32(out[offVersion:], Version)
	le.PutUint32(out[offDeterminism:], h.Determinism)
	le.PutUint32(out[offForm:], uint32(h.Form))
	for i, s := range secs {
		p := out[offSections+i*sectionEntry:]
		le.PutUint64(p, uint64(len(s)))
		le.PutUint32(p[8:], crc32.Checksum(s, castagnoli()))
	}
	le.PutUint32(out[offCRC:], headerCRC(out))
	for _, s := range secs {
		out = append(out, s...)
	}
	return out, nil
}

// counts are the lengths of the tables that bodies refer to.
type counts struct {
	funcs, sigs, sites, pos, shapes, hosts int
}

func countsOf(m *ir.Module, sigs int) *counts {
	sites, pos := m.NumLines()
	return &counts{m.NumFuncs(), sigs, sites, pos, m.NumShapes(), len(m.Primitives)}
}

// baseOf is the base of a module, or one that has nothing: the elements of number 0, which are
// not written, count as its.
func baseOf(m *ir.Module) *ir.Module {
	if m.Base != nil {
		return m.Base
	}
	none := &ir.Module{Sites: make([]ir.Site, 1), Pos: make([]ir.PosEntry, 1)}
	none.SetFuncs(make([]*ir.Func, 1))
	return none
}

func (c *counts) list() []*int {
	return []*int{&c.funcs, &c.sigs, &c.sites, &c.pos, &c.shapes, &c.hosts}
}

// A writer appends to a section.
type writer struct{ b []byte }

func (w *writer) uvarint(x uint64) { w.b = binary.AppendUvarint(w.b, x) }
func (w *writer) varint(x int64)   { w.b = binary.AppendVarint(w.b, x) }
func (w *writer) uint(n int)       { w.uvarint(uint64(n)) }

func (w *writer) string(s string) {
	w.uint(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) strings(list []string) {
	w.uint(len(list))
	for _, s := range list {
		w.string(s)
	}
}

func (w *writer) bool(x bool) {
	if x {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *writer) words(ws []uint64) {
	w.uint(len(ws))
	for _, x := range ws {
		w.uvarint(x)
	}
}

// An encoder writes one module.
type encoder struct {
	m       *ir.Module
	base    *ir.Module
	form    Form
	sigs    map[string]int // by Sig.Key
	sigList []*ir.Sig
	nums    []int32 // of the values of the function being written, by ID
	blocks  []int32
}

func (e *encoder) sig(s *ir.Sig) int {
	k := s.Key()
	i, ok := e.sigs[k]
	if !ok {
		i = len(e.sigList)
		e.sigs[k] = i
		e.sigList = append(e.sigList, s)
	}
	return i
}

func (e *encoder) sites(w *writer) {
	var p ir.Site
	for _, s := range ownLines(e.m, e.m.Sites) {
		w.varint(int64(s.Func) - int64(p.Func))
		w.varint(int64(s.File) - int64(p.File))
		w.varint(int64(s.Line) - int64(p.Line))
		p = s
	}
}

func (e *encoder) pos(w *writer) {
	var p ir.PosEntry
	for _, x := range ownLines(e.m, e.m.Pos) {
		w.varint(int64(x.Site) - int64(p.Site))
		w.varint(int64(x.Parent) - int64(p.Parent))
		p = x
	}
}

func (e *encoder) tables(w *writer) {
	m := e.m
	layouts := tail(m.Layouts, e.base.Layouts)
	w.uint(len(layouts))
	for _, l := range layouts {
		w.uvarint(uint64(l.Size))
		w.words(l.Ptrs)
	}
	roots := tail(m.Roots, e.base.Roots)
	w.uint(len(roots))
	addr := int64(0)
	for _, r := range roots {
		w.varint(int64(r.Addr) - addr)
		addr = int64(r.Addr)
		w.uint(int(r.Layout))
		w.uint(int(r.Count))
	}
	w.uint(len(m.TypeLayouts))
	last := uint32(0)
	for _, a := range slices.Sorted(maps.Keys(m.TypeLayouts)) {
		w.uvarint(uint64(a - last))
		last = a
		w.uint(int(m.TypeLayouts[a]))
	}
	hosts := tail(m.Primitives, e.base.Primitives)
	w.uint(len(hosts))
	for i := range hosts {
		w.string(hosts[i].Name)
		w.uint(e.sig(&hosts[i].Sig))
	}
	shapes := tail(m.Shapes, e.base.Shapes)
	var sw writer
	for _, s := range shapes {
		sw.bool(s != nil)
		if s != nil {
			e.shape(&sw, s)
		}
	}
	w.string(string(sw.b))
	w.uint(funcIndex(m.Entry))
	if m.Base == nil { // otherwise they are the base's
		w.uint(m.Go)
		w.uint(len(m.Runtime))
		for _, name := range slices.Sorted(maps.Keys(m.Runtime)) {
			w.string(name)
			w.uint(funcIndex(m.Runtime[name]))
		}
		w.uint(len(m.Vars))
		for _, name := range slices.Sorted(maps.Keys(m.Vars)) {
			w.string(name)
			w.uvarint(uint64(m.Vars[name]))
		}
	}
	w.uint(len(m.Inits))
	for _, in := range m.Inits {
		w.string(in.Path)
		w.uint(funcIndex(in.Func))
		w.uvarint(uint64(in.Closure))
		w.bool(in.Std)
		w.uint(len(in.Deps))
		for _, d := range in.Deps {
			w.uint(int(d))
		}
	}
	w.bool(m.Exports != nil)
	w.uint(len(m.Exports))
	for _, x := range m.Exports {
		w.string(x.Name)
		w.strings(x.Params)
		w.bool(x.Fails)
		w.string(x.Signature)
		w.strings(x.ParamTypes)
		w.strings(x.ResultTypes)
		w.string(x.Refusal)
	}
	w.uint(len(m.HostPackages))
	for i := range m.HostPackages {
		h := &m.HostPackages[i]
		w.string(h.Path)
		w.string(string(h.Sum[:]))
		w.uint(h.First)
		w.uint(h.Funcs)
		w.uint(h.FirstError)
		w.uint(h.Errors)
	}
	w.string(m.Described)
	w.uvarint(uint64(m.BSS))
}

// ownLines are the elements of Sites or Pos that an image has: those of a module without a base begin with number 0.
func ownLines[T any](m *ir.Module, table []T) []T {
	if m.Base == nil && len(table) > 0 {
		return table[1:]
	}
	return table
}

// tail returns the part of a table after the base's.
func tail[T any](table, base []T) []T { return table[min(len(base), len(table)):] }

func (e *encoder) shape(w *writer, s *ir.Shape) {
	w.uint(e.sig(&s.Sig))
	w.uint(len(s.Offsets))
	for i := range s.Offsets {
		w.uint(int(s.Offsets[i]))
		w.bool(s.ByRef[i])
		w.uint(int(s.Sizes[i]))
	}
	w.uint(int(s.RetOff))
	w.uint(int(s.Size))
	w.uint(int(s.Unpack))
	w.uint(int(s.Pack))
}

func funcIndex(f *ir.Func) int {
	if f == nil {
		return 0
	}
	return int(f.Index)
}
