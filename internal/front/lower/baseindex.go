package lower

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/gyrvm/gyr/internal/decode"
)

// Encode returns the index in a form that follows from its contents alone: maps are written in the order of their keys.
func (x *BaseIndex) Encode() []byte {
	var b []byte
	number := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	text := func(s string) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	for _, n := range []uint64{x.Layout.Low, x.Layout.High, uint64(x.Layout.Globals), uint64(x.ZeroAddr),
		uint64(x.StaticBytes), uint64(x.ZeroSize)} {
		number(n)
	}
	b = appendMap(b, x.Layout.Types)
	b = appendMap(b, x.Globals)
	b = appendMap(b, x.Funcs)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.Layout.Links)))
	for _, n := range x.Layout.Links {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.Shapes)))
	for _, s := range x.Shapes {
		text(s)
	}
	return b
}

// appendMap writes the numbers of a map in the order of their keys.
func appendMap[T int32 | uint32](b []byte, m map[string]T) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(k)))
		b = append(b, k...)
		b = binary.LittleEndian.AppendUint32(b, uint32(m[k]))
	}
	return b
}

// DecodeIndex reads what Encode wrote.
func DecodeIndex(b []byte) (x BaseIndex, err error) {
	d := decode.Reader{B: b}
	x.Layout.Low, x.Layout.High, x.Layout.Globals = d.U64(), d.U64(), int64(d.U64())
	x.ZeroAddr, x.StaticBytes, x.ZeroSize = uint32(d.U64()), uint32(d.U64()), int64(d.U64())
	x.Layout.Types, x.Globals, x.Funcs = readMap[uint32](&d), readMap[uint32](&d), readMap[int32](&d)
	x.Layout.Links = make([]uint32, d.Count(4))
	for i := range x.Layout.Links {
		x.Layout.Links[i] = d.U32()
	}
	x.Shapes = make([]string, d.Count(4))
	for i := range x.Shapes {
		x.Shapes[i] = string(d.Bytes(uint64(d.U32())))
	}
	if !d.End() {
		return BaseIndex{}, errors.New("damaged index of a base")
	}
	return x, nil
}

// readMap reads what appendMap wrote.
func readMap[T int32 | uint32](d *decode.Reader) map[string]T {
	n := d.Count(8)
	m := make(map[string]T, n)
	for range n {
		k := string(d.Bytes(uint64(d.U32())))
		m[k] = T(d.U32())
	}
	return m
}
