package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/state"
)

// This file upgrades states to another version of their program.
//
// Memory depends on the program that runs in it: addresses of variables, types and strings, numbers
// of functions and of layouts. So the new version is lowered for the memory of the old one
// (Source.Upgrades): whatever both have keeps its address and number, and new things come after it.
// It remains to check that the state refers to nothing that has changed, and to put the new data
// into memory. Nothing in memory is translated.

// layoutPlan returns the plan that a later version follows; nil: none.
func (p *Program) layoutPlan() (*lower.Plan, error) {
	if p == nil {
		return nil, nil
	}
	v, err := p.asVersion()
	if v == nil {
		return nil, err
	}
	return v.plan, nil
}

// Upgrade makes an instance that goes on from a state of the version of the program that
// Source.Upgrades names. It has the variables of that version and the functions of this one. A
// [*api.StateError] says why that is impossible.
func (p *Program) Upgrade(ctx context.Context, cfg Config, root state.Hash, saved api.Saved) (*Instance, error) {
	wrong := func(what string, err error) error { return &api.StateError{What: what, Err: err} }
	if p == nil || p.identity == nil {
		return nil, wrong("program", errors.New("it was compiled without CompileOptions.State"))
	}
	t := p.transition
	if t == nil {
		return nil, wrong("program", errors.New("it was compiled without CompileOptions.Upgrades"))
	}
	s, err := openSaved(ctx, root, saved)
	if err != nil {
		return nil, err
	}
	if got := s.section("program"); string(got) != string(t.before.identity) {
		if string(got) == string(p.identity) {
			return nil, wrong("program", errors.New("the state is one of this version already: Restore takes it"))
		}
		return nil, wrong("program", fmt.Errorf("the state is that of program %.32x, this upgrades %.32x", got, t.before.identity))
	}
	if t.refusal != nil {
		return nil, wrong("program", t.refusal)
	}
	return p.instanceOf(ctx, cfg, s, t)
}

// upgrade turns the instance, whose memory and machine are those of a state of the earlier version,
// into one of the program. It describes the program's functions anew, and collects garbage, so that
// memory holds only what the program can reach.
func (u *use) upgrade(ctx context.Context, t *transition) error {
	if err := u.patch(t); err != nil {
		return &api.StateError{What: "state", Err: err}
	}
	u.vm.DescribeAgain()
	u.vm.SetContext(ctx)
	next, err := u.goOn(true)
	if u.next = next; err == nil && next != stateReady {
		err = errors.New("the program does not wait for calls")
	}
	if err != nil {
		return err
	}
	if err := u.lookThrough(ctx, t); err != nil {
		u.next = stateFailed
		return cmp.Or(notEnded(ctx), error(&api.StateError{What: "state", Err: err}))
	}
	if err := u.rememberWithin("Upgrade", nil, func() error { return notEnded(ctx) }); err != nil {
		u.next = stateFailed
		return err
	}
	return nil
}

// patch turns memory, which is that of a state of the earlier version, into the program's.
func (u *use) patch(t *transition) error {
	for _, p := range t.patches {
		b, ok := u.vm.Space.Bytes(uint64(p.addr), uint64(len(p.data)))
		if !ok {
			return fmt.Errorf("no memory at %#x", p.addr)
		}
		copy(b, p.data)
	}
	return nil
}

// lookThrough reports what memory holds that the new version lacks. Garbage has been collected.
func (u *use) lookThrough(ctx context.Context, t *transition) error {
	changed := func(what, why string) error { return &api.ChangeError{What: what, Why: why} }
	heap := u.vm.Heap
	if !t.sameLayouts && heap.MadeLayouts() > 0 {
		return changed("the layouts of objects", "have other numbers, and reflection has made some at run time")
	}
	old := t.before.plan.Layout
	_, base, err := u.prog.base.frontEnd()
	if err != nil {
		return err
	}
	var found error
	looked := 0
	look := func(at uint32, b []byte) bool {
		for i := 0; i+8 <= len(b); i += 8 {
			if looked++; looked%(1<<14) == 0 && ctx.Err() != nil {
				found = ctx.Err()
				return false
			}
			if d := t.danger(binary.LittleEndian.Uint64(b[i:])); d != nil {
				e := *d.err
				e.Why += fmt.Sprintf(", at %#x", at+uint32(i))
				found = &e
				return false
			}
		}
		return true
	}
	if len(t.dangers) > 0 {
		// The standard library's data refers to the program's only in words that were written to.
		was := old.Data(ir.DataBase, uint32(base.Low())-ir.DataBase)
		is, ok := u.vm.Space.Bytes(ir.DataBase, uint64(len(was)))
		if !ok {
			return errors.New("no memory for the data")
		}
		for i := 0; i+8 <= len(was); i += 8 {
			if string(was[i:i+8]) != string(is[i:i+8]) && !look(uint32(ir.DataBase+i), is[i:i+8]) {
				return found
			}
		}
		for _, x := range old.Things {
			if x.Kind != layout.VariableThing || t.gone(x) {
				continue
			}
			b, ok := u.vm.Space.Bytes(uint64(x.Addr), uint64(x.Size))
			if !ok {
				return errors.New("no memory for the data")
			}
			if !look(x.Addr, b) {
				return found
			}
		}
	}
	if len(t.dangers) == 0 && len(t.captured) == 0 && len(t.made) == 0 {
		return nil
	}
	st := heap.Objects(func(addr uint32, header uint64, b []byte) bool {
		if len(b) >= 8 {
			if c, ok := t.captured[binary.LittleEndian.Uint64(b)]; ok {
				for _, h := range c.headers {
					if h == header {
						e := *c.err
						e.Why += fmt.Sprintf(", at %#x", addr)
						found = &e
						return false
					}
				}
			}
		}
		if len(t.made) > 0 && len(b) >= layout.ShapeSize {
			if name, ok := t.made[layout.Shape(b)]; ok {
				found = changed("type "+name, fmt.Sprintf("is new in the program, and reflection may have made it, at %#x", addr))
				return false
			}
		}
		return look(addr, b)
	})
	if st != memory.StatusOK {
		return errors.New("the heap is damaged")
	}
	return found
}

// danger returns the part of the earlier version's data that a word may be an address in, if the
// program lacks that part.
func (t *transition) danger(word uint64) *danger {
	if len(t.dangers) == 0 || word < uint64(t.dangers[0].lo) || word >= uint64(t.dangers[len(t.dangers)-1].hi) {
		return nil
	}
	i := sort.Search(len(t.dangers), func(i int) bool { return uint64(t.dangers[i].lo) > word }) - 1
	if i < 0 || word >= uint64(t.dangers[i].hi) {
		return nil
	}
	return &t.dangers[i]
}

// gone reports whether a variable of the earlier version no longer exists in the program: nothing
// reads it.
func (t *transition) gone(x layout.Thing) bool {
	d := t.danger(uint64(x.Addr))
	return d != nil && d.lo == x.Addr
}
