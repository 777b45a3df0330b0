//go:build unix && amd64

package native

import (
	"fmt"
	"strings"
	"testing"
)

// cases are modules for which wrong code was made once.
var cases = []struct{ name, text string }{
	// The sum of pointer and offset has another use, so the operations between the
	// access and v0 cannot all be part of the access: then none is.
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
	{"a frame of more than a stack begins with", bigFrame(600)},
	{"a frame of 80 KiB", bigFrame(10_000)},
}

// bigFrame is a module whose recursive function has n values that live across its call.
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
