package stdfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var testParts = []Part{
	{Name: "one", Data: []byte("the first part")},
	{Name: "two", Data: bytes.Repeat([]byte("packed "), 1000), Pack: true},
	{Name: "none", Data: []byte{}},
	{Name: "none packed", Data: []byte{}, Pack: true},
}

var testHeader = Header{Determinism: 7, Release: "go1.26.8", FrontEnd: "go1.26.8 tools v0.1", Tags: []string{"a", "b"}}

func written(t testing.TB) []byte {
	t.Helper()
	data, err := Write(testHeader, testParts)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A written file can be read, and two files of the same content are equal.
func TestRoundTrip(t *testing.T) {
	data := written(t)
	if !bytes.Equal(data, written(t)) {
		t.Error("two files of the same parts differ")
	}
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	h := f.Header
	if h.Determinism != 7 || h.Release != testHeader.Release || h.FrontEnd != testHeader.FrontEnd || !slices.Equal(h.Tags, testHeader.Tags) {
		t.Errorf("header %+v", h)
	}
	for _, p := range testParts {
		got, err := f.Part(p.Name)
		if err != nil || !bytes.Equal(got, p.Data) {
			t.Errorf("part %s: %v, %d bytes of %d", p.Name, err, len(got), len(p.Data))
		}
	}
	if _, err := f.Part("three"); err == nil || !strings.Contains(err.Error(), `"three"`) {
		t.Errorf("a part that is not there: %v", err)
	}
}

// An intact part can be read although others are damaged, and a damaged one never: the table has a
// hash of each.
func TestDamagedPart(t *testing.T) {
	data := written(t)
	at := bytes.Index(data, []byte("the first part"))
	data[at] ^= 1
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Part("one"); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged part: %v", err)
	}
	if got, err := f.Part("two"); err != nil || !bytes.Equal(got, testParts[1].Data) {
		t.Errorf("the part behind a damaged one: %v", err)
	}
}

// Every cut and every changed byte is noticed: in the head when the file is opened, elsewhere when
// the part is read.
func TestDamage(t *testing.T) {
	data := written(t)
	for n := range data {
		if _, err := Open(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are a file", n, len(data))
		}
	}
	if _, err := Open(append(slices.Clone(data), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte behind the file: %v", err)
	}
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 0x41
		if wholly(bad) == nil {
			t.Errorf("byte %d of %d may be anything", i, len(data))
		}
	}
	if v := (*VersionError)(nil); !errors.As(wholly(append([]byte(magic), version+1)), &v) || v.Version != version+1 {
		t.Error("another version of the format is not named")
	}
	if err := wholly([]byte("GYR image")); !errors.Is(err, ErrNotStd) {
		t.Errorf("something else: %v", err)
	}
}

// wholly opens a file and reads all parts.
func wholly(data []byte) error {
	f, err := Open(data)
	if err != nil {
		return err
	}
	for i := range f.parts {
		if _, err := f.Part(f.parts[i].name); err != nil {
			return err
		}
	}
	return nil
}

// repaired returns a file with a changed head, and a valid hash of this head.
func repaired(head []byte, body []byte) []byte {
	out := append([]byte(magic), version)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	out = append(out, head...)
	sum := sha256.Sum256(out)
	return append(append(out, sum[:]...), body...)
}

// No head makes reading panic, or allocate for missing bytes, even if the head's hash is valid.
func TestRepairedHeads(t *testing.T) {
	data := written(t)
	r := rand.New(rand.NewPCG(1, 2))
	start := len(magic) + 1 + 4
	size := int(binary.LittleEndian.Uint32(data[start-4:]))
	head, body := data[start:start+size], data[start+size+sha256.Size:]
	if err := wholly(repaired(head, body)); err != nil {
		t.Fatalf("the head as it was: %v", err)
	}
	for n := range head {
		if wholly(repaired(head[:n], body)) == nil {
			t.Errorf("%d of %d bytes are a head", n, len(head))
		}
	}
	refused := 0
	for range 200_000 {
		bad := slices.Clone(head)
		for range 1 + r.IntN(3) {
			i := r.IntN(len(bad))
			switch r.IntN(4) {
			case 0:
				bad[i] = byte(r.Uint32())
			case 1:
				bad[i] ^= 1 << r.IntN(8)
			case 2:
				binary.LittleEndian.PutUint32(bad[min(i, len(bad)-4):], []uint32{0, 1<<31 - 1, 1 << 31, 1<<32 - 1}[r.IntN(4)])
			default:
				bad = slices.Delete(bad, i, min(len(bad), i+1+r.IntN(8)))
			}
			if len(bad) < 4 {
				break
			}
		}
		if wholly(repaired(bad, body)) != nil {
			refused++
		}
	}
	if refused < 100_000 {
		t.Errorf("only %d changed heads were refused", refused)
	}
}

// A compressed part that is larger or smaller than the table says is damaged.
func TestWrongSizes(t *testing.T) {
	packed := pack(bytes.Repeat([]byte("x"), 5000))
	for _, size := range []uint64{0, 4999, 5001, maxPart} {
		if _, err := unpack(packed, size); !errors.Is(err, ErrDamaged) {
			t.Errorf("size %d: %v", size, err)
		}
	}
	if got, err := unpack(packed, 5000); err != nil || len(got) != 5000 {
		t.Errorf("the right size: %v", err)
	}
}

// FuzzOpen looks for data that make reading panic.
//
//fuzz:runs 20000
func FuzzOpen(f *testing.F) {
	f.Add(written(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if start := len(magic) + 1 + 4; len(data) > start {
			size := min(int(binary.LittleEndian.Uint32(data[start-4:])), len(data)-start)
			if body := start + size + sha256.Size; body <= len(data) {
				_ = wholly(repaired(data[start:start+size], data[body:]))
			}
		}
		_ = wholly(data)
	})
}
