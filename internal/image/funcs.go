package image

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// The section of functions has three parts, so that one function can be read without the others:
//
//	groups      for each [groupSize] functions three words of 4 bytes: where their records begin, the position of the
//	            function before them, and where the body of the first one begins
//	signatures  a word for each function: the number of its signature, and how it may be called by value
//	records     for each function its name, flags, position (the distance to that of the one before), shape, and the
//	            length of the body
const groupSize = 16

// groupRow is the size of a group's words.
const groupRow = 12

// calledShift is where the word of a signature has its [ir.ByValue].
const calledShift = 30

func (e *encoder) funcs(secs *[numSections][]byte) error {
	var groups, sigs, records, body writer
	le := binary.LittleEndian
	pos := int64(0)
	for i, f := range e.m.Own() {
		if f == nil {
			return fmt.Errorf("image: function %d is missing", i+e.base.NumFuncs())
		}
		if i%groupSize == 0 {
			if len(body.b) > math.MaxUint32 {
				return fmt.Errorf("image: more than %d bytes of code", uint32(math.MaxUint32))
			}
			for _, n := range []int{len(records.b), int(pos), len(body.b)} {
				groups.b = le.AppendUint32(groups.b, uint32(n))
			}
		}
		start := len(body.b)
		if f.Entry != nil {
			if err := e.body(&body, f); err != nil {
				return fmt.Errorf("image: function %s: %w", f.Name, err)
			}
		}
		sigs.b = le.AppendUint32(sigs.b, uint32(e.sig(&f.Sig))|uint32(ir.CalledAs(f.Flags))<<calledShift)
		records.string(f.Name)
		records.uvarint(uint64(f.Flags))
		records.varint(int64(f.Pos) - pos)
		pos = int64(f.Pos)
		records.uint(int(f.Shape))
		records.uint(len(body.b) - start)
	}
	secs[secFuncs], secs[secBodies] = slices.Concat(groups.b, sigs.b, records.b), body.b
	return nil
}

// A funcTable reads the section of functions.
type funcTable struct {
	im                    *Image
	n                     int // functions, without the base's
	groups, sigs, records []byte
}

// A record is what the table says of a function.
type record struct {
	name     []byte
	flags    ir.FuncFlags
	pos      int32
	shape    int32
	from, to int // the body in its section
}

// open finds the parts of the section.
func (t *funcTable) open(im *Image) error {
	t.im, t.n = im, max(0, im.counts.funcs-im.base.funcs)
	b := im.sections[secFuncs]
	groups := (t.n + groupSize - 1) / groupSize * groupRow
	if len(b) < groups+4*t.n {
		return formatError("functions: truncated")
	}
	t.groups, t.sigs, t.records = b[:groups], b[groups:groups+4*t.n], b[groups+4*t.n:]
	return nil
}

// group returns a cursor at the record of the first function of the group that has function i, and
// the end values of the record before it.
func (t *funcTable) group(i int) (cursor, record) {
	le, g := binary.LittleEndian, t.groups[i/groupSize*groupRow:]
	c := cursor{b: t.records}
	r := record{pos: int32(le.Uint32(g[4:])), to: int(le.Uint32(g[8:]))}
	if c.off = int(le.Uint32(g)); c.off > len(c.b) || r.pos < 0 || r.to > t.im.sizes[secBodies] {
		c.fail("a group is not where the table says")
	}
	return c, r
}

// next reads the record after r.
func (t *funcTable) next(c *cursor, r *record) {
	r.name = c.bytes()
	r.flags = ir.FuncFlags(c.int32())
	r.pos = c.delta(r.pos)
	r.shape = c.int32()
	r.from = r.to
	if size := c.uvarint(); size > uint64(t.im.sizes[secBodies]-r.from) {
		c.fail("a body ends behind the section")
	} else {
		r.to += int(size)
	}
}

// record returns that of function i, counted without the base's. The table is in order.
func (t *funcTable) record(i int) (r record) {
	c, r := t.group(i)
	for range i%groupSize + 1 {
		t.next(&c, &r)
	}
	return r
}

// sig returns the number of the signature of function i, and how it may be called by value.
func (t *funcTable) sig(i int) (number uint32, called ir.ByValue) {
	w := binary.LittleEndian.Uint32(t.sigs[4*i:])
	return w & (1<<calledShift - 1), ir.ByValue(w >> calledShift)
}

// check reads all records, and makes sure that each is found where it is.
func (t *funcTable) check() error {
	c, r := cursor{b: t.records}, record{}
	for i := range t.n {
		if i%groupSize == 0 {
			at, before := t.group(i)
			if at.err != nil || at.off != c.off || before.pos != r.pos || before.to != r.to {
				c.fail("a group is not where the table says")
			}
		}
		t.next(&c, &r)
		switch sig, called := t.sig(i); {
		case c.err != nil:
			return c.end("functions")
		case int64(sig) >= int64(len(t.im.sigs)):
			c.fail("reference out of range")
		case called != ir.CalledAs(r.flags):
			c.fail("a signature does not fit the flags")
		case int(r.pos) >= max(1, t.im.counts.pos) || int(r.shape) > t.im.counts.shapes:
			c.fail("position or shape out of range")
		case r.flags&^ir.AllFlags != 0:
			c.fail("unknown flags %#x", uint32(r.flags))
		}
	}
	if c.err == nil && r.to != t.im.sizes[secBodies] {
		c.fail("%d bytes behind the bodies", t.im.sizes[secBodies]-r.to)
	}
	return c.end("functions")
}

// fill makes f function i of a module, counted without the base's.
func (t *funcTable) fill(f *ir.Func, m *ir.Module, i int) *ir.Func {
	r := t.record(i)
	sig, _ := t.sig(i)
	f.Name, f.Index, f.Module, f.Flags = string(r.name), int32(t.im.base.funcs+i), m, r.flags
	f.Sig, f.SigIndex, f.Pos, f.Shape = t.im.sigs[sig], int32(sig)+1, ir.Pos(r.pos), r.shape
	return f
}

// readFuncs gives the module its functions. From a trusted image they are made on demand.
func (bs *Bodies) readFuncs(m *ir.Module) error {
	t := &bs.funcs
	if err := t.open(bs.im); err != nil {
		return err
	}
	first := 0
	if m.Base == nil {
		first = 1 // the module has a function 0, which is not written
	}
	if bs.im.trusted {
		m.SetLateFuncs(first+t.n, func(i int) *ir.Func { return t.fill(&ir.Func{}, m, i-first) },
			func(i int) (*ir.Sig, int32, ir.ByValue) {
				sig, called := t.sig(i - first)
				return &t.im.sigs[sig], int32(sig) + 1, called
			})
		return nil
	}
	if err := t.check(); err != nil {
		return err
	}
	list, funcs := make([]*ir.Func, first+t.n), make([]ir.Func, t.n)
	for i := range funcs {
		list[first+i] = t.fill(&funcs[i], m, i)
	}
	m.SetFuncs(list)
	return nil
}
