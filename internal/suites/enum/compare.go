package enum

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
	"github.com/gyrvm/gyr/internal/suites/irtest/passes"
)

// An engine runs modules. Their functions are ready to be compiled.
type engine struct {
	name  string
	start func(vm *rt.VM, verify bool) (machine, error)
}

type machine interface {
	Run() rt.Status
	GasUsed() int64
}

// engines are the tiers that can run here.
var engines = append([]engine{{"interpreter", startInterp}}, nativeEngines...)

func startInterp(vm *rt.VM, _ bool) (machine, error) {
	prog, err := bytecode.NewModule(nil, vm.Mod)
	if err != nil {
		return nil, err
	}
	return interp.New(vm, prog, interp.Options{})
}

// evaluator is the engine's name in a Difference if passes changed what a program means.
const evaluator = "evaluator"

// A Difference is a program whose result differs from its meaning.
type Difference struct {
	Program Program
	Passes  string
	Engine  string
	Packing Packing
	Row     row
	Got     []byte
	Want    []byte
}

func (d *Difference) String() string {
	return fmt.Sprintf("%s, %s, %v: %s gives %x, want %x", d.Engine, d.Passes, d.Packing, d.Row.text(d.Program.String()),
		d.Got, d.Want)
}

// A Comparer compares batches and counts what it did.
type Comparer struct {
	Sets     func(batch uint64) []Part // what runs; nil: the default
	Verify   bool                      // verify the IR after each pass, and the register allocation
	Programs int64                     // compared
	Runs     int64                     // of a program over all rows, by the evaluator or an engine
	batches  uint64
}

// A Part is a set of passes with the engines that run the result.
type Part struct {
	Set     passes.Set
	Engines []engine
	Change  func(*ir.Module) // if not nil, plants a mistake after the passes
}

// each are the sets that run in turns.
var each = append(passes.Each(), passes.Whole...)

// Rotating returns what runs in a batch. No pass and all passes run in all tiers. One of the other
// sets is checked by the evaluator, and in one of four batches also by a tier.
func Rotating(batch uint64) []Part {
	n := uint64(len(each))
	other := Part{Set: each[batch%n]}
	if round := batch / n; (batch+round)%4 == 0 {
		other.Engines = engines[round/4%uint64(len(engines)):][:1]
	}
	return []Part{{Set: passes.None, Engines: engines}, {Set: passes.All, Engines: engines}, other}
}

// Everything returns all sets in all tiers.
func Everything(uint64) (list []Part) {
	for _, s := range append([]passes.Set{passes.None, passes.All}, each...) {
		list = append(list, Part{Set: s, Engines: engines})
	}
	return list
}

// Compare runs a batch. It returns the first row of each way in which a program differs.
func (c *Comparer) Compare(b *Batch) (list []*Difference, err error) {
	sets := c.Sets
	if sets == nil {
		sets = Rotating
	}
	mod := b.Module()
	if c.Verify {
		if err := ir.VerifyModule(mod); err != nil {
			return nil, err
		}
	}
	want, gas, err := b.evaluate(mod)
	if err != nil {
		return nil, fmt.Errorf("evaluator: %w", err)
	}
	for i, part := range sets(c.batches) {
		if i > 0 {
			mod = b.Module()
		}
		if err := part.Set.RunModule(mod, c.Verify); err != nil {
			return nil, fmt.Errorf("%s: %w", part.Set.Name, err)
		}
		if part.Change != nil {
			part.Change(mod)
		}
		if part.Set.Name != passes.None.Name {
			got, used, err := b.evaluate(mod)
			if err == nil && used != gas {
				err = fmt.Errorf("gas %d, %d without passes", used, gas)
			}
			if err != nil {
				return nil, fmt.Errorf("evaluator, %s: %w", part.Set.Name, err)
			}
			list = append(list, b.differences(got, want, evaluator, part.Set.Name)...)
			c.Runs += int64(len(b.Programs))
		}
		for _, e := range part.Engines {
			got, used, err := e.run(mod, c.Verify)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", e.name, part.Set.Name, err)
			}
			found := b.differences(got, want, e.name, part.Set.Name)
			if used != gas && len(found) == 0 {
				return nil, fmt.Errorf("%s, %s: gas %d, want %d", e.name, part.Set.Name, used, gas)
			}
			list = append(list, found...)
			c.Runs += int64(len(b.Programs))
		}
	}
	c.batches++
	c.Programs += int64(len(b.Programs))
	return list, nil
}

// evaluate returns the memory for results, and the gas including that of the loops over rows.
func (b *Batch) evaluate(mod *ir.Module) (mem []byte, gas int64, err error) {
	e := irtest.NewEval(mod)
	guard := mod.Entry.Module.Func(int(mod.Entry.Index + 1))
	for _, s := range b.spans {
		for i := range b.rows {
			e.Steps = 0
			at := b.resultsAddr() + s.at + s.stride*int64(i)
			_, err := e.Call(guard, []uint64{uint64(s.fn.Index), uint64(rowsAddr + rowBytes*int64(i)), uint64(at)})
			if trap := (*irtest.Trap)(nil); errors.As(err, &trap) {
				// The effect of the trap's function, which the evaluator does not call.
				binary.LittleEndian.PutUint64(e.Mem[at-ir.DataBase:], trapped)
			} else if err != nil {
				return nil, 0, err
			}
		}
	}
	gas = e.Gas + int64(len(b.spans)*(len(b.rows)+1)*loopGas)
	return e.Mem[b.resultsAddr()-ir.DataBase:][:b.bytes], gas, nil
}

// run returns the memory for results and the gas used.
func (e *engine) run(mod *ir.Module, verify bool) (mem []byte, gas int64, err error) {
	vm, err := rt.New(mod, rt.Config{})
	if err != nil {
		return nil, 0, err
	}
	defer vm.Close()
	m, err := e.start(vm, verify)
	if err != nil {
		return nil, 0, err
	}
	if st := m.Run(); st != rt.Exit {
		return nil, 0, fmt.Errorf("status %d: %v", st, vm.Finish(st))
	}
	mem, ok := vm.Space.Bytes(ir.DataBase, uint64(len(mod.Data)))
	if !ok {
		return nil, 0, errors.New("the results are not in memory")
	}
	return bytes.Clone(mem), m.GasUsed(), nil
}

// differences finds the programs with different results.
func (b *Batch) differences(got, want []byte, engine, set string) (list []*Difference) {
	got = got[len(got)-int(b.bytes):]
	if bytes.Equal(got, want) {
		return nil
	}
	for _, s := range b.spans {
		at := s.at
		if n := s.stride * int64(len(b.rows)); bytes.Equal(got[at:at+n], want[at:at+n]) {
			continue
		}
		told := map[int]bool{}
		for i := range b.rows {
			for k := range s.n {
				p := b.Programs[s.first+k]
				n := (p.Bytes() + 7) &^ 7
				if g, w := got[at:at+n], want[at:at+n]; !told[k] && !bytes.Equal(g, w) {
					told[k] = true
					list = append(list, &Difference{p, set, engine, b.Packing, b.rows[i], bytes.Clone(g), bytes.Clone(w)})
				}
				at += n
			}
		}
	}
	return list
}
