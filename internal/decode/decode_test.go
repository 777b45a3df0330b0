package decode

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// A reader reports that the data is too short, and then returns only zeros.
func TestReader(t *testing.T) {
	b := []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7, 8}
	r := Reader{B: b}
	if x, y, n := r.U32(), r.U64(), r.Count(1); x != 1 || y != 2 || n != 2 || r.End() {
		t.Fatalf("%d %d %d", x, y, n)
	}
	if got := r.Bytes(2); string(got) != "\x07\x08" || cap(got) != 2 || !r.End() {
		t.Fatalf("%v", got)
	}
	for n := range b {
		r := Reader{B: b[:n]}
		r.U32()
		r.U64()
		r.Bytes(uint64(r.Count(1)))
		if !r.Short || r.End() {
			t.Errorf("%d bytes are enough", n)
		}
	}
	r = Reader{B: []byte{255, 255, 255, 255}}
	if r.Count(1<<20) != 0 || !r.Short || r.Bytes(1<<63) != nil || r.U64() != 0 {
		t.Error("a count of what is not there")
	}
}

func TestVariableLength(t *testing.T) {
	b := binary.AppendUvarint(nil, 300)
	b = binary.AppendVarint(b, -5)
	b = append(binary.AppendUvarint(b, 3), "abc"...)
	r := Reader{B: b}
	if v, n, s := r.Uvarint(300), r.Varint(), r.Text(); v != 300 || n != -5 || s != "abc" || !r.End() {
		t.Errorf("%d, %d, %q, %+v", v, n, s, r)
	}
	for cut := range b {
		r := Reader{B: b[:cut]}
		if r.Uvarint(300); r.Varint() != 0 && cut < 3 || r.Text() != "" || !r.Short {
			t.Errorf("cut at %d: %+v", cut, r)
		}
	}
	for what, r := range map[string]Reader{"larger than most": {B: b}, "more than 64 bits": {B: bytes.Repeat([]byte{0xff}, 11)}} {
		if r.Uvarint(299) != 0 || !r.Short {
			t.Errorf("%s: %+v", what, r)
		}
	}
}
