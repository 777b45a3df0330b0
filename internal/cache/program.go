package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A ProgramEntry is the contents of a program's entry.
type ProgramEntry struct {
	Inputs    []filetree.Input // what was read
	Packages  int              // figures of the compilation
	Functions int
	Unsafe    string    // a package outside the standard library that imports unsafe: load.Packages.Unsafe
	Base      []byte    // Base.Sum of the base that the program continues; empty: none
	Image     []byte    // the module after phase A: package image
	Identity  []byte    // the program's identity in states; empty: it has none
	Plan      []byte    // for later versions of the program: lower.Plan; empty: none
	Snapshot  []byte    // the memory that instances start from: rt.Snapshot
	Code      []byte    // register code of functions that have been called: bytecode.Module.Save
	Native    [2][]byte // machine code of functions that have been called: native.Module.Save
}

// NameOf returns the name of the entry for a request: a hash of strings that contain everything
// known before anything is read. Different lists have different names.
func NameOf(parts []string) Name {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return Name(h.Sum(nil))
}

// Encode returns the contents of the entry.
func (p *ProgramEntry) Encode() []byte {
	b := make([]byte, 0, len(p.Image)+len(p.Plan)+len(p.Snapshot)+len(p.Code)+128*len(p.Inputs)+1024)
	b = binary.AppendUvarint(b, uint64(p.Packages))
	b = binary.AppendUvarint(b, uint64(p.Functions))
	b = appendBytes(b, []byte(p.Unsafe))
	b = appendInputs(b, p.Inputs)
	for _, s := range [][]byte{p.Base, p.Image, p.Identity, p.Plan, p.Snapshot, p.Code, p.Native[0], p.Native[1]} {
		b = appendBytes(b, s)
	}
	return b
}

func appendInputs(b []byte, inputs []filetree.Input) []byte {
	b = binary.AppendUvarint(b, uint64(len(inputs)))
	last := ""
	for i := range inputs {
		in := &inputs[i]
		// Names are sorted, so most share a prefix with the one before.
		same := 0
		for same < len(last) && same < len(in.Name) && last[same] == in.Name[same] {
			same++
		}
		last = in.Name
		b = binary.AppendUvarint(b, uint64(same))
		b = appendBytes(b, []byte(in.Name[same:]))
		kind := byte(in.Kind) << 1
		if in.FS {
			kind |= 1
		}
		b = append(b, kind)
		b = append(b, in.Sum[:]...)
		s := &in.Stamp
		b = binary.AppendVarint(b, s.Size)
		b = binary.AppendVarint(b, s.MTime)
		b = binary.AppendVarint(b, s.CTime)
		b = binary.AppendUvarint(b, s.Inode)
	}
	return b
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errContents = errors.New("cache: an entry that cannot be read")

// Decode reads the contents of an entry. The program's parts refer to b.
func Decode(b []byte) (*ProgramEntry, error) {
	d := decoder{decode.Reader{B: b}}
	p := &ProgramEntry{Packages: int(d.uvarint()), Functions: int(d.uvarint())}
	p.Unsafe = string(d.bytes())
	p.Inputs = d.inputs()
	p.Base, p.Image, p.Identity, p.Plan = d.bytes(), d.bytes(), d.bytes(), d.bytes()
	p.Snapshot, p.Code = d.bytes(), d.bytes()
	p.Native = [2][]byte{d.bytes(), d.bytes()}
	if !d.End() {
		return nil, errContents
	}
	return p, nil
}

// Current reports whether all inputs are unchanged. fsys is the present value of load.Options.FS.
// Current renews stamps where necessary; renewed reports whether it did.
func (p *ProgramEntry) Current(fsys fs.FS) (current, renewed bool) {
	return filetree.Check(p.Inputs, fsys)
}

// A decoder is a decode.Reader that also reads numbers of variable length.
type decoder struct{ decode.Reader }

func (d *decoder) inputs() []filetree.Input {
	n := d.uvarint()
	if n > uint64(len(d.B))/38 {
		d.Fail()
		return nil
	}
	inputs := make([]filetree.Input, n)
	last := ""
	for i := range inputs {
		in := &inputs[i]
		same := d.uvarint()
		if same > uint64(len(last)) {
			d.Fail()
			return nil
		}
		in.Name = last[:same] + string(d.bytes())
		last = in.Name
		head := d.Bytes(1 + sha256.Size)
		if d.Short {
			return nil
		}
		in.Kind, in.FS, in.Sum = filetree.InputKind(head[0]>>1), head[0]&1 != 0, [sha256.Size]byte(head[1:])
		in.Stamp = filetree.Stamp{Size: d.varint(), MTime: d.varint(), CTime: d.varint(), Inode: d.uvarint()}
	}
	return inputs
}

func (d *decoder) bytes() []byte { return d.Bytes(d.uvarint()) }

func (d *decoder) uvarint() uint64 { return varint(d, binary.Uvarint) }

func (d *decoder) varint() int64 { return varint(d, binary.Varint) }

func varint[T int64 | uint64](d *decoder, read func([]byte) (T, int)) T {
	x, n := read(d.B)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[n:]
	return x
}
