//go:build linux && amd64

package native

import (
	"bytes"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// Code that was saved is what would be compiled, wherever it comes to lie, and is
// taken only by the module that it is of.
func TestStoredCode(t *testing.T) {
	mod, err := ir.ParseModule(bigFrame(9))
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *Module {
		p, err := NewModule(nil, mod, Options{})
		if err != nil {
			t.Skip(err)
		}
		return p
	}
	p := fresh()
	for i := 1; i < len(mod.Funcs); i++ {
		if _, err := p.Compile(int32(i)); err != nil {
			t.Fatal(err)
		}
	}
	saved, n := p.Save(nil)
	if n != len(mod.Funcs)-1 {
		t.Errorf("%d functions saved", n)
	}
	q := fresh()
	if m, err := q.Restore(saved); err != nil || m != n {
		t.Fatal(m, err)
	}
	if again, m := q.Save(nil); m != n || !bytes.Equal(again, saved) {
		t.Error("what nobody has called is not saved again")
	}
	for i := len(mod.Funcs) - 1; i > 0; i-- {
		f, err := q.Compile(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		g := p.Code(int32(i))
		if f.Fn != g.Fn || !bytes.Equal(appendFunc(nil, f), appendFunc(nil, g)) {
			t.Errorf("function %d differs", i)
		}
	}
	if n, _ := q.Compiled(); n != 0 {
		t.Errorf("%d functions were compiled", n)
	}
	for cut := 0; cut < len(saved); cut += 1 + len(saved)/300 {
		r := fresh()
		if _, err := r.Restore(saved[:cut]); err == nil {
			t.Errorf("%d of %d bytes are taken", cut, len(saved))
		}
		r.arena.Close()
	}
	if _, err := fresh().Restore(append(bytes.Clone(saved), 0)); err == nil {
		t.Error("a byte more is taken")
	}
	if _, err := p.Restore(saved); err == nil {
		t.Error("a program with code takes more")
	}
}
