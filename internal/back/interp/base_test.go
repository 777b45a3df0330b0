package interp

import (
	"bytes"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

func TestBase(t *testing.T)       { started.TestBase(t, 0, true) }
func TestRandomBase(t *testing.T) { started.TestRandomBase(t) }

// sharedBase makes a program of a base, and modules on it.
func sharedBase(t *testing.T, programs int) (base *bytecode.Module, mods []*ir.Module) {
	t.Helper()
	for range programs {
		mod := irtest.BaseModule(t)
		if base == nil {
			var err error
			if base, err = bytecode.NewModule(nil, mod.Base); err != nil {
				t.Fatal(err)
			}
		}
		irtest.MoveBase(mod, base.Mod)
		mods = append(mods, mod)
	}
	return base, mods
}

// Programs on one base run at once from the start. The base compiles the functions that they call,
// each once.
func TestSharedBase(t *testing.T) {
	base, mods := sharedBase(t, 4)
	var mu sync.Mutex
	bodies := map[*ir.Func]int{}
	base.Opts.Body = func(f *ir.Func) error {
		mu.Lock()
		defer mu.Unlock()
		bodies[f]++
		return nil
	}
	progs := make([]*bytecode.Module, len(mods))
	for i, mod := range mods {
		var err error
		if progs[i], err = bytecode.NewModule(base, mod); err != nil {
			t.Fatal(err)
		}
		progs[i].Opts.Body = func(f *ir.Func) error {
			if f.Module != mod {
				t.Errorf("the body of %s is asked for by a program that it is not of", f.Name)
			}
			return nil
		}
	}
	runBase := func(prog *bytecode.Module) {
		vm, err := rt.New(prog.Mod, rt.Config{})
		if err != nil {
			t.Error(err)
			return
		}
		defer vm.Close()
		m, err := New(vm, prog, Options{})
		if err != nil {
			t.Error(err)
			return
		}
		if st := m.Run(); st != rt.Exit {
			t.Errorf("status %d: %v", st, vm.Finish(st))
		}
		if err := irtest.CheckCalls(vm); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { runBase(progs[i%len(progs)]) })
	}
	wg.Wait()
	if n := base.Compiled(); n != 5 || len(bodies) != n {
		t.Errorf("%d functions of the base were compiled, bodies asked for: %d", n, len(bodies))
	}
	for f, n := range bodies {
		if n != 1 || f.Module != base.Mod {
			t.Errorf("%s was compiled %d times", f.Name, n)
		}
		if progs[0].Code(f.Index) != base.Code(f.Index) {
			t.Errorf("%s has other code in a program", f.Name)
		}
	}
	for _, p := range progs {
		if n := p.Compiled(); n != 3 {
			t.Errorf("%d functions of a program were compiled", n)
		}
	}
	// A later program finds all of it.
	late, err := bytecode.NewModule(base, mods[0])
	if err != nil {
		t.Fatal(err)
	}
	runBase(late)
	if n := base.Compiled(); n != 5 {
		t.Errorf("%d functions of the base are compiled now", n)
	}

	// Base and program are stored apart.
	ofBase, n := base.Save(nil)
	ofProg, k := progs[0].Save(nil)
	if n != 5 || k != 3 {
		t.Errorf("%d and %d functions saved", n, k)
	}
	again, err := bytecode.Restore(nil, base.Mod, ofBase)
	if err != nil {
		t.Fatal(err)
	}
	if again.Opts.Body = func(f *ir.Func) error { t.Errorf("%s was stored", f.Name); return nil }; again.Compiled() != n {
		t.Errorf("%d functions restored", again.Compiled())
	}
	prog, err := bytecode.Restore(again, mods[0], ofProg)
	if err != nil {
		t.Fatal(err)
	}
	prog.Opts.Body = again.Opts.Body
	runBase(prog)
	if b, _ := prog.Save(nil); !bytes.Equal(b, ofProg) {
		t.Error("what was restored is saved otherwise")
	}
	for name, restore := range map[string]func() (*bytecode.Module, error){
		"a program as a base":   func() (*bytecode.Module, error) { return bytecode.Restore(nil, base.Mod, ofProg) },
		"a base as a program":   func() (*bytecode.Module, error) { return bytecode.Restore(again, mods[0], ofBase) },
		"a program without one": func() (*bytecode.Module, error) { return bytecode.Restore(nil, mods[0], ofProg) },
		"another base":          func() (*bytecode.Module, error) { return bytecode.Restore(late, mods[0], ofProg) },
		"no base":               func() (*bytecode.Module, error) { return bytecode.NewModule(nil, mods[0]) },
		"not its base":          func() (*bytecode.Module, error) { return bytecode.NewModule(prog, mods[1]) },
	} {
		if _, err := restore(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A base whose module does not list all its signatures gives out no new numbers once a program has
// taken the next ones.
func TestBaseSignatures(t *testing.T) {
	mod := irtest.BaseModule(t)
	mod.Base.Sigs = mod.Base.Sigs[:2]
	base, err := bytecode.NewModule(nil, mod.Base)
	if err != nil {
		t.Fatal(err)
	}
	hidden := &ir.Sig{Params: []ir.Type{ir.F32, ir.F32}}
	for _, v := range mod.Base.Func(3).Blocks[0].Values {
		if v.Op == ir.OpCallClosure {
			v.Sig = hidden
		}
	}
	if _, err := bytecode.NewModule(base, mod); err != nil {
		t.Fatal(err)
	}
	if _, err := base.Compile(3); err == nil {
		t.Error("a signature gets a number behind those of a program")
	}
}
