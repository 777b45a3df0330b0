//go:build (unix && amd64) || (arm64 && (linux || darwin))

package native

import (
	"bytes"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// Saved code equals compiled code, whatever its address, and only its own module takes it.
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
	for i := 1; i < mod.NumFuncs(); i++ {
		if _, err := p.Compile(int32(i)); err != nil {
			t.Fatal(err)
		}
	}
	head, saved, n := p.Save()
	read := func(from, to int) ([]byte, error) { return saved[from:to], nil }
	if n != mod.NumFuncs()-1 {
		t.Errorf("%d functions saved", n)
	}
	q := fresh()
	if m, err := q.Restore(head, len(saved), read); err != nil || m != n {
		t.Fatal(m, err)
	}
	if h, again, m := q.Save(); m != n || !bytes.Equal(h, head) || !bytes.Equal(again, saved) {
		t.Error("what nobody has called is not saved again")
	}
	for i := mod.NumFuncs() - 1; i > 0; i-- {
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
	for cut := 0; cut < len(head); cut += 1 + len(head)/300 {
		r := fresh()
		if _, err := r.Restore(head[:cut], len(saved), read); err == nil {
			t.Errorf("%d of %d bytes are taken", cut, len(head))
		}
		r.arena.Close()
	}
	if _, err := fresh().Restore(append(bytes.Clone(head), 0), len(saved), read); err == nil {
		t.Error("a byte more is taken")
	}
	for _, size := range []int{0, len(saved) - 1, len(saved) + 1} {
		if _, err := fresh().Restore(head, size, read); err == nil {
			t.Errorf("%d bytes of code instead of %d are taken", size, len(saved))
		}
	}
	// Code that cannot be read any more is made again.
	r := fresh()
	if _, err := r.Restore(head, len(saved), func(from, to int) ([]byte, error) {
		if from%2 == 0 {
			return nil, errStored
		}
		return read(from, to)
	}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < mod.NumFuncs(); i++ {
		f, err := r.Compile(int32(i))
		if err != nil || len(f.Code) == 0 {
			t.Errorf("function %d without its stored code: %v", i, err)
		}
	}
	if n, _ := r.Compiled(); n == 0 {
		t.Error("nothing was compiled again")
	}
	if _, err := p.Restore(head, len(saved), read); err == nil {
		t.Error("a program with code takes more")
	}
}
