package ir

import (
	"fmt"
	"strings"
	"testing"
)

// liveText prints the sets of a function: recovery, entry, then its safepoints in order.
func liveText(l *LocalLive, f *Func) string {
	text := func(set int32) string {
		var s []string
		l.Each(set, nil, func(from, to int32) { s = append(s, fmt.Sprintf("%d-%d", from, to-1)) })
		return "[" + strings.Join(s, " ") + "]"
	}
	out := text(l.Recover) + text(l.Entry) + ":"
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(Safepoint) {
				out += text(l.setAt(v))
			}
		}
	}
	return out
}

const localsHead = `
data 16
func @user (ptr) -> () {
b0:
  ret
}
`

func TestLocalLive(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"up to the last use", `
  local 0 "x" size 24 align 8 ptrs 0x5
b0:
  v1 = localaddr ptr [0]
  gasloop [1]
  clear v1 [24]
  gasloop [2]
  call @user v1 : (ptr) -> ()
  ret
`, "[][]:[][0-1][]"},
		{"a word that is overwritten", `
  local 0 "x" size 24 align 8 ptrs 0x7
b0:
  v0 = const ptr 0
  v1 = localaddr ptr [0]
  clear v1 [24]
  gasloop [1]
  v2 = const i64 8
  v3 = ptradd ptr v1 v2
  store v3 v0 [0]
  gasloop [2]
  call @user v3 : (ptr) -> ()
  ret
`, "[][]:[0-0 2-2][0-2][]"},
		{"half a word stays", `
  local 0 "x" size 8 align 8 ptrs 0x1
b0:
  v0 = const i32 0
  v1 = localaddr ptr [0]
  gasloop [1]
  store v1 v0 [0]
  v3 = load ptr v1 [0]
  call @user v3 : (ptr) -> ()
  ret
`, "[][0-0]:[0-0][]"},
		{"a choice keeps nothing alive by itself", `
  local 0 "x" size 8 align 8 ptrs 0x1
  local 1 "y" size 8 align 8 ptrs 0x1
b0:
  v1 = localaddr ptr [0]
  v2 = localaddr ptr [1]
  clear v1 [8]
  clear v2 [8]
  gasloop [1]
  v3 = const i8 1
  v4 = select ptr v3 v1 v2
  gasloop [2]
  v5 = load ptr v4 [0]
  ret
`, "[][]:[0-1][]"},
		{"a loop", `
  local 0 "x" size 8 align 8 ptrs 0x1
  local 1 "y" size 8 align 8 ptrs 0x1
b0:
  v1 = localaddr ptr [0]
  v2 = localaddr ptr [1]
  clear v2 [8]
  jump b1
b1: <- b0 b2
  gasloop [1]
  v3 = const i8 1
  if v3 b2 b3
b2: <- b1
  clear v1 [8]
  gasloop [2]
  call @user v1 : (ptr) -> ()
  call @user v2 : (ptr) -> ()
  jump b1
b3: <- b1
  ret
`, "[][]:[1-1][0-1][1-1][1-1]"},
		{"not a use: comparing the address, checking it, storing to it", `
  local 0 "x" size 16 align 8 ptrs 0x3
b0:
  v1 = localaddr ptr [0]
  v2 = const ptr 0
  gasloop [1]
  nilcheck v1
  v3 = eq i8 v1 v2
  v4 = const i64 5
  v5 = ptridx ptr v1 v4 [0, 0]
  store v5 v2 [0]
  ret
`, "[][]:[]"},
		{"moves", `
  local 0 "x" size 8 align 8 ptrs 0x1
  local 1 "y" size 8 align 8 ptrs 0x1
b0:
  v1 = localaddr ptr [0]
  v2 = localaddr ptr [1]
  clear v1 [8]
  gasloop [1]
  move v2 v1 [8]
  gasloop [2]
  call @user v2 : (ptr) -> ()
  ret
`, "[][]:[0-0][1-1][]"},
	} {
		mod, err := ParseModule(localsHead + "func @f () -> () {" + c.text + "}\nentry @f\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := mod.Func(2)
		if err := Verify(f); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := liveText(newLocalLive(f), f); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A value that the recovery block reads is live wherever a panic may begin.
func TestLocalLiveRecovery(t *testing.T) {
	mod, err := ParseModule(localsHead + `func @f () -> () flags hasdefer {
  recover b2
  local 0 "result" size 16 align 8 ptrs 0x3
  local 1 "other" size 8 align 8 ptrs 0x1
b0:
  v1 = localaddr ptr [0]
  v2 = localaddr ptr [1]
  gasloop [1]
  clear v1 [16]
  clear v2 [8]
  gasloop [2]
  call @user v2 : (ptr) -> ()
  ret
b2:
  v5 = localaddr ptr [0]
  v6 = load ptr v5 [8]
  call @user v6 : (ptr) -> ()
  ret
}
entry @f
`)
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Func(2)
	if got, want := liveText(newLocalLive(f), f), "[0-1][0-1]:[0-1][0-2][0-1][0-1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Many pointers in a local count as one.
func TestLocalLiveArray(t *testing.T) {
	mod, err := ParseModule(localsHead + `func @f () -> () {
  local 0 "x" size 8 align 8 ptrs 0x1
  local 1 "array" size 400 align 8 ptrs 0x3ffffffffffff
b0:
  v1 = localaddr ptr [1]
  v2 = const ptr 0
  gasloop [1]
  store v1 v2 [0]
  gasloop [2]
  clear v1 [400]
  gasloop [3]
  call @user v1 : (ptr) -> ()
  ret
}
entry @f
`)
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Func(2)
	if got, want := liveText(newLocalLive(f), f), "[][]:[][][1-1][]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestClearLocals: a function that is too large for the analysis clears its locals with pointers
// before the first safepoint, by operations that are charged before they run, if the function is
// charged at all.
func TestClearLocals(t *testing.T) {
	const locals, blocks, before = 1 << 16, maxLiveBits>>15 + 1, 77777 // before is the function's own charge
	for _, paid := range []bool{true, false} {
		var text strings.Builder
		text.WriteString(localsHead + "func @f () -> () {\n")
		for i := range locals {
			fmt.Fprintf(&text, "  local %d \"x\" size %d align 8\n", i, 8+16*(i%10))
		}
		for i := range blocks {
			if i == 0 {
				text.WriteString("b0:\n")
			} else {
				fmt.Fprintf(&text, "b%d: <- b%d\n", i, i-1)
			}
			if i == 0 && paid {
				fmt.Fprintf(&text, "  gas [%d]\n", before)
			}
			if i == 0 {
				text.WriteString("  v1 = localaddr ptr [0]\n  call @user v1 : (ptr) -> ()\n")
			}
			if i < blocks-1 {
				fmt.Fprintf(&text, "  jump b%d\n", i+1)
			}
		}
		mod, err := ParseModule(text.String() + "  ret\n}\nentry @f\n")
		if err != nil {
			t.Fatal(err)
		}
		f := mod.Func(2)
		want := int64(0)
		for i := range f.Locals {
			if l := &f.Locals[i]; i%3 > 0 {
				l.Ptrs = []uint64{1}
				want += ClearPrice(l.Size)
			}
		}
		f.FixRoots()
		if l := f.LocalLive; !l.all || l.Entry != 0 || !l.Holds(l.Recover, locals-2) {
			t.Fatalf("paid %v: all %v, entry %d", paid, l.all, l.Entry)
		}
		cleared, charged, due, charges := map[int64]bool{}, int64(0), int64(0), int64(0)
		for _, v := range f.Entry.Values {
			if v.HasEffect(Safepoint) {
				break
			}
			switch {
			case v.Op == OpGas && v.Aux != before:
				charged += 10 * v.Aux
				charges++
			case v.Op == OpClear:
				n := v.Args[0].Aux
				if v.Aux != f.Locals[n].Size || cleared[n] {
					t.Fatalf("%d bytes of local %d are cleared", v.Aux, n)
				}
				cleared[n] = true
				if due += ClearPrice(v.Aux); paid && due > charged {
					t.Fatalf("paid %v: local %d is cleared before it is charged", paid, n)
				}
			}
		}
		for n := range f.Locals {
			if cleared[int64(n)] != (n%3 > 0) {
				t.Fatalf("paid %v: local %d: cleared %v", paid, n, cleared[int64(n)])
			}
		}
		if due != want || !paid && charges > 0 || paid && (charged > want+10*charges || charges > want*32/clearBatch) {
			t.Errorf("paid %v: %d charged in %d for %d", paid, charged, charges, want)
		}
		if err := Verify(f); err != nil {
			t.Error(err)
		}
	}
}
