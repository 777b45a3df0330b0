//go:build unix

package native

import (
	"bytes"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/amd64"
	"github.com/gyrvm/gyr/internal/back/native/amd64/disasm"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// Counting code behaves like other code, whatever flags and registers live across a counter.
func TestCounted(t *testing.T) {
	daily.Turn(t, 3, false)
	needsCode(t)
	counting := startWith(thisHost, true)
	t.Run("operations", func(t *testing.T) { counting.TestOperations(t, 0, false) })
	t.Run("checked", func(t *testing.T) { counting.TestOperations(t, 2, true) })
	t.Run("random", counting.TestRandom)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { counting.TestText(t, c.text, 0) })
	}
}

// Without its counters, counting code has the instructions of other code, as a decoder finds them,
// in the same order. Its blocks have all of them, once.
func TestCountedInstructions(t *testing.T) {
	n, blocks := 0, 0
	for seed := range uint64(40) {
		mod := irtest.Random(seed, 40, seed%2 == 0)
		for _, f := range mod.Funcs() {
			if f == nil || f.Entry == nil {
				continue
			}
			f.FixRoots()
			f.FixFrame()
			f.SettleKeeps()
			f.Settle()
			plain, counted := compileFor(t, f, nil), compileFor(t, f, &plan.Tally{Limit: memory.MaxCounters})
			want, got := instructions(plain), instructions(counted)
			next := int32(0)
			for _, b := range counted.Blocks {
				if b.First != next || b.Instrs <= 0 {
					t.Fatalf("%s: blocks %+v", f.Name, counted.Blocks)
				}
				next += b.Instrs
				if b.Counter >= 0 {
					blocks++
				}
			}
			if int(next) != len(want) || len(plain.Blocks) != 0 {
				t.Fatalf("%s: blocks have %d instructions, code has %d", f.Name, next, len(want))
			}
			k := 0
			for _, b := range counted.Blocks {
				if b.Counter >= 0 {
					if k+counterInstrs > len(got) || !bytes.HasPrefix(got[k], []byte{0x49, 0x89, 0x87}) {
						t.Fatalf("%s: no counter where a block begins, at instruction %d: % x", f.Name, k, got[k])
					}
					got = append(got[:k], got[k+counterInstrs:]...)
				}
				k += int(b.Instrs)
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d instructions besides the counters, want %d", f.Name, len(got), len(want))
			}
			for i := range want {
				// Distances differ.
				if !bytes.Equal(got[i], want[i]) && (got[i][0] != want[i][0] && !isJump(got[i]) || isJump(got[i]) != isJump(want[i])) {
					t.Fatalf("%s: instruction %d is % x, want % x", f.Name, i, got[i], want[i])
				}
			}
			n++
		}
	}
	if n < 40 || blocks < 10*n {
		t.Errorf("%d functions, %d blocks", n, blocks)
	}
}

// counterInstrs are the instructions of a counter.
const counterInstrs = 5

func isJump(in []byte) bool {
	return in[0] == 0xe9 || in[0] == 0xeb || in[0]&0xf0 == 0x70 || in[0] == 0x0f && in[1]&0xf0 == 0x80
}

func compileFor(t *testing.T, f *ir.Func, tally *plan.Tally) *abi.Func {
	t.Helper()
	env := &plan.Env{Notes: true, Tally: tally, SigID: func(*ir.Sig) uint32 { return 1 }, Trap: func(ir.Trap) int32 { return 0 }}
	c, err := plan.Compile(amd64.CPU{}, f, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// instructions decodes code, up to its constants.
func instructions(c *abi.Func) (list [][]byte) {
	end := len(c.Code)
	for _, n := range c.Notes {
		if n.Kind == abi.NoteData {
			end = int(n.PC)
		}
	}
	for at := 0; at < end; {
		n := disasm.Decode(c.Code[at:end], "", 0, nil).Len
		list = append(list, c.Code[at:at+n])
		at += n
	}
	return list
}

// Too many blocks are an error of the function that has them.
func TestTooManyBlocks(t *testing.T) {
	mod := irtest.Random(1, 40, false)
	f := mod.Entry
	f.FixRoots()
	f.FixFrame()
	f.SettleKeeps()
	f.Settle()
	env := &plan.Env{Tally: &plan.Tally{Limit: 2}, SigID: func(*ir.Sig) uint32 { return 1 }, Trap: func(ir.Trap) int32 { return 0 }}
	if _, err := plan.Compile(amd64.CPU{}, f, env); err == nil {
		t.Error("more blocks than there is room for")
	}
}
