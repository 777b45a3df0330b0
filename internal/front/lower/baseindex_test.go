package lower

import (
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// A program finds the initialisers of a package in the layer that has it, even if the layers above
// do not import the package.
func TestInitsOfLayersBelow(t *testing.T) {
	first := &ir.Module{Inits: []ir.Init{{Path: "flag", Std: true}}}
	second := &ir.Module{Base: first, Inits: []ir.Init{{Path: "net", Std: true}}}
	b := NewBase(NewBase(nil, first, BaseIndex{}), second, BaseIndex{})
	for _, path := range []string{"flag", "net"} {
		if b.inits[path].Path != path {
			t.Errorf("the initialiser of package %s is lost", path)
		}
	}
}

// An index is read as it was written, in one form only. It is refused if it is cut off or if more
// bytes follow.
func TestIndexEncoding(t *testing.T) {
	x := BaseIndex{
		Funcs:   decode.TableOf(map[string]int32{"a": 1, "b": -2, "c": 3}),
		Globals: decode.TableOf(map[string]uint32{"x": 7, "y": 1 << 31}),
		Shapes:  decode.TableOf(map[string]int32{"i": 4, "": 5, "j": 6}), ZeroAddr: 1, StaticBytes: 2, ZeroSize: -3,
	}
	x.Layout.Types, x.Layout.Links = decode.TableOf(map[string]uint32{"t": 5, "u": 6}), []uint32{9, 8}
	x.Layout.Low, x.Layout.High, x.Layout.Globals = 1<<40, 2, -4
	data := x.Encode()
	for range 20 {
		if string(x.Encode()) != string(data) {
			t.Fatal("two encodings of one index differ")
		}
	}
	got, err := DecodeIndex(data)
	if err != nil || !reflect.DeepEqual(got, x) {
		t.Fatalf("%v: read %+v, wrote %+v", err, got, x)
	}
	for n := range data {
		if _, err := DecodeIndex(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are an index", n, len(data))
		}
	}
	if _, err := DecodeIndex(append(data, 0)); err == nil {
		t.Error("what is behind the index is not noticed")
	}
}
