package profile

import (
	"compress/gzip"
	"encoding/binary"
	"io"
)

// A profile in the format of pprof, which proto/profile.proto of github.com/google/pprof describes.
// That repository has a package that writes it, too. At the start of every command of gyr, that
// package would initialise a table of regular expressions for older formats, which takes a quarter
// of a millisecond and 150 KB. The tests use it to read the output of this file.

// A pprofile is a profile of one mapping, the guest.
type pprofile struct {
	types      []valueType
	period     valueType
	every      int64
	byDefault  string // the default type of sample
	time, took int64  // nanoseconds

	samples   []*sampleRow
	locations []*location
	functions []*function
}

type valueType struct{ name, unit string }

// A sampleRow has values for a stack, innermost location first.
type sampleRow struct {
	stack  []*location
	values []int64
	share  string // a label
}

// A location is a place with its lines, the innermost inlined function first.
type location struct {
	id    uint64 // from 1 on
	lines []line
}

type line struct {
	of   *function
	line int64
}

type function struct {
	id         uint64 // from 1 on
	name, file string
	line       int64 // of its declaration
}

// mappingID is the number of the only mapping.
const mappingID = 1

// write writes the profile, compressed.
func (p *pprofile) write(w io.Writer) error {
	m := message{texts: map[string]uint64{"": 0}, table: []string{""}}
	for _, t := range p.types {
		m.sub(1, func() { m.valueType(t) })
	}
	for _, s := range p.samples {
		m.sub(2, func() {
			m.sub(1, func() {
				for _, l := range s.stack {
					m.b = binary.AppendUvarint(m.b, l.id)
				}
			})
			m.sub(2, func() {
				for _, v := range s.values {
					m.b = binary.AppendUvarint(m.b, uint64(v))
				}
			})
			if s.share != "" {
				m.sub(3, func() { m.text(1, "share"); m.text(2, s.share) })
			}
		})
	}
	m.sub(3, func() {
		m.number(1, mappingID)
		m.text(5, "guest")
		for has := range 4 { // functions, names of files, numbers of lines, inlined functions
			m.number(7+has, 1)
		}
	})
	for _, l := range p.locations {
		m.sub(4, func() {
			m.number(1, l.id)
			m.number(2, mappingID)
			for _, x := range l.lines {
				m.sub(4, func() { m.number(1, x.of.id); m.number(2, uint64(x.line)) })
			}
		})
	}
	for _, f := range p.functions {
		m.sub(5, func() {
			m.number(1, f.id)
			m.text(2, f.name)
			m.text(3, f.name)
			m.text(4, f.file)
			m.number(5, uint64(f.line))
		})
	}
	m.number(9, uint64(p.time))
	m.number(10, uint64(p.took))
	m.sub(11, func() { m.valueType(p.period) })
	m.number(12, uint64(p.every))
	m.text(14, p.byDefault)
	for _, s := range m.table { // last: all texts are known
		m.bytes(6, []byte(s))
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(m.b); err != nil {
		return err
	}
	return z.Close()
}

// A message is a protocol buffer that is being written. Its texts are in a table.
type message struct {
	b     []byte
	texts map[string]uint64
	table []string
}

// Kinds of fields.
const (
	asVarint = 0
	asBytes  = 2
)

// number writes a field that is a number, unless it is 0.
func (m *message) number(field int, n uint64) {
	if n != 0 {
		m.b = binary.AppendUvarint(m.b, uint64(field<<3|asVarint))
		m.b = binary.AppendUvarint(m.b, n)
	}
}

// text writes a field that is the index of a text.
func (m *message) text(field int, s string) {
	n, ok := m.texts[s]
	if !ok {
		n = uint64(len(m.table))
		m.texts[s] = n
		m.table = append(m.table, s)
	}
	m.number(field, n)
}

func (m *message) bytes(field int, data []byte) {
	m.b = binary.AppendUvarint(m.b, uint64(field<<3|asBytes))
	m.b = binary.AppendUvarint(m.b, uint64(len(data)))
	m.b = append(m.b, data...)
}

// sub writes a field with the output of write.
func (m *message) sub(field int, write func()) {
	outer := m.b
	m.b = nil
	write()
	inner := m.b
	m.b = outer
	m.bytes(field, inner)
}

func (m *message) valueType(t valueType) { m.text(1, t.name); m.text(2, t.unit) }
