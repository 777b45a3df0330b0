package pprof

import (
	"io"
	"runtime"
)

// Profiles that are written with debug 0 have the format of the pprof tool: a message of protocol buffers, of which
// proto/profile.proto in github.com/google/pprof says what is in it. They are not compressed, which the tool takes as well.

// A message is an encoded one.
type message []byte

func (m *message) varint(n uint64) {
	for ; n >= 0x80; n >>= 7 {
		*m = append(*m, byte(n)|0x80)
	}
	*m = append(*m, byte(n))
}

// number adds a field that is a number.
func (m *message) number(field int, n uint64) {
	m.varint(uint64(field) << 3)
	m.varint(n)
}

// bytes adds a field that is a text or a message.
func (m *message) bytes(field int, data string) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(data)))
	*m = append(*m, data...)
}

// A numbering gives things numbers from 1 on, in the order in which they come.
type numbering[T comparable] struct {
	known map[T]uint64
	list  []T
}

func (n *numbering[T]) of(x T) uint64 {
	id, ok := n.known[x]
	if !ok {
		if n.known == nil {
			n.known = map[T]uint64{}
		}
		n.list = append(n.list, x)
		id = uint64(len(n.list))
		n.known[x] = id
	}
	return id
}

// A function of a profile.
type function struct{ name, file string }

// A location is a line of one.
type location struct {
	pc   uintptr
	of   uint64
	line int
}

// A valueType says what a number of a sample is.
type valueType struct{ name, unit string }

// valueTypes returns what the samples of a profile have numbers of.
func valueTypes(profile string) []valueType {
	switch profile {
	case "heap", "allocs":
		return []valueType{{"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}}
	case "block", "mutex":
		return []valueType{{"contentions", "count"}, {"delay", "nanoseconds"}}
	}
	return []valueType{{profile, "count"}}
}

// writeProto writes the stacks of a profile. Those with more than one number a sample are empty.
func writeProto(w io.Writer, profile string, stacks []stackCount) error {
	var texts numbering[string]
	var functions numbering[function]
	var locations numbering[location]
	var out message
	valueMessage := func(t valueType) string {
		var m message
		m.number(1, texts.of(t.name))
		m.number(2, texts.of(t.unit))
		return string(m)
	}
	types := valueTypes(profile)
	for _, t := range types {
		out.bytes(1, valueMessage(t))
	}
	for _, s := range stacks {
		var ids, values, sample message
		list := runtime.CallersFrames(s.stack)
		for more := len(s.stack) > 0; more; {
			var f runtime.Frame
			f, more = list.Next()
			ids.varint(locations.of(location{f.PC, functions.of(function{f.Function, f.File}), f.Line}))
		}
		values.varint(uint64(s.n))
		sample.bytes(1, string(ids))
		sample.bytes(2, string(values))
		out.bytes(2, string(sample))
	}
	for i, l := range locations.list {
		var line, m message
		line.number(1, l.of)
		line.number(2, uint64(l.line))
		m.number(1, uint64(i+1))
		m.number(3, uint64(l.pc))
		m.bytes(4, string(line))
		out.bytes(4, string(m))
	}
	for i, f := range functions.list {
		var m message
		m.number(1, uint64(i+1))
		m.number(2, texts.of(f.name))
		m.number(3, texts.of(f.name))
		m.number(4, texts.of(f.file))
		out.bytes(5, string(m))
	}
	period := valueMessage(types[len(types)-1])
	out.bytes(6, "") // text 0
	for _, s := range texts.list {
		out.bytes(6, s)
	}
	out.bytes(11, period)
	out.number(12, 1)
	_, err := w.Write(out)
	return err
}
