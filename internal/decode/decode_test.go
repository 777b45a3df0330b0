package decode

import "testing"

// A reader says when there is too little, and then has nothing more.
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
