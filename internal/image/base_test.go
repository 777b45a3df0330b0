package image

import (
	"bytes"
	"maps"
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// decodeOn decodes a whole continued module.
func decodeOn(data []byte, base *ir.Module) (*ir.Module, error) {
	im, err := Open(data)
	if err != nil {
		return nil, err
	}
	m, bodies, err := im.Module(base)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Own() {
		if err := bodies.Decode(f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// continued is a module on a base, and its image.
func continued(t *testing.T) (*ir.Module, []byte) {
	t.Helper()
	m := irtest.BaseModule(t)
	for _, f := range m.Own() {
		f.FixRoots()
		f.Renumber()
	}
	// Data of the base's, from the middle of it on, and one's own.
	m.Base.Data = bytes.Repeat([]byte("base"), 300)
	m.Data = append(bytes.Clone(m.Base.Data), "own data"...)
	copy(m.Data[600:], "changed")
	data, err := Encode(m, header(Continued))
	if err != nil {
		t.Fatal(err)
	}
	return m, data
}

// TestContinued: a module on a base that is read with that base is the one that was written,
// and has the base's tables.
func TestContinued(t *testing.T) {
	m, data := continued(t)
	got, err := decodeOn(data, m.Base)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	ir.Print(&a, m)
	ir.Print(&b, got)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("decoded it is\n%s\nand was\n%s", &b, &a)
	}
	if !bytes.Equal(got.Data, m.Data) || !reflect.DeepEqual(got.Layouts, m.Layouts) || !maps.Equal(got.Vars, m.Vars) || len(got.Primitives) != len(m.Primitives) ||
		got.FirstOwn() != m.FirstOwn() || got.BSS != m.BSS {
		t.Error("other tables")
	}
	for i, f := range got.Funcs()[:got.FirstOwn()] {
		if f != m.Base.Func(i) {
			t.Errorf("function %d is not the base's", i)
		}
	}
	for _, f := range got.Own() {
		if f.Module != got {
			t.Errorf("%s is of another module", f.Name)
		}
	}
	again, err := Encode(got, header(Continued))
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("encoding it again gives other bytes, %v", err)
	}
	if err := ir.VerifyModule(got); err != nil {
		t.Error(err)
	}
	if n := len(data); n > 12000 {
		t.Errorf("%d bytes: more than its own part", n)
	}
}

// TestOtherBase: a continued image is not read without its base, nor on another one.
func TestOtherBase(t *testing.T) {
	m, data := continued(t)
	im, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := im.Decode(nil); err == nil {
		t.Error("read without its base")
	}
	more := *m.Base
	more.Sites = append(more.Sites[:len(more.Sites):len(more.Sites)], ir.Site{})
	alone, err := Encode(m.Base, header(Optimised))
	if err != nil {
		t.Fatal(err)
	}
	for what, read := range map[string]func() (*ir.Module, error){
		"another base":               func() (*ir.Module, error) { return decodeOn(data, &more) },
		"itself":                     func() (*ir.Module, error) { return decodeOn(data, m) },
		"an image that needs no one": func() (*ir.Module, error) { return decodeOn(alone, m.Base) },
	} {
		if _, err := read(); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	for _, x := range []struct {
		m    *ir.Module
		form Form
	}{{m, Lowered}, {m, Optimised}, {m.Base, Continued}} {
		if _, err := Encode(x.m, header(x.form)); err == nil {
			t.Errorf("written as %s with base %t", x.form, x.m.Base != nil)
		}
	}
}

// TestContinuedMutations: damage that no checksum shows causes no panic.
func TestContinuedMutations(t *testing.T) {
	m, data := continued(t)
	for i := range data {
		for _, b := range []byte{0, 0x7f, 0x80, 0xff, data[i] ^ 1, data[i] + 1} {
			bad := bytes.Clone(data)
			bad[i] = b
			repair(bad)
			if got, err := decodeOn(bad, m.Base); err == nil {
				ir.VerifyModule(got)
			}
		}
	}
	for n := range data {
		bad := bytes.Clone(data[:n])
		repair(bad)
		if _, err := decodeOn(bad, m.Base); err == nil {
			t.Errorf("%d of %d bytes are enough", n, len(data))
		}
	}
}

// TestSplit: the parts that a split image reads late equal those of the whole one, for a module
// with a base and for the base: all functions, and any part of the data.
func TestSplit(t *testing.T) {
	m, data := continued(t)
	alone, err := Encode(m.Base, header(Optimised))
	if err != nil {
		t.Fatal(err)
	}
	base := split(t, alone, nil, 0)
	base.Sigs = m.Base.Sigs
	own := split(t, data, base, base.DataSize())
	for i, of := range []*ir.Module{m.Base, m} {
		got := []*ir.Module{base, own}[i]
		if got.DataSize() != len(of.Data) {
			t.Fatalf("%d bytes of data, want %d", got.DataSize(), len(of.Data))
		}
		for at := 0; at <= len(of.Data); at += 7 {
			for n := 0; at+n <= len(of.Data); n += 1 + n*n {
				part := bytes.Repeat([]byte{0xaa}, n)
				if err := got.ReadData(part, at); err != nil || !bytes.Equal(part, of.Data[at:at+n]) {
					t.Fatalf("%d bytes of data from %d on: %q, want %q, %v", n, at, part, of.Data[at:at+n], err)
				}
			}
		}
		if got.Data != nil {
			t.Error("all of the data was read")
		}
		if err := got.LoadData(); err != nil || !bytes.Equal(got.Data, of.Data) {
			t.Errorf("other data, %v", err)
		}
		for k, f := range of.Funcs() {
			g := got.Func(k)
			if g != got.Func(k) {
				t.Errorf("function %d is made twice", k)
			}
			if (f == nil) != (g == nil) || f != nil && (g.Name != f.Name || g.Index != f.Index || g.Flags != f.Flags || g.Pos != f.Pos ||
				g.Shape != f.Shape || !g.Sig.Equal(&f.Sig)) {
				t.Errorf("function %d: %+v, want %+v", k, g, f)
			}
		}
	}
}

// split splits an image and decodes the rest.
func split(t *testing.T, image []byte, base *ir.Module, below int) *ir.Module {
	t.Helper()
	rest, code, data, err := Split(image, below)
	if err != nil {
		t.Fatal(err)
	}
	im, err := OpenSplit(rest, Late{
		Code: func(from, to int) ([]byte, error) { return code[from:to], nil },
		Data: func(dst []byte, at int) error { copy(dst, data[at:at+len(dst)]); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := im.Module(base)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
