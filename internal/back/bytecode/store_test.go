package bytecode_test

import (
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// stored compiles every second function of a module and saves the code.
func stored(t testing.TB, mod *ir.Module) (*bytecode.Module, []byte) {
	t.Helper()
	p, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < mod.NumFuncs(); i += 2 {
		if _, err := p.Compile(int32(i)); err != nil {
			t.Fatal(err)
		}
	}
	b, n := p.Save(nil)
	if n != p.Compiled() || n != mod.NumFuncs()/2 {
		t.Errorf("%d functions saved, %d compiled of %d", n, p.Compiled(), mod.NumFuncs()-1)
	}
	return p, b
}

func sameCode(a, b *bytecode.FuncCode) bool {
	return a.Fn == b.Fn && slices.Equal(a.Code, b.Code) && slices.Equal(a.Sites, b.Sites) && slices.Equal(a.Charges, b.Charges) &&
		slices.Equal(a.Maps, b.Maps) && slices.Equal(a.Locals.Ptrs, b.Locals.Ptrs) && slices.Equal(a.Locals.Masks, b.Locals.Masks) && slices.Equal(a.Locals.Spans, b.Locals.Spans) &&
		slices.Equal(a.Locals.Runs, b.Locals.Runs) && a.FrameSize == b.FrameSize && a.Slots == b.Slots && a.Recover == b.Recover &&
		slices.Equal(a.Lines, b.Lines) && a.LocalsSlot == b.LocalsSlot && a.LocalsSize == b.LocalsSize
}

// Restored code equals the saved code. Functions that had none are compiled at their first call.
func TestRestore(t *testing.T) {
	for seed := range uint64(60) {
		mod := irtest.Random(seed, int(10+seed), seed%2 == 0)
		p, b := stored(t, mod)
		q, err := bytecode.Restore(nil, mod, b)
		if err != nil {
			t.Fatal(err)
		}
		if q.Compiled() != p.Compiled() {
			t.Errorf("%d functions restored, %d saved", q.Compiled(), p.Compiled())
		}
		for i := 1; i < mod.NumFuncs(); i++ {
			x, err := p.Compile(int32(i))
			if err != nil {
				t.Fatal(err)
			}
			y, err := q.Compile(int32(i))
			if err != nil {
				t.Fatal(err)
			}
			if !sameCode(x, y) {
				t.Fatalf("seed %d: code of %s differs", seed, mod.Func(i).Name)
			}
		}
		if c, _ := p.Save(nil); !slices.Equal(c, must(q.Save(nil))) {
			t.Error("saved again, the code is different")
		}
	}
}

func must(b []byte, _ int) []byte { return b }

// A function without a body gets it when it is called, and never if its code was saved.
func TestRestoreWithoutBodies(t *testing.T) {
	mod := irtest.Random(5, 40, false)
	want, b := stored(t, mod)
	again, bare := irtest.Random(5, 40, false), *mod
	list := mod.Funcs()
	for i, f := range list {
		if f != nil {
			list[i] = &ir.Func{Name: f.Name, Index: f.Index, Sig: f.Sig, Flags: f.Flags, Module: mod}
		}
	}
	bare.SetFuncs(list)
	p, err := bytecode.Restore(nil, &bare, b)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	p.Opts.Body = func(f *ir.Func) error {
		asked++
		*f = *again.Func(int(f.Index))
		return nil
	}
	for i := 1; i < mod.NumFuncs(); i++ {
		x, err := want.Compile(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Compile(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x.Code, y.Code) {
			t.Errorf("code of %s differs", mod.Func(i).Name)
		}
	}
	if n := mod.NumFuncs() - 1 - mod.NumFuncs()/2; asked != n {
		t.Errorf("%d bodies asked for, want %d", asked, n)
	}
}

// Code of another module, or cut off, is an error.
func TestRestoreRefuses(t *testing.T) {
	mod := irtest.Random(1, 20, true)
	_, b := stored(t, mod)
	for n := range len(b) {
		if _, err := bytecode.Restore(nil, mod, b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are code", n, len(b))
		}
	}
	if _, err := bytecode.Restore(nil, mod, append(b, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
	other := irtest.Random(2, 3, true)
	other.SetFuncs(other.Funcs()[:2])
	if _, err := bytecode.Restore(nil, other, b); err == nil {
		t.Error("code of another module is accepted")
	}
}

// Restore returns, whatever the bytes.
//
//fuzz:runs 20000
func FuzzRestore(f *testing.F) {
	mod := irtest.Random(1, 20, true)
	_, b := stored(f, mod)
	f.Add(b)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		bytecode.Restore(nil, mod, b)
	})
}
