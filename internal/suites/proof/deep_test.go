package proof

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

var deepSize = flag.Int("deep", 2000, "size of the functions of TestDeep")

// deepShapes are programs that are deep, long or wide, by size.
var deepShapes = map[string]func(w *strings.Builder, n int){
	"operations": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n")
		for i := range n {
			fmt.Fprintf(w, "  v%d = %s i64 v%d v0\n", i+1, []string{"add", "mul", "xor"}[i%3], i)
		}
		fmt.Fprintf(w, "  ret v%d\n}\n", n)
	},
	"addresses": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (ptr, i64) -> (i64) {\nb0:\n  v0 = arg ptr [0]\n  v1 = arg i64 [1]\n")
		for i := range n {
			from := i + 1
			if i == 0 {
				from = 0
			}
			fmt.Fprintf(w, "  v%d = ptradd ptr v%d v1\n", i+2, from)
		}
		fmt.Fprintf(w, "  v%d = load i64 v%d [0]\n  ret v%d\n}\n", n+2, n+1, n+2)
	},
	"blocks": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64, ptr) -> () {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg ptr [1]\n  jump b1\n")
		for i := range n {
			fmt.Fprintf(w, "b%d: <- b%d\n  store v1 v0 [%d]\n  jump b%d\n", i+1, i, i*8, i+2)
		}
		fmt.Fprintf(w, "b%d: <- b%d\n  ret\n}\n", n+1, n)
	},
	"branches": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64, ptr) -> () {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg ptr [1]\n  jump b1\n")
		for i := range n {
			from := fmt.Sprintf("b%d", 3*i)
			if i > 0 {
				from = fmt.Sprintf("b%d b%d", 3*i-1, 3*i)
			}
			fmt.Fprintf(w, "b%d: <- %s\n  v%d = const i64 %d\n  v%d = lts i8 v0 v%d\n  if v%d b%d b%d\n", 3*i+1, from, 2*i+2, i, 2*i+3, 2*i+2, 2*i+3, 3*i+2, 3*i+3)
			fmt.Fprintf(w, "b%d: <- b%d\n  store v1 v0 [0]\n  jump b%d\nb%d: <- b%d\n  jump b%d\n", 3*i+2, 3*i+1, 3*i+4, 3*i+3, 3*i+1, 3*i+4)
		}
		fmt.Fprintf(w, "b%d: <- b%d b%d\n  ret\n}\n", 3*n+1, 3*n-1, 3*n)
	},
	"loops": func(w *strings.Builder, n int) { // behind one another, each with two ways out, each going on from the last one's counter
		fmt.Fprint(w, "func @f #1 (i64, ptr) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg ptr [1]\n  v2 = const i64 1\n  jump b1\n")
		last := 0
		for i := range n {
			b, v := 3*i+1, 5*i+3
			fmt.Fprintf(w, "b%d: <- b%d b%d\n  v%d = phi i64 v%d v%d\n  v%d = lts i8 v%d v0\n  if v%d b%d b%d\n", b, b-1, b+1, v, last, v+4, v+1, v, v+1, b+1, b+2)
			fmt.Fprintf(w, "b%d: <- b%d\n  v%d = load i64 v1 [0]\n  v%d = eq i8 v%d v%d\n  v%d = add i64 v%d v2\n  if v%d b%d b%d\n", b+1, b, v+2, v+3, v+2, v, v+4, v, v+3, b+2, b)
			fmt.Fprintf(w, "b%d: <- b%d b%d\n  jump b%d\n", b+2, b, b+1, b+3)
			last = v
		}
		fmt.Fprintf(w, "b%d: <- b%d\n  ret v%d\n}\n", 3*n+1, 3*n, last)
	},
	"nested": func(w *strings.Builder, n int) { // loops in loops
		fmt.Fprint(w, "func @f #1 (i8) -> () {\nb0:\n  v0 = arg i8 [0]\n  jump b1\n")
		for i := range n {
			fmt.Fprintf(w, "b%d: <- b%d b%d\n  jump b%d\n", i+1, i, 2*n-i, i+2)
		}
		for i := range n {
			fmt.Fprintf(w, "b%d: <- b%d\n  if v0 b%d b%d\n", n+1+i, n+i, n-i, n+2+i)
		}
		fmt.Fprintf(w, "b%d: <- b%d\n  ret\n}\n", 2*n+1, 2*n)
	},
	"calls": func(w *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(w, "func @f%d #%d () -> () {\nb0:\n  call @f%d : () -> ()\n  ret\n}\n", i+1, i+1, i+2)
		}
		fmt.Fprintf(w, "func @f%d #%d () -> () {\nb0:\n  ret\n}\n", n+1, n+1)
	},
	"doubling": func(w *strings.Builder, n int) { // each function calls the next twice
		for i := range min(n, 60) {
			fmt.Fprintf(w, "func @f%d #%d () -> () {\nb0:\n  call @f%d : () -> ()\n  call @f%d : () -> ()\n  ret\n}\n", i+1, i+1, i+2, i+2)
		}
		fmt.Fprintf(w, "func @f%d #%d () -> () {\nb0:\n  ret\n}\n", min(n, 60)+1, min(n, 60)+1)
	},
	"cases": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64) -> () {\nb0:\n  v0 = arg i64 [0]\n  switch v0")
		for i := range n {
			fmt.Fprintf(w, " %d: b%d", i*i, 1+i%2)
		}
		fmt.Fprint(w, " default b3\n")
		for b := range 2 {
			fmt.Fprintf(w, "b%d: <-%s\n  ret\n", b+1, strings.Repeat(" b0", (n+1-b)/2))
		}
		fmt.Fprint(w, "b3: <- b0\n  ret\n}\n")
	},
	"locals": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64) -> () {\n")
		for i := range n {
			fmt.Fprintf(w, "  local %d \"\" size 16 align 8 ptrs 0x1\n", i)
		}
		fmt.Fprint(w, "b0:\n  v0 = arg i64 [0]\n")
		for i := range n {
			fmt.Fprintf(w, "  v%d = localaddr ptr [%d]\n  store v%d v0 [8]\n  call @g v%d : (ptr) -> ()\n", i+1, i, i+1, i+1)
		}
		fmt.Fprint(w, "  ret\n}\nfunc @g #2 (ptr) -> () flags noinline {\nb0:\n  v0 = arg ptr [0]\n  store v0 v0 [0]\n  ret\n}\n")
	},
	"phis": func(w *strings.Builder, n int) {
		fmt.Fprint(w, "func @f #1 (i64, i8) -> () {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg i8 [1]\n  jump b1\nb1: <- b0 b1\n")
		for i := range n {
			fmt.Fprintf(w, "  v%d = phi i64 v0 v%d\n", i+2, (i+1)%n+2)
		}
		fmt.Fprint(w, "  if v1 b1 b2\nb2: <- b1\n  ret\n}\n")
	},
}

// TestDeep: deep, long or wide programs pass all stages in memory and time bounded by their size.
// The test has no clock: unbounded work does not end.
func TestDeep(t *testing.T) {
	n := *deepSize
	for name, shape := range deepShapes {
		t.Run(name, func(t *testing.T) {
			var w strings.Builder
			shape(&w, n)
			m, err := ir.ParseModule(w.String())
			if err != nil {
				t.Fatal(err)
			}
			m.Layouts = []ir.Layout{{}}
			start := time.Now()
			step := func(what string, err error) {
				if err != nil {
					t.Fatal(what, err)
				}
				t.Log(what, time.Since(start))
				start = time.Now()
			}
			step("verify", ir.VerifyModule(m))
			step("gas", gas.Place(m))
			before := values(m)
			step("phase A", opt.PhaseA(m, nil))
			if after := values(m); after > 20*before+2<<20 {
				t.Errorf("%d values became %d", before, after)
			}
			p, err := bytecode.NewModule(nil, m)
			step("program", err)
			p.Opts.Prepare = func(f *ir.Func, _ <-chan struct{}) error {
				return opt.PhaseB(f, &opt.Options{Trace: func(pass string, f *ir.Func, d time.Duration) {
					if d > 100*time.Millisecond {
						t.Log(pass, d)
					}
				}})
			}
			for i := range m.Funcs()[1:] {
				if _, err := p.Compile(int32(i + 1)); err != nil {
					t.Fatal(err)
				}
			}
			step("phase B, code", nil)
		})
	}
}

func values(m *ir.Module) (n int) {
	for _, f := range m.Funcs()[1:] {
		for _, b := range f.Blocks {
			n += len(b.Values)
		}
	}
	return n
}
