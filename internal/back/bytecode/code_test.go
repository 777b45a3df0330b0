package bytecode_test

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestVerify: all compiled code satisfies the verifier.
func TestVerify(t *testing.T) {
	for seed := uint64(0); seed < 300; seed++ {
		mod := irtest.Random(seed, int(10+seed%100), seed%2 == 0)
		p, err := bytecode.NewModule(nil, mod)
		if err != nil {
			t.Fatal(err)
		}
		p.Opts = bytecode.Options{NoFuse: seed%5 == 1, NoCoalesce: seed%5 == 2}
		for i := range mod.Funcs()[1:] {
			fc, err := p.Compile(int32(i) + 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := fc.Verify(); err != nil {
				var sb strings.Builder
				fc.Print(&sb)
				t.Fatalf("seed %d: %v\n%s", seed, err, sb.String())
			}
		}
	}
}

// code compiles function @f of a module and prints it.
func code(t *testing.T, text string) string {
	t.Helper()
	mod, err := ir.ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	p, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	p.Opts.Lowered = true
	for _, f := range mod.Funcs() {
		if f != nil && f.Name == "f" {
			fc, err := p.Compile(f.Index)
			if err != nil {
				t.Fatal(err)
			}
			if err := fc.Verify(); err != nil {
				t.Fatal(err)
			}
			var sb strings.Builder
			if err := fc.Print(&sb); err != nil {
				t.Fatal(err)
			}
			return sb.String()
		}
	}
	t.Fatal("no function f")
	return ""
}

// golden holds the code of a few typical functions: IR, then code.
var golden = []struct{ name, ir, code string }{
	{"sum of a slice", `
func @f (ptr, i64) -> (i64) {
b0:
  v1 = arg ptr [0]
  v2 = arg i64 [1]
  v3 = const i64 0
  jump b1
b1: <- b0 b2
  v4 = phi i64 v3 v10
  v5 = phi i64 v3 v12
  gasloop [1]
  v6 = lts i8 v5 v2
  if v6 b2 b3
b2: <- b1
  gas [2]
  bounds v5 v2 [index]
  v8 = ptridx ptr v1 v5 [8, 0]
  v9 = load i64 v8 [0]
  v10 = add i64 v4 v9
  v11 = const i64 1
  v12 = add i64 v5 v11
  jump b1
b3: <- b1
  ret v4
}`, `
code f: 7 slots, frame 8, entry gas 0
    2  const      s1 0
    3  const      s4 0
    4  gasl       1  ptrs[2]
    5  lesbr      s3 s4 ->13(0,2)
    7  bloadx64   s5 s2 s4 s3 0 1
    9  add        s1 s1 s5
   10  looplts    s4 s4 s3 1 ->7(3,1)
   12  jmp        0 ->14
   13  ret1       s1 8
   14  addi       s4 s4 1
   15  jmpl       1 ->5
   16  unreachable
`},
	{"arguments go where the callee finds them", `
func @f (i64, i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  gas [4]
  v3 = add i64 v1 v2
  v4 = sub i64 v1 v2
  v5 = call i64 @g v3 v4 : (i64, i64) -> (i64)
  v6 = add i64 v5 v1
  ret v6
}
func @g (i64, i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  ret v1
}`, `
code f: 8 slots, frame 56, entry gas 4
    2  add        s5 s2 s3
    3  sub        s6 s2 s3
    4  call       3 2
    5  add        s2 s5 s2
    6  ret        56
    7  unreachable
`},
	{"operands from and to memory", `
func @f (ptr, f64) -> () {
b0:
  v1 = arg ptr [0]
  v2 = arg f64 [1]
  v3 = load f64 v1 [8]
  v4 = fmul f64 v2 v3
  v5 = load f64 v1 [16]
  v6 = fsub f64 v5 v4
  store v1 v6 [16]
  v7 = load i32 v1 [24]
  v8 = const i32 1
  v9 = add i32 v7 v8
  store v1 v9 [24]
  v10 = load i8 v1 [28]
  v11 = zext i64 v10
  v12 = const i64 100
  v13 = ltu i8 v11 v12
  if v13 b1 b2
b1: <- b0
  ret
b2: <- b0
  store v1 v2 [0]
  ret
}`, `
code f: 5 slots, frame 8, entry gas 0
    2  fmul64m    s1 s3 s2 8
    4  fsub64to   s2 s1 16
    5  add32ito   s2 1 24
    6  load8u     s1 s2 28
    7  geuibr     s1 100 ->10
    9  ret        8
   10  storef64   s2 s3 0
   11  ret        8
   12  unreachable
`},
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		t.Run(g.name, func(t *testing.T) {
			if got := code(t, g.ir); got != g.code[1:] {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestLowered: of a loop with copies of several rounds the loop as lowered is compiled. A choice that
// is made once is compiled as it is.
func TestLowered(t *testing.T) {
	const text = `
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  jump b1
b1: <- b0 b2 b3
  v2 = phi i64 v1 v5 v7
  v3 = gasleft i64 [KIND]
  v4 = const i64 20
  v9 = les i8 v4 v3
  if v9 b2 b3 likely
b2: <- b1
  v5 = sub i64 v2 v4
  store v0 v5 [0]
  jump b1
b3: <- b1
  gasloop [5]
  v6 = const i64 1
  v7 = sub i64 v2 v6
  v8 = ne i8 v7 v6
  if v8 b1 b4
b4: <- b3
  ret
}`
	for kind, asks := range map[string]bool{"0": true, "1": false} {
		got := code(t, strings.Replace(text, "KIND", kind, 1))
		if strings.Contains(got, "gasleft") != asks || strings.Contains(got, "store") != asks {
			t.Errorf("kind %s:\n%s", kind, got)
		}
	}
}
