//go:build (unix && amd64) || (arm64 && (linux || darwin))

package native

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

func TestBase(t *testing.T) {
	needsCode(t)
	t.Run("type-safe", func(t *testing.T) { started.TestBase(t, 0, false) })
	t.Run("checked", func(t *testing.T) { started.TestBase(t, 2, true) })
}

func TestRandomBase(t *testing.T) {
	needsCode(t)
	started.TestRandomBase(t)
}

// runBase runs a program of irtest.BaseModule.
func runBase(t *testing.T, prog *Module) {
	vm, err := rt.New(prog.Mod, rt.Config{})
	if err != nil {
		t.Error(err)
		return
	}
	defer vm.Close()
	m, err := New(vm, prog, exec.Options{})
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
	// The functions of base and program are found by address.
	for i := int32(1); int(i) < prog.Mod.NumFuncs(); i++ {
		c := prog.code.Code(i)
		if c == nil {
			continue
		}
		for _, s := range c.Sites {
			if d, x := m.at(c.start + uintptr(s.PC)); d != c || x == nil || *x != s {
				t.Errorf("site %d of %s is not found", s.PC, c.Fn.Name)
			}
		}
		if to := *prog.entry(i); to != uint64(c.start) && to != uint64(prog.start)+uint64(prog.stubs.Compile) &&
			(prog.base == nil || to != uint64(prog.base.start)+uint64(prog.base.stubs.Compile)) {
			t.Errorf("the table leads to %#x, not to %s", to, c.Fn.Name)
		}
	}
}

// sharedBase makes the program of a base, and modules on it.
func sharedBase(t *testing.T, programs int, opts Options) (base *Module, mods []*ir.Module) {
	t.Helper()
	needsCode(t)
	for range programs {
		mod := irtest.BaseModule(t)
		if base == nil {
			var err error
			if base, err = NewModule(nil, mod.Base, opts); err != nil {
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
	var mu sync.Mutex
	bodies := map[*ir.Func]int{}
	base, mods := sharedBase(t, 4, Options{Checked: true, Bodies: lazy.Bodies{Body: func(f *ir.Func) error {
		mu.Lock()
		defer mu.Unlock()
		bodies[f]++
		return nil
	}}})
	var told, toldOwn []string
	tell := func(list *[]string) func(Published) error {
		return func(c Published) error {
			if c.Fn != nil {
				mu.Lock()
				defer mu.Unlock()
				*list = append(*list, c.Fn.Name)
			}
			return nil
		}
	}
	if err := base.Observe(tell(&told)); err != nil {
		t.Fatal(err)
	}
	progs := make([]*Module, len(mods))
	for i, mod := range mods {
		var err error
		// A program on any base decides by itself whether it is checked.
		progs[i], err = NewModule(base, mod, Options{Checked: i%2 == 0, Bodies: lazy.Bodies{Body: func(f *ir.Func) error {
			if f.Module != mod {
				t.Errorf("the body of %s is asked for by a program that it is not of", f.Name)
			}
			return nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := progs[0].Observe(tell(&toldOwn)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { runBase(t, progs[i%len(progs)]) })
	}
	wg.Wait()
	if n, _ := base.Compiled(); n != 5 || len(bodies) != n || len(told) != n || len(toldOwn) != 3 {
		t.Errorf("%d functions of the base were compiled, bodies asked for: %d, told: %d, of a program %d", n, len(bodies), len(told), len(toldOwn))
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
		if n, _ := p.Compiled(); n != 3 {
			t.Errorf("%d functions of a program were compiled", n)
		}
	}
	// A later program finds all of it: its table has the code before any call.
	late, err := NewModule(base, mods[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	for f := range bodies {
		if *late.entry(f.Index) != uint64(base.code.Code(f.Index).start) {
			t.Errorf("%s is not in the table of a new program", f.Name)
		}
	}
	runBase(t, late)
	if n, _ := base.Compiled(); n != 5 {
		t.Errorf("%d functions of the base are compiled now", n)
	}
}

// Code of base and program is stored apart.
func TestStoredBase(t *testing.T) {
	base, mods := sharedBase(t, 1, Options{Checked: true})
	prog, err := NewModule(base, mods[0], Options{Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	runBase(t, prog)
	type saved struct{ head, code []byte }
	save := func(m *Module) (s saved, n int) {
		s.head, s.code, n = m.Save()
		return s, n
	}
	restore := func(m *Module, s saved) (int, error) {
		return m.Restore(s.head, len(s.code), func(from, to int) ([]byte, error) { return s.code[from:to], nil })
	}
	ofBase, n := save(base)
	ofProg, k := save(prog)
	if n != 5 || k != 3 {
		t.Errorf("%d and %d functions saved", n, k)
	}
	again, err := NewModule(nil, base.Mod, Options{Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	on := func(b *Module) *Module {
		p, err := NewModule(b, mods[0], Options{Checked: true})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, take := range map[string]func() (int, error){
		"a program as a base": func() (int, error) { return restore(again, ofProg) },
		"a base as a program": func() (int, error) { return restore(on(base), ofBase) },
	} {
		if _, err := take(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if m, err := restore(again, ofBase); err != nil || m != n {
		t.Fatal(m, err)
	}
	p := on(again)
	if m, err := restore(p, ofProg); err != nil || m != k {
		t.Fatal(m, err)
	}
	runBase(t, p)
	a, _ := again.Compiled()
	b, _ := p.Compiled()
	if a != 0 || b != 0 {
		t.Errorf("%d and %d functions were compiled", a, b)
	}
	for i := int32(1); int(i) < prog.Mod.NumFuncs(); i++ {
		if x, y := prog.Code(i), p.Code(i); (x == nil) != (y == nil) || x != nil && !bytes.Equal(appendFunc(nil, x), appendFunc(nil, y)) {
			t.Errorf("function %d is another one", i)
		}
	}
}

// A module that cannot run on a base is refused.
func TestNotOnBase(t *testing.T) {
	base, mods := sharedBase(t, 2, Options{})
	prog, err := NewModule(base, mods[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() (*Module, error){
		"no base":      func() (*Module, error) { return NewModule(nil, mods[1], Options{}) },
		"not its base": func() (*Module, error) { return NewModule(prog, mods[1], Options{}) },
		"no signatures": func() (*Module, error) {
			sigs := base.Mod.Sigs
			defer func() { base.Mod.Sigs = sigs }()
			base.Mod.Sigs = nil
			return NewModule(base, mods[1], Options{})
		},
		"a base that checks less":   func() (*Module, error) { return NewModule(base, mods[1], Options{Checked: true}) },
		"a module that has no base": func() (*Module, error) { return NewModule(base, base.Mod, Options{}) },
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: a program is made", name)
		}
	}
	// Unannounced signatures get no number that a program may have taken.
	bare := *base.Mod
	bare.Sigs = bare.Sigs[:2]
	for _, f := range bare.Funcs()[1:] {
		f.Module = &bare
	}
	mods[1].Base = &bare
	b, err := NewModule(nil, &bare, Options{Checked: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewModule(b, mods[1], Options{Checked: true}); err != nil {
		t.Fatal(err)
	}
	hidden := &ir.Sig{Params: []ir.Type{ir.F32, ir.F32}}
	for _, v := range bare.Func(3).Blocks[0].Values {
		if v.Op == ir.OpCallClosure {
			v.Sig = hidden
		}
	}
	if _, err := b.Compile(3); err == nil {
		t.Error("a signature gets a number behind those of a program")
	}
}

// The code of a base stays as long as a program on it does, and then goes.
func TestBaseGoes(t *testing.T) {
	base, mods := sharedBase(t, 2, Options{})
	arena := base.arena
	prog, err := NewModule(base, mods[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewModule(base, mods[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	otherArena := other.arena
	runBase(t, other)
	base, other = nil, nil
	// closed waits for a cleanup, which runs some time after a collection.
	closed := func(a *Arena) bool {
		for range 100 {
			runtime.GC()
			a.mu.Lock()
			gone := a.mem == nil
			a.mu.Unlock()
			if gone {
				return true
			}
			runtime.Gosched()
		}
		return false
	}
	if !closed(otherArena) {
		t.Error("the code of a program that nobody has stays")
	}
	runBase(t, prog)
	arena.mu.Lock()
	if arena.mem == nil {
		t.Error("the code of the base is gone")
	}
	arena.mu.Unlock()
	runtime.KeepAlive(prog)
	prog = nil
	if !closed(arena) {
		t.Error("the code of a base that nobody has stays")
	}
}
