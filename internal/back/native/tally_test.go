//go:build unix

package native

import (
	"bytes"
	"slices"
	"strings"
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
	f.FixRoots()
	f.FixFrame()
	f.SettleKeeps()
	f.Settle()
	env := &plan.Env{Notes: true, Tally: tally, SigID: func(*ir.Sig) uint32 { return 1 }, Trap: func(ir.Trap) int32 { return 0 }}
	c, err := plan.Compile(amd64.CPU{}, f, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// instructions decodes code, up to its constants, without padding.
func instructions(c *abi.Func) (list [][]byte) {
	end, at := len(c.Code), 0
	pad := func(int) bool { return false }
	for i, n := range c.Notes {
		switch n.Kind {
		case abi.NoteData:
			end = int(n.PC)
		case abi.NotePad:
			before, next := pad, int(c.Notes[i+1].PC)
			pad = func(at int) bool { return int(n.PC) <= at && at < next || before(at) }
		}
	}
	for at < end {
		n := disasm.Decode(c.Code[at:end], "", 0, nil).Len
		if !pad(at) {
			list = append(list, c.Code[at:at+n])
		}
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

// Rounds of loops begin at multiples of 32 bytes where that costs no instruction: padding follows code
// that does not lead to it.
func TestPadding(t *testing.T) {
	pads := 0
	for seed := range uint64(20) {
		for _, f := range irtest.Random(seed, 40, false).Funcs() {
			if f == nil || f.Entry == nil {
				continue
			}
			c := compileFor(t, f, nil)
			last := map[int]string{} // texts by where the next instruction begins
			for at := 0; at < len(c.Code); {
				in := disasm.Decode(c.Code[at:], "", uint64(at), func(uint64) (string, uint64) { return "", 0 })
				at += in.Len
				last[at] = in.Text
			}
			for i, n := range c.Notes {
				if n.Kind != abi.NotePad {
					continue
				}
				if at := c.Notes[i+1].PC; at%32 != 0 {
					t.Errorf("%s: a round begins at %#x", f.Name, at)
				}
				before := last[int(n.PC)]
				if op, _, _ := strings.Cut(before, " "); !slices.Contains([]string{"jmpq", "jmp", "retq", "ret", "ud2"}, op) {
					t.Errorf("%s: padding follows %q", f.Name, before)
				}
				pads++
			}
		}
	}
	if pads < 20 {
		t.Errorf("%d paddings", pads)
	}
}
