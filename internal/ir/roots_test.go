package ir

import (
	"fmt"
	"strings"
	"testing"
)

const rootsHead = `
data 16
host 0 "h" (ptr) -> (i64)
func @fresh () -> (ptr) {
b0:
  v0 = new ptr [0, 8]
  ret v0
}
func @two () -> (ptr, ptr) {
b0:
  v0 = new ptr [0, 8]
  ret v0 v0
}
func @use (ptr) -> () {
b0:
  ret
}
`

// keeps prints the operands of every keep of f, in order.
func keeps(f *Func) string {
	var s []string
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == OpKeep {
				k := fmt.Sprint(v.Args)
				if v.Aux == KeepEntry {
					k = "entry" + k
				}
				s = append(s, k)
			}
		}
	}
	return strings.Join(s, " ")
}

func TestFixRoots(t *testing.T) {
	for _, c := range []struct{ name, sig, text, want string }{
		{"operands of the call are not live", "()", `
b0:
  v0 = call ptr @fresh : () -> (ptr)
  call @use v0 : (ptr) -> ()
  ret
`, ""},
		{"but those of a function of the host", "()", `
b0:
  v0 = call ptr @fresh : () -> (ptr)
  v1 = host i64 v0 [0] : (ptr) -> (i64)
  ret
`, "[v0]"},
		{"used later", "()", `
b0:
  v0 = call ptr @fresh : () -> (ptr)
  v1 = call ptr @fresh : () -> (ptr)
  call @use v0 : (ptr) -> ()
  ret
`, "[v0]"},
		{"bases, each once, no constants", "()", `
b0:
  v0 = call ptr @fresh : () -> (ptr)
  v5 = const i64 8
  v1 = ptradd ptr v0 v5
  v2 = ptradd ptr v1 v5
  v3 = const ptr 65536
  call @use v0 : (ptr) -> ()
  call @use v1 : (ptr) -> ()
  call @use v2 : (ptr) -> ()
  call @use v3 : (ptr) -> ()
  ret
`, "[v0] [v0]"},
		{"behind the results", "()", `
b0:
  v0 = call ptr @fresh : () -> (ptr)
  v1 = call ptr @two : () -> (ptr, ptr)
  v2 = result ptr v1 [1]
  call @use v1 : (ptr) -> ()
  call @use v2 : (ptr) -> ()
  call @use v0 : (ptr) -> ()
  ret
`, "[v0] [v0 v2] [v0]"},
		{"parameters", "(ptr, ptr)", `
b0:
  v0 = arg ptr [0]
  v1 = arg ptr [1]
  call @use v1 : (ptr) -> ()
  ret
`, "entry[v1]"},
		{"loops and phis", "(ptr, i8)", `
b0:
  v0 = arg ptr [0]
  v1 = arg i8 [1]
  jump b1
b1: <- b0 b2
  v2 = phi ptr v0 v3
  gasloop [1]
  if v1 b2 b3
b2: <- b1
  v3 = call ptr @fresh : () -> (ptr)
  jump b1
b3: <- b1
  call @use v2 : (ptr) -> ()
  ret
`, "entry[v0] [v2]"},
		{"locals are not kept", "()", `
  local 0 "x" size 8 align 8 ptrs 0x1
b0:
  v0 = localaddr ptr [0]
  call @use v0 : (ptr) -> ()
  call @use v0 : (ptr) -> ()
  ret
`, ""},
	} {
		mod, err := ParseModule(rootsHead + "func @f " + c.sig + " -> () {" + c.text + "}\nentry @f\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f := mod.Func(mod.NumFuncs() - 1)
		for range 2 { // the second time changes nothing
			f.FixRoots()
			if err := Verify(f); err != nil {
				t.Errorf("%s: %v\n%s", c.name, err, f)
			}
			if got := keeps(f); got != c.want {
				t.Errorf("%s: %s, want %s\n%s", c.name, got, c.want, f)
			}
		}
	}
}

// With too many pointers, some become locals.
func TestFixRootsDemotes(t *testing.T) {
	const n = 700
	var b strings.Builder
	b.WriteString(rootsHead + "func @f (i8) -> () {\nb0:\n  v9999 = arg i8 [0]\n")
	for i := range n {
		fmt.Fprintf(&b, "  v%d = call ptr @fresh : () -> (ptr)\n", i)
	}
	b.WriteString("  jump b1\nb1: <- b0 b1\n  v9998 = phi ptr v3 v9998\n  gasloop [1]\n  if v9999 b1 b2\nb2: <- b1\n")
	for i := range n {
		fmt.Fprintf(&b, "  call @use v%d : (ptr) -> ()\n", i)
	}
	b.WriteString("  call @use v9998 : (ptr) -> ()\n  ret\n}\nentry @f\n")
	mod, err := ParseModule(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Func(mod.NumFuncs() - 1)
	f.FixRoots()
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == OpKeep {
				total += len(v.Args)
			}
		}
	}
	if total == 0 || total > maxKeep || len(f.Locals) == 0 || len(f.Locals) == n+1 {
		t.Errorf("%d operands, %d locals", total, len(f.Locals))
	}
}
