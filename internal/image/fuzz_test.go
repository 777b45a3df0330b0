package image

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// small is a module with everything that a section can hold.
const small = `file 0 "main.go"
site 1 func 1 file 0 line 3
site 2 func 2 file 0 line 7
pos 1 site 1 parent 0
pos 2 site 2 parent 1
layout 1 size 16 ptrs 0x1
root 0x10000 layout 1 count 2
typelayout 0x10010 1
host 0 "nanotime" () -> (i64)
shape 0 (i64) -> (i64) offsets 0,8 byref 0,0 sizes 8,8 ret 8 size 16 unpack @unpack
shape 1 nil
entry @main.main
runtime "preempt" @main.main
data 42
  0x10020 00000000000000000102
bss 64

func @main.f #1 (i64) -> (i64) flags hasdefer shape 0 !1 {
  local 0 "x" size 16 align 8 ptrs 0x1
  recover b3
b0:
  v1 = arg i64 [0] !1
  v2 = localaddr ptr [0] !2
  store v2 v1 [8]
  v3 = const i64 7
  v4 = eq i8 v1 v3
  if v4 b1 b2 likely
b1: <- b0 b1 b1
  v5 = phi i64 v1 v5 v5
  switch v5 1: b1 2: b1 -5: b2 default b2
b2: <- b0 b1 b1
  v6 = phi i64 v3 v5 v5
  v7 = host i64 [0] : () -> (i64)
  bounds v6 v7 [index]
  v8 = const ptr 0x10000
  v9 = callclosure i64 v8 v6 : (i64) -> (i64) shape 0
  ret v9
b3:
  v10 = const i64 0
  ret v10
}

func @main.main #2 () -> () {
b0:
  v1 = const f64 1.5
  v2 = const i64 3
  v3 = call i64 @main.f v2 : (i64) -> (i64)
  v4 = new ptr [1, 16]
  v5 = ptridx ptr v4 v3 [8, -4]
  v6 = const i8 1
  check v6 v3 v3 [index]
  ret
}

func @unpack #3 (ptr, ptr) -> () {
b0:
  unreachable
}
`

// smallImages are images of small, in both forms.
func smallImages(t testing.TB) (images [][]byte) {
	m, err := ir.ParseModule(small)
	if err != nil {
		t.Fatal(err)
	}
	m.Vars = map[string]uint32{"a": 0x10000, "b": 0x10008}
	m.Inits = []ir.Init{{Path: "x", Func: m.Func(2), Closure: 0x10000, Std: true}, {Path: "main", Func: m.Func(2), Deps: []int32{0}}}
	m.Exports = []ir.Export{{Name: "F", Params: []string{"a", "b"}, Fails: true, Signature: "(a, b int) error", ParamTypes: []string{"int", "int"}},
		{Name: "G", Signature: "() chan int", ResultTypes: []string{"chan int"}, Refusal: "result 0: chan int does not cross"}}
	for _, f := range m.Funcs()[1:] {
		f.Renumber()
	}
	for _, form := range []Form{Lowered, Optimised} {
		data, err := Encode(m, header(form))
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, data)
		m.Func(1).FixRoots()
		m.Func(1).Renumber()
	}
	return images
}

// repair makes the checksums right, as far as there are any.
func repair(data []byte) {
	if len(data) < headerSize {
		return
	}
	le := binary.LittleEndian
	rest := data[headerSize:]
	for i := range int(numSections) {
		e := data[offSections+i*sectionEntry:]
		n := min(le.Uint64(e), uint64(len(rest)))
		le.PutUint32(e[8:], crc32.Checksum(rest[:n], castagnoli()))
		rest = rest[n:]
	}
	le.PutUint32(data[offCRC:], headerCRC(data[:headerSize]))
}

// read reads data as far as possible. A module that can be read can be written again and is then
// the same.
func read(t testing.TB, data []byte) {
	im, err := Open(data)
	if err != nil {
		return
	}
	m, err := im.Decode(nil)
	if err != nil {
		return
	}
	if ir.VerifyModule(m) != nil {
		return
	}
	again, err := Encode(m, im.Header())
	if err != nil {
		t.Fatalf("it can be read and not written: %v", err)
	}
	var a, b bytes.Buffer
	ir.Print(&a, m)
	ir.Print(&b, decode(t, again))
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("written and read again it is another\n%s\nbefore\n%s", &b, &a)
	}
	for _, f := range m.Funcs()[1:] {
		if m.Layouts != nil && len(f.Blocks) > 0 {
			FingerprintOf(f)
		}
	}
}

// FuzzRead: no bytes make the reader or the verifier panic, or take memory beyond
// a multiple of the input.
//
//fuzz:runs 20000
func FuzzRead(f *testing.F) {
	for _, data := range smallImages(f) {
		f.Add(data)
		f.Add(data[:len(data)*2/3])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data)
		repair(data)
		read(t, data)
	})
}

// TestMutations: the same with every byte changed in turn, every length, and parts
// of one image in the other.
func TestMutations(t *testing.T) {
	images := smallImages(t)
	for _, base := range images {
		roundTripped := decode(t, base)
		if err := ir.VerifyModule(roundTripped); err != nil {
			t.Fatal(err)
		}
		for i := range base {
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, base[i] ^ 1, base[i] + 1} {
				data := bytes.Clone(base)
				data[i] = b
				if i >= headerSize || i < offSections {
					if b != base[i] {
						if _, err := Open(data); err == nil {
							t.Errorf("byte %d changed from %#x to %#x: no error", i, base[i], b)
						}
					}
				}
				repair(data)
				read(t, data)
			}
		}
		for n := range base {
			if _, err := Open(base[:n]); err == nil {
				t.Errorf("%d of %d bytes: no error", n, len(base))
			}
			short := bytes.Clone(base[:n])
			repair(short)
			read(t, short)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := bytes.Clone(images[r.IntN(2)]), images[r.IntN(2)]
		at, from := headerSize+r.IntN(len(a)-headerSize), headerSize+r.IntN(len(b)-headerSize)
		copy(a[at:], b[from:min(len(b), from+1+r.IntN(40))])
		repair(a)
		read(t, a)
	}
}
