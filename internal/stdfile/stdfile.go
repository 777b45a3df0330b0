// Package stdfile is the container in which a precompiled standard library travels (docs/decisions,
// "std travels"): a header that describes the content, a table of parts with a hash each, and the
// parts.
//
//	magic and version of the format   8 bytes
//	length of the head                4 bytes, lowest first
//	head                              header and table
//	SHA-256 of all before             32 bytes: the name of the file (File.Sum)
//	parts                             in the order of the table, without gaps
//
// The name covers the table, and the table the parts, so a reader that knows the name can trust one
// part without reading the others. Equal headers and parts give equal bytes.
//
// Reading never panics, whatever the bytes are, and allocates nothing for bytes that do not exist.
// It does not check the meaning of the parts: a std file is a trusted artefact.
package stdfile

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/decode"
)

// magic begins each file; the last byte is the version of the format.
const (
	magic   = "gyr std"
	version = 1
)

// maxHead bounds the head, maxPart the unpacked size of a part. Both are far above real sizes.
const (
	maxHead = 1 << 20
	maxPart = 1 << 30
)

// A Header says what a standard library was compiled from and for.
type Header struct {
	Determinism int      // determinism version of gyr
	Release     string   // release of Go: "go1.26.8"
	FrontEnd    string   // the versions that had a part in lowering
	Tags        []string // additional build tags, sorted
}

// A Part is a named piece of a file.
type Part struct {
	Name string
	Data []byte
	Pack bool // store it compressed
}

// A File is an opened file. It refers to the bytes that it was opened from, and is safe for
// concurrent use.
type File struct {
	Header
	Sum   [sha256.Size]byte // the name of the file: a hash of its content
	parts []entry
}

// An entry is a line of the table.
type entry struct {
	name   string
	packed bool
	size   uint64 // unpacked
	sum    [sha256.Size]byte
	data   []byte // as stored
}

// ErrDamaged is the error of everything that cannot come from Write.
var ErrDamaged = errors.New("the file is damaged")

// ErrNotStd is the error of data that begins like no std file.
var ErrNotStd = errors.New("the file is no precompiled standard library")

// A VersionError says that a file has another format.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the file has version %d of the format, this gyr reads %d", e.Version, version)
}

// Write returns a file.
func Write(h Header, parts []Part) ([]byte, error) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(h.Determinism))
	text := func(s string) {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(s)))
		head = append(head, s...)
	}
	text(h.Release)
	text(h.FrontEnd)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(h.Tags)))
	for _, t := range h.Tags {
		text(t)
	}
	head = binary.LittleEndian.AppendUint32(head, uint32(len(parts)))
	var body []byte
	for _, p := range parts {
		data, packed := p.Data, byte(0)
		if p.Pack {
			data, packed = pack(data), 1
		}
		text(p.Name)
		head = append(head, packed)
		head = binary.LittleEndian.AppendUint64(head, uint64(len(data)))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(p.Data)))
		sum := sha256.Sum256(data)
		head = append(head, sum[:]...)
		body = append(body, data...)
	}
	if len(head) > maxHead || slices.ContainsFunc(parts, func(p Part) bool { return len(p.Data) > maxPart }) {
		return nil, errors.New("a standard library too large for a file")
	}
	out := append([]byte(magic), version)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = append(out, head...)
	sum := sha256.Sum256(out)
	return append(append(out, sum[:]...), body...), nil
}

// Is reports whether data begins like a std file, of any version.
func Is(data []byte) bool { return len(data) > len(magic) && string(data[:len(magic)]) == magic }

// Open reads the header and the table of a file, and checks their hash. The data must not change
// while the file is in use.
func Open(data []byte) (*File, error) {
	if !Is(data) {
		return nil, ErrNotStd
	}
	if v := data[len(magic)]; v != version {
		return nil, &VersionError{int(v)}
	}
	r := decode.Reader{B: data[len(magic)+1:]}
	n := r.U32()
	if n > maxHead {
		return nil, ErrDamaged
	}
	head := r.Bytes(uint64(n))
	sum := r.Bytes(sha256.Size)
	if r.Short {
		return nil, ErrDamaged
	}
	f := &File{Sum: sha256.Sum256(data[:len(magic)+1+4+len(head)])}
	if !bytes.Equal(f.Sum[:], sum) || !f.read(decode.Reader{B: head}, r.B) {
		return nil, ErrDamaged
	}
	return f, nil
}

// read decodes a head. It returns false if the parts are not exactly those of the table.
func (f *File) read(r decode.Reader, body []byte) bool {
	text := func() string { return string(r.Bytes(uint64(r.U32()))) }
	determinism := r.U32()
	f.Determinism, f.Release, f.FrontEnd = int(determinism), text(), text()
	f.Tags = make([]string, r.Count(4))
	for i := range f.Tags {
		f.Tags[i] = text()
	}
	f.parts = make([]entry, r.Count(4+1+8+8+sha256.Size))
	rest := decode.Reader{B: body}
	for i := range f.parts {
		e := &f.parts[i]
		e.name = text()
		packed := r.Bytes(1)
		stored := r.U64()
		e.size = r.U64()
		sum := r.Bytes(sha256.Size)
		if r.Short || packed[0] > 1 || packed[0] == 0 && e.size != stored || e.size > maxPart || f.has(e.name, i) {
			return false
		}
		e.packed, e.sum, e.data = packed[0] == 1, [sha256.Size]byte(sum), rest.Bytes(stored)
	}
	return determinism <= math.MaxInt32 && r.End() && rest.End()
}

// has reports whether one of the first n parts has a name.
func (f *File) has(name string, n int) bool {
	return slices.ContainsFunc(f.parts[:n], func(e entry) bool { return e.name == name })
}

// Part returns a part after checking its hash. The result must not be changed.
func (f *File) Part(name string) ([]byte, error) {
	i := slices.IndexFunc(f.parts, func(e entry) bool { return e.name == name })
	if i < 0 {
		return nil, fmt.Errorf("the file has no part %q", name)
	}
	e := &f.parts[i]
	if sha256.Sum256(e.data) != e.sum {
		return nil, ErrDamaged
	}
	if !e.packed {
		return e.data, nil
	}
	return unpack(e.data, e.size)
}

// ID returns the name of the file as text.
func (f *File) ID() string { return hex.EncodeToString(f.Sum[:]) }

// pack compresses a part.
func pack(b []byte) []byte {
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything, and the level is valid
	}
	return buf.Bytes()
}

// unpack returns the size bytes that were compressed.
func unpack(b []byte, size uint64) ([]byte, error) {
	if size/1100 > uint64(len(b)) { // DEFLATE makes at most 1032 bytes of one
		return nil, ErrDamaged
	}
	out := make([]byte, size)
	r := flate.NewReader(bytes.NewReader(b))
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, ErrDamaged
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, ErrDamaged
	}
	return out, nil
}
