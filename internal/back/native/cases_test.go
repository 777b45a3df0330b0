//go:build unix

package native

import (
	"fmt"
	"strings"
	"testing"
)

// cases are modules that were once compiled wrong.
var cases = []struct{ name, text string }{
	// The sum of pointer and offset has another use, so not all operations between the access
	// and v0 can be part of the access: then none is.
	{"an address of which one part is used elsewhere", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 3
  v3 = call ptr @f v1 v2 : (ptr, i64) -> (ptr)
  store v1 v3 [256]
  ret
}
func @f (ptr, i64) -> (ptr) {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = const i64 24
  v3 = ptradd ptr v0 v2
  v4 = ptridx ptr v3 v1 [8, 0]
  v5 = const i64 77
  store v4 v5 [0]
  ret v3
}`},
	// The sum changes nothing but the upper half of the register, which the division reads.
	{"a sum of 32 bits with 0", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0x500000007
  call @f v1 v2 : (ptr, i64) -> ()
  ret
}
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = trunc i32 v1
  v3 = const i32 0
  v4 = add i32 v2 v3
  v5 = const i32 7
  v6 = divu i32 v4 v5
  store v0 v6 [0]
  ret
}`},
	// On a processor whose shifts take the count in one register, both operands are in it.
	{"a value shifted by itself, and without its own bits", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 -3
  v3 = const i64 5
  call @f v1 v2 : (ptr, i64) -> ()
  v4 = const ptr 0x10040
  call @f v4 v3 : (ptr, i64) -> ()
  ret
}
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = shrs i64 v1 v1
  store v0 v2 [0]
  v3 = shru i64 v1 v1
  store v0 v3 [8]
  v4 = shl i64 v1 v1
  store v0 v4 [16]
  v5 = andnot i64 v1 v1
  store v0 v5 [24]
  ret
}`},
	// The other operand of an update was a load that the addition had already folded.
	{"an update by what is loaded", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 40
  v3 = const i64 2
  store v1 v2 [256]
  store v1 v3 [264]
  call @f v1 : (ptr) -> ()
  ret
}
func @f (ptr) -> () {
b0:
  v0 = arg ptr [0]
  v1 = load i64 v0 [256]
  v2 = load i64 v0 [264]
  v3 = add i64 v1 v2
  store v0 v3 [256]
  ret
}`},
	// Several accesses read the sums, at scales that no access has. The floats are compared two
	// at a time on the way to memory: NaNs with other bits are among them.
	{"accesses that share a sum", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0xfff8000000000000
  v3 = const i64 0x3ff8000000000000
  v4 = const i64 0xfff8000000000000
  v5 = const i64 0x7ff0000000000000
  store v1 v2 [256]
  store v1 v3 [264]
  store v1 v4 [280]
  store v1 v5 [288]
  store v1 v3 [304]
  store v1 v4 [328]
  store v1 v5 [344]
  store v1 v2 [376]
  v6 = const i64 256
  v7 = ptradd ptr v1 v6
  v8 = const i64 5
  v9 = const ptr 0x10200
  call @f v7 v9 v8 : (ptr, ptr, i64) -> ()
  ret
}
func @f (ptr, ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg ptr [1]
  v2 = arg i64 [2]
  v3 = const i64 0
  v4 = const i64 1
  jump b1
b1: <- b0 b2
  v5 = phi i64 v3 v6
  v7 = lts i8 v5 v2
  if v7 b2 b3
b2: <- b1
  v6 = add i64 v5 v4
  v8 = ptridx ptr v0 v5 [24, 0]
  v9 = ptridx ptr v1 v5 [24, 8]
  v10 = load f64 v8 [0]
  v11 = load f64 v8 [8]
  v12 = load f64 v8 [16]
  v13 = fadd f64 v10 v11
  v14 = fsub f64 v11 v12
  store v9 v13 [0]
  store v9 v14 [8]
  store v8 v11 [0]
  store v8 v10 [8]
  store v9 v12 [16]
  v15 = ptridx ptr v1 v5 [8, 0]
  v16 = load i64 v15 [1024]
  v17 = add i64 v16 v5
  store v15 v17 [1024]
  jump b1
b3: <- b1
  ret
}`},
	// The loaded memory is overwritten before the addition, and sums are stored elsewhere than
	// an operand was loaded from: neither load is a memory operand, neither sum an update.
	{"loads that are no operands", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 40
  v3 = const i64 2
  store v1 v2 [256]
  store v1 v3 [264]
  v4 = const i64 512
  v5 = ptradd ptr v1 v4
  call @f v1 v5 v3 : (ptr, ptr, i64) -> ()
  ret
}
func @f (ptr, ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg ptr [1]
  v2 = arg i64 [2]
  v3 = load i64 v0 [256]
  store v0 v2 [256]
  v4 = add i64 v2 v3
  store v0 v4 [272]
  v5 = load i64 v0 [264]
  v6 = add i64 v5 v2
  store v1 v6 [264]
  v7 = load i64 v0 [264]
  v8 = add i64 v7 v2
  store v0 v8 [280]
  v9 = load i64 v0 [264]
  store v1 v2 [0]
  v10 = ltu i8 v9 v2
  if v10 b1 b2
b1: <- b0
  store v0 v9 [288]
  ret
b2: <- b0
  store v0 v2 [296]
  ret
}`},
	// The constant of an index is part of the displacement, if only addresses read the sum. v9 has another
	// reader, v17 is the address itself, v21 has a scale that no access has.
	{"indexes that are sums with constants", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 20
  call @f v1 v2 : (ptr, i64) -> ()
  v3 = const i64 7
  call @f v1 v3 : (ptr, i64) -> ()
  ret
}
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = const i64 -3
  v3 = const i64 4
  v4 = const i64 -5
  v5 = add i64 v1 v2
  v6 = ptridx ptr v0 v5 [8, 256]
  store v6 v1 [0]
  v7 = ptridx ptr v0 v5 [8, 512]
  v8 = load i64 v6 [0]
  store v7 v8 [8]
  v9 = add i64 v1 v3
  v10 = ptridx ptr v0 v9 [8, 1024]
  store v10 v9 [0]
  v11 = add i64 v1 v4
  v12 = ptradd ptr v0 v11
  v13 = load i64 v12 [256]
  store v0 v13 [1600]
  v15 = add i64 v1 v2
  v16 = ptridx ptr v0 v15 [4, 2048]
  v17 = ptrtoint i64 v16
  store v16 v17 [0]
  v20 = add i64 v1 v4
  v21 = ptridx ptr v0 v20 [24, 4096]
  store v21 v8 [0]
  store v21 v13 [8]
  ret
}`},
	// Quotients of a number by the same divisor are shared with remainders: not those of other signs, widths
	// or divisors.
	{"quotients and remainders of one number", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0x123456789abcdef0
  v3 = const i64 -7777777777
  call @f v1 v2 : (ptr, i64) -> ()
  v4 = const ptr 0x10400
  call @f v4 v3 : (ptr, i64) -> ()
  ret
}
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = trunc i32 v1
  v3 = const i64 7
  v4 = rems i64 v1 v3
  store v0 v4 [0]
  v5 = divs i64 v1 v3
  store v0 v5 [8]
  v6 = divu i64 v1 v3
  store v0 v6 [16]
  v7 = remu i64 v1 v3
  store v0 v7 [24]
  v8 = rems i64 v1 v3
  store v0 v8 [32]
  v9 = const i64 -7
  v10 = rems i64 v1 v9
  store v0 v10 [40]
  v11 = divs i64 v1 v9
  store v0 v11 [48]
  v12 = divu i64 v1 v9
  store v0 v12 [56]
  v13 = remu i64 v1 v9
  store v0 v13 [64]
  v14 = rems i64 v1 v9
  store v0 v14 [72]
  v15 = const i64 10
  v16 = rems i64 v1 v15
  store v0 v16 [80]
  v17 = divs i64 v1 v15
  store v0 v17 [88]
  v18 = divu i64 v1 v15
  store v0 v18 [96]
  v19 = remu i64 v1 v15
  store v0 v19 [104]
  v20 = rems i64 v1 v15
  store v0 v20 [112]
  v21 = const i64 12
  v22 = rems i64 v1 v21
  store v0 v22 [120]
  v23 = divs i64 v1 v21
  store v0 v23 [128]
  v24 = divu i64 v1 v21
  store v0 v24 [136]
  v25 = remu i64 v1 v21
  store v0 v25 [144]
  v26 = rems i64 v1 v21
  store v0 v26 [152]
  v27 = const i32 7
  v28 = rems i32 v2 v27
  store v0 v28 [160]
  v29 = divs i32 v2 v27
  store v0 v29 [168]
  v30 = divu i32 v2 v27
  store v0 v30 [176]
  v31 = remu i32 v2 v27
  store v0 v31 [184]
  v32 = rems i32 v2 v27
  store v0 v32 [192]
  v33 = const i32 -7
  v34 = rems i32 v2 v33
  store v0 v34 [200]
  v35 = divs i32 v2 v33
  store v0 v35 [208]
  v36 = divu i32 v2 v33
  store v0 v36 [216]
  v37 = remu i32 v2 v33
  store v0 v37 [224]
  v38 = rems i32 v2 v33
  store v0 v38 [232]
  v39 = const i32 10
  v40 = rems i32 v2 v39
  store v0 v40 [240]
  v41 = divs i32 v2 v39
  store v0 v41 [248]
  v42 = divu i32 v2 v39
  store v0 v42 [256]
  v43 = remu i32 v2 v39
  store v0 v43 [264]
  v44 = rems i32 v2 v39
  store v0 v44 [272]
  v45 = const i32 12
  v46 = rems i32 v2 v45
  store v0 v46 [280]
  v47 = divs i32 v2 v45
  store v0 v47 [288]
  v48 = divu i32 v2 v45
  store v0 v48 [296]
  v49 = remu i32 v2 v45
  store v0 v49 [304]
  v50 = rems i32 v2 v45
  store v0 v50 [312]
  ret
}`},
	// Constant addresses as high as displacements reach. The block that has them is not executed.
	{"the highest displacements", `
func @main () -> () {
b0:
  v1 = const i64 1
  call @f v1 : (i64) -> ()
  ret
}
func @f (i64) -> () {
b0:
  v0 = arg i64 [0]
  v1 = const i64 0
  v2 = eq i8 v0 v1
  if v2 b1 b2
b1: <- b0
  v3 = const ptr 0x7ffffff8
  v4 = const i64 4095
  v5 = add i64 v0 v4
  v6 = ptridx ptr v3 v5 [8, 0]
  store v6 v0 [0]
  v7 = const ptr 0x7fff7ff8
  v8 = const i64 4096
  v9 = add i64 v0 v8
  v10 = ptridx ptr v7 v9 [8, 0]
  store v10 v0 [0]
  v11 = const i64 0x1000000000000000
  v12 = add i64 v0 v11
  v13 = ptridx ptr v7 v12 [8, 0]
  store v13 v0 [0]
  jump b2
b2: <- b0 b1
  ret
}`},
	// v3 and v6 vanish, v9 has another reader, v12 is of too few bits.
	{"the lowest bit", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0
  v3 = const i64 0x1122334455667708
  v4 = const i64 -1
  call @f v1 v2 : (ptr, i64) -> ()
  v5 = const ptr 0x10080
  call @f v5 v3 : (ptr, i64) -> ()
  v6 = const ptr 0x10100
  call @f v6 v4 : (ptr, i64) -> ()
  ret
}
func @f (ptr, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = const i64 -1
  v3 = add i64 v1 v2
  v4 = and i64 v1 v3
  store v0 v4 [0]
  v5 = trunc i32 v1
  v6 = neg i32 v5
  v7 = and i32 v6 v5
  store v0 v7 [8]
  v9 = neg i64 v1
  v10 = and i64 v1 v9
  v11 = mul i64 v10 v9
  store v0 v11 [16]
  v12 = trunc i8 v1
  v13 = neg i8 v12
  v14 = and i8 v12 v13
  store v0 v14 [24]
  v15 = neg i64 v4
  v16 = and i64 v15 v1
  store v0 v16 [32]
  ret
}`},
	// A branch, a select and a check read v5, which loads its operand; two selects read v15.
	{"conditions that are read several times", `
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 40
  v3 = const i64 2
  store v1 v2 [256]
  call @f v1 v3 v2 : (ptr, i64, i64) -> ()
  v4 = const i64 400
  v5 = const ptr 0x10040
  store v5 v4 [256]
  call @f v5 v4 v2 : (ptr, i64, i64) -> ()
  ret
}
func @f (ptr, i64, i64) -> () {
b0:
  v0 = arg ptr [0]
  v1 = arg i64 [1]
  v2 = arg i64 [2]
  v3 = load i64 v0 [256]
  v5 = ltu i8 v1 v3
  if v5 b1 b2
b1: <- b0
  store v0 v2 [256]
  v6 = select i64 v5 v1 v2
  store v0 v6 [264]
  check v5 [shift]
  v7 = rotl i64 v6 v2
  v8 = const i64 13
  v9 = rotl i64 v1 v8
  v10 = xor i64 v6 v9
  v11 = rotl i64 v9 v8
  v12 = add i64 v10 v7
  v13 = xor i64 v11 v12
  store v0 v13 [272]
  ret
b2: <- b0
  v14 = select i64 v5 v1 v2
  store v0 v14 [280]
  v15 = lts i8 v1 v2
  v16 = select i64 v15 v1 v2
  v17 = select i64 v15 v2 v1
  v18 = sub i64 v16 v17
  store v0 v18 [288]
  v19 = trunc i32 v1
  v20 = const i64 9
  v21 = rotl i32 v19 v20
  v22 = xor i32 v21 v19
  store v0 v22 [296]
  ret
}`},
	{"loads as operands", operandLoads()},
	{"a frame of more than a stack begins with", bigFrame(600)},
	{"a frame of 80 KiB", bigFrame(10_000)},
}

// operandLoads returns a module whose function f has every operation with a memory operand:
// comparisons and arithmetic of all sizes with the load on either side, with constants, selected
// and stored, and updates.
func operandLoads() string {
	var b strings.Builder
	n := 0
	value := func(format string, args ...any) int {
		fmt.Fprintf(&b, "  v%d = %s\n", n, fmt.Sprintf(format, args...))
		n++
		return n - 1
	}
	b.WriteString("func @main () -> () {\nb0:\n")
	p := value("const ptr 0x10000")
	for i, x := range []uint64{0x8081_8283_8485_8687, 0x0102_0304_0506_0708, 0x3ff8_0000_3fc0_0000, 0x4004_0000_4020_0000} {
		fmt.Fprintf(&b, "  store v%d v%d [%d]\n", p, value("const i64 %d", int64(x)), 8*i)
	}
	fmt.Fprintf(&b, "  call @f v%d : (ptr) -> ()\n  ret\n}\nfunc @f (ptr) -> () {\nb0:\n", p)
	n = 0
	p = value("arg ptr [0]")
	at := 64
	store := func(v int) {
		fmt.Fprintf(&b, "  store v%d v%d [%d]\n", p, v, at)
		at += 8
	}
	for _, t := range []string{"i8", "i16", "i32", "i64"} {
		for _, op := range []string{"eq", "ne", "lts", "les", "ltu", "leu", "add", "sub", "mul", "and", "or", "xor"} {
			r := t
			if op[0] == 'e' || op[0] == 'n' || op[0] == 'l' {
				r = "i8"
			}
			other := value("load %s v%d [8]", t, p)
			kept := value("xor %s v%d v%d", t, other, other)
			store(value("%s %s v%d v%d", op, r, value("load %s v%d [0]", t, p), kept))
			store(value("%s %s v%d v%d", op, r, kept, value("load %s v%d [0]", t, p)))
			store(value("%s %s v%d v%d", op, r, value("load %s v%d [0]", t, p), value("const %s 5", t)))
			store(value("%s %s v%d v%d", op, r, value("const %s -7", t), value("load %s v%d [8]", t, p)))
			store(value("%s %s v%d v%d", op, r, value("load %s v%d [0]", t, p), value("load %s v%d [8]", t, p)))
			if r == t { // an update
				for _, y := range []int{kept, value("const %s 3", t), value("load %s v%d [16]", t, p)} {
					fmt.Fprintf(&b, "  store v%d v%d [%d]\n", p, value("%s %s v%d v%d", op, r, value("load %s v%d [0]", t, p), y), 0)
				}
			}
		}
	}
	for i, t := range []string{"f32", "f64"} {
		for _, op := range []string{"feq", "fne", "flt", "fle", "fadd", "fsub", "fmul", "fdiv"} {
			r := t
			if op[1] == 'e' || op[1] == 'n' || op[1] == 'l' {
				r = "i8"
			}
			kept := value("fsqrt %s v%d", t, value("load %s v%d [%d]", t, p, 16+4*i))
			store(value("%s %s v%d v%d", op, r, value("load %s v%d [24]", t, p), kept))
			store(value("%s %s v%d v%d", op, r, kept, value("load %s v%d [24]", t, p)))
			store(value("%s %s v%d v%d", op, r, value("load %s v%d [16]", t, p), value("load %s v%d [24]", t, p)))
		}
	}
	b.WriteString("  ret\n}")
	return b.String()
}

// bigFrame returns a module whose recursive function has n values that live across its call.
func bigFrame(n int) string {
	var b strings.Builder
	b.WriteString(`
func @main () -> () {
b0:
  v1 = const i64 3
  v2 = const i64 5
  v3 = call i64 @f v1 v2 v1 v2 v1 v2 v1 v2 v1 v2 v1 v2 : (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64) -> (i64)
  v4 = const ptr 0x10000
  store v4 v3 [256]
  ret
}
func @f (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64) -> (i64) {
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [11]
  v2 = const i64 0
  v3 = eq i8 v0 v2
  if v3 b1 b2
b1: <- b0
  ret v1
b2: <- b0
  v4 = const i64 1
  v5 = sub i64 v0 v4
  v6 = add i64 v1 v0
`)
	at := 7
	for i := range n {
		fmt.Fprintf(&b, "  v%d = mul i64 v%d v%d\n", at+i, at+i-1, 5+i%2)
	}
	call, sum := at+n, at+n
	fmt.Fprintf(&b, "  v%d = call i64 @f v5 v5 v5 v5 v5 v5 v5 v5 v5 v5 v5 v6 : (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64) -> (i64)\n", call)
	for i := range n {
		fmt.Fprintf(&b, "  v%d = xor i64 v%d v%d\n", sum+1, sum, at+i)
		sum++
	}
	fmt.Fprintf(&b, "  ret v%d\n}", sum)
	return b.String()
}

// TestCases compares them with the naive evaluator, for guests with and without package unsafe.
func TestCases(t *testing.T) {
	needsCode(t)
	for _, c := range cases {
		for _, i := range []int{0, 2} {
			t.Run(c.name, func(t *testing.T) { started.TestText(t, c.text, i) })
		}
	}
}
