package bytecode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// TestHugeSignatures: calls with the most parameters and results that the verifier allows have
// sound code.
func TestHugeSignatures(t *testing.T) {
	for _, n := range []int{100, 40_000, 65_536} {
		var text strings.Builder
		params := strings.TrimSuffix(strings.Repeat("i64, ", n), ", ")
		fmt.Fprintf(&text, "entry @main\nfunc @main #1 () -> () {\nb0:\n  v1 = const i64 1\n  v2 = call i64 @f%s : (%s) -> (%s)\n  v3 = result i64 v2 [%d]\n  v4 = callindex i64 v3%s : (%s) -> (%s)\n  ret\n}\n",
			strings.Repeat(" v1", n), params, params, n-1, strings.Repeat(" v1", n), params, params)
		fmt.Fprintf(&text, "func @f #2 (%s) -> (%s) {\nb0:\n  v1 = arg i64 [%d]\n  ret%s\n}\n", params, params, n-1, strings.Repeat(" v1", n))
		m, err := ir.ParseModule(text.String())
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.VerifyModule(m); err != nil {
			t.Fatal(err)
		}
		p, err := NewModule(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Funcs()[1:] {
			fc, err := p.Compile(int32(i) + 1)
			if err == nil {
				err = fc.Verify()
			}
			if err != nil {
				t.Errorf("%d: %s: %v", n, m.Func(i+1).Name, err)
			}
		}
	}
}
