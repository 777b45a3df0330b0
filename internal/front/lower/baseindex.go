package lower

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/decode"
)

// Encode returns the index in a form that depends on its contents alone.
func (x *BaseIndex) Encode() []byte {
	var b []byte
	number := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	for _, n := range []uint64{x.Layout.Low, x.Layout.High, uint64(x.Layout.Globals), uint64(x.ZeroAddr),
		uint64(x.StaticBytes), uint64(x.ZeroSize)} {
		number(n)
	}
	for _, t := range []decode.Table{x.Layout.Types, x.Globals, x.Funcs, x.Shapes} {
		b = t.Append(b)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.Layout.Links)))
	for _, n := range x.Layout.Links {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// DecodeIndex reads the result of Encode.
func DecodeIndex(b []byte) (x BaseIndex, err error) {
	d := decode.Reader{B: b}
	x.Layout.Low, x.Layout.High, x.Layout.Globals = d.U64(), d.U64(), int64(d.U64())
	x.ZeroAddr, x.StaticBytes, x.ZeroSize = uint32(d.U64()), uint32(d.U64()), int64(d.U64())
	x.Layout.Types, x.Globals, x.Funcs, x.Shapes = d.Table(), d.Table(), d.Table(), d.Table()
	x.Layout.Links = make([]uint32, d.Count(4))
	for i := range x.Layout.Links {
		x.Layout.Links[i] = d.U32()
	}
	if !d.End() {
		return BaseIndex{}, errors.New("damaged index of a base")
	}
	return x, nil
}
