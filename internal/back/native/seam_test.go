//go:build unix

package native

import (
	"errors"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/irtest"
	"github.com/gyrvm/gyr/internal/suites/irtest/passes"
)

// startOn makes the machine of a test's module number i on a host.
func startOn(h *host) irtest.Start { return startWith(h, false) }

// startWith is startOn, with or without counting code.
func startWith(h *host, counts bool) irtest.Start {
	return func(vm *rt.VM, i int, quantum, slice int64) (irtest.Machine, error) {
		opts := Options{Checked: i%5 == 2, Verify: i < 1000 || i%8 == 0}
		if counts {
			opts.Tally = &plan.Tally{Limit: memory.MaxCounters}
		}
		if vm.Config.Gas == 0 { // passes decide between which two effects gas runs out
			opts.Prepare = passes.Number(i / 4).Prepare
		}
		var base *Module
		var err error
		if b := vm.Mod.Base; b != nil {
			if base, err = h.program(nil, b, opts); err != nil {
				return nil, err
			}
		}
		prog, err := h.program(base, vm.Mod, opts)
		if err != nil {
			return nil, err
		}
		m, err := New(vm, prog, exec.Options{Quantum: quantum})
		if err == nil && slice > 0 {
			m.SetSlice(slice)
		}
		return m, err
	}
}

// tinyHost returns the host of an imaginary processor.
func tinyHost(cpu *tinyCPU) *host { return newHost(cpu, tinyEnter, func() uintptr { return 0 }) }

// needsArena skips a test where memory for code is denied.
func needsArena(t *testing.T) {
	a, err := NewArena(0, 1<<16)
	if err != nil {
		t.Skip(err)
	}
	a.Close()
}

// TestSeam runs the tests of all tiers on an imaginary processor, with the same plan and machine as
// on a real one: neither depends on amd64.
func TestSeam(t *testing.T) {
	daily.Turn(t, 3, false)
	needsArena(t)
	tiny := startOn(tinyHost(newTiny()))
	t.Run("operations", func(t *testing.T) { tiny.TestOperations(t, 0, false) })
	t.Run("operations of unsafe programs", func(t *testing.T) { tiny.TestOperations(t, 2, true) })
	t.Run("base", func(t *testing.T) { tiny.TestBase(t, 0, false) })
	t.Run("random", func(t *testing.T) { tiny.TestRandom(t) })
	t.Run("random bases", func(t *testing.T) { tiny.TestRandomBase(t) })
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, i := range []int{0, 2} {
				tiny.TestText(t, c.text, i)
			}
		})
	}
	for k, p := range irtest.Today(t) {
		t.Run(p.Name, func(t *testing.T) {
			mod, err := p.Module()
			if err != nil {
				t.Fatal(err)
			}
			tiny.Compare(t, mod, 2*(k%2), 0)
		})
	}
}

// TestNoCode: the error of a function names the operations that a processor has no code for, and
// other functions are compiled.
func TestNoCode(t *testing.T) {
	needsArena(t)
	cpu := newTiny()
	cpu.desc.Lacks[ir.OpMulHiU], cpu.desc.Lacks[ir.OpFMA] = true, true
	refused := map[ir.Op]int{}
	for _, c := range irtest.Operations() {
		prog, err := tinyHost(cpu).program(nil, c.Mod, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range c.Mod.Funcs() {
			if f == nil {
				continue
			}
			has := func(op ir.Op) bool {
				return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
					return slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return v.Op == op })
				})
			}
			_, err := prog.Compile(int32(i))
			var no *plan.NoCode
			if errors.As(err, &no) != (has(ir.OpMulHiU) || has(ir.OpFMA)) || err != nil && no == nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if no == nil {
				continue
			}
			for _, op := range no.Ops {
				if !cpu.desc.Lacks[op] || !has(op) {
					t.Errorf("%s: %v", f.Name, err)
				}
				refused[op]++
			}
		}
		prog.arena.Close()
	}
	if len(refused) != 2 {
		t.Errorf("refused: %v", refused)
	}
}
