//go:build (unix && amd64) || (arm64 && (linux || darwin))

package native

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// manyBlocks is a module whose function has n conditions.
func manyBlocks(n int) string {
	var b strings.Builder
	b.WriteString("func @main () -> () {\nb0:\n  v0 = const ptr 0x10000\n  v1 = load i64 v0 [256]\n  v2 = const i64 0\n  jump b1\n")
	v := 1
	for i := range n {
		pred := fmt.Sprintf("b%d b%d", 2*i-1, 2*i)
		if i == 0 {
			pred = "b0"
		}
		// b(2i+1) tests, b(2i+2) adds.
		at := 3 + 3*i
		fmt.Fprintf(&b, "b%d: <- %s\n", 2*i+1, pred)
		if i > 0 {
			fmt.Fprintf(&b, "  v%d = phi i64 v%d v%d\n", at, v, at-1)
			v = at
		}
		fmt.Fprintf(&b, "  v%d = eq i64 v%d v2\n  if v%d b%d b%d\n", at+1, v, at+1, 2*i+3, 2*i+2)
		fmt.Fprintf(&b, "b%d: <- b%d\n  v%d = add i64 v%d v1\n  jump b%d\n", 2*i+2, 2*i+1, at+2, v, 2*i+3)
	}
	at := 3 + 3*n
	fmt.Fprintf(&b, "b%d: <- b%d b%d\n  v%d = phi i64 v%d v%d\n  store v0 v%d [256]\n  ret\n}", 2*n+1, 2*n-1, 2*n, at, v, at-1, at)
	return b.String()
}

// A compilation ends when the context of its run ends; others still get the code.
func TestCompilationStops(t *testing.T) {
	const conditions = 800
	mod, err := ir.ParseModule(manyBlocks(conditions))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewModule(nil, mod, Options{})
	if err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	close(done)
	for range 5 {
		if _, err := p.code.Compile(1, done); !errors.Is(err, cancel.ErrStopped) {
			t.Fatalf("error %v", err)
		}
	}
	// It stops at every place where it may end. The function is consistent (Func.Settle)
	// whether or not one of the five got that far: each may be next and be asked to end at the
	// same time.
	f := mod.Func(1)
	f.Settle()
	length := 0
	for n := 0; ; n++ {
		left := n // this many questions are answered no
		env := p.env
		env.Stop = func() bool { left--; return left < 0 }
		c, err := plan.Compile(thisHost.cpu, f, &env)
		if err == nil {
			length = len(c.Code)
			if least := 4 * f.NumOps() / cancel.Every; n < least {
				t.Errorf("asked %d times during %d operations, want %d", n, f.NumOps(), least)
			}
			break
		}
		if !errors.Is(err, cancel.ErrStopped) {
			t.Fatal(err)
		}
	}
	c, err := p.code.Compile(1, make(chan struct{}))
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := ir.ParseModule(manyBlocks(conditions))
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewModule(nil, fresh, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := q.Compile(1); err != nil || !bytes.Equal(want.Code, c.Code) || length != len(c.Code) {
		t.Errorf("the code is another one, %v", err)
	}
	// A run that waits for another's compilation waits no longer than its context.
	r, err := NewModule(nil, fresh, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.code.Busy.Lock(nil)
	if _, err := r.code.Compile(1, done); !errors.Is(err, cancel.ErrStopped) {
		t.Errorf("error %v", err)
	}
	r.code.Busy.Unlock()
}
