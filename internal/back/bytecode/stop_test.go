package bytecode

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// A compilation ends when the run that wants it ends; others still get the code.
func TestCompilationStops(t *testing.T) {
	const n = 4000
	var b strings.Builder
	b.WriteString("func @f (i64) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n  v1 = const i64 3\n")
	for i := range n {
		fmt.Fprintf(&b, "  v%d = mul i64 v%d v0\n", i+2, i+1)
	}
	fmt.Fprintf(&b, "  ret v%d\n}\n", n+1)
	program := func() *Module {
		mod, err := ir.ParseModule(b.String())
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewModule(nil, mod)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want, err := program().Compile(1)
	if err != nil {
		t.Fatal(err)
	}
	p := program()
	done := make(chan struct{})
	close(done)
	for range 3 {
		if _, err := p.CompileUntil(1, done); !errors.Is(err, cancel.ErrStopped) {
			t.Fatalf("error %v", err)
		}
	}
	// It stops at every place where it may end.
	asked, stop := 0, 0
	try := func() (fc *FuncCode, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = r.(error)
			}
		}()
		return maker{p}.Make(p.Mod.Func(1), func() bool { asked++; return asked > stop })
	}
	p.Mod.Func(1).Settle()
	for ; ; stop++ {
		asked = 0
		fc, err := try()
		if err == nil {
			if !slices.Equal(fc.Code, want.Code) {
				t.Error("the code is another one")
			}
			break
		}
		if !errors.Is(err, cancel.ErrStopped) || asked != stop+1 {
			t.Fatalf("error %v, asked %d times, told to stop at %d", err, asked, stop+1)
		}
	}
	if least := 3 * n / cancel.Every; asked < least {
		t.Errorf("asked %d times during %d operations, want %d", asked, n, least)
	}
	// A run that waits for another's compilation waits no longer than its context.
	p.code.Busy.Lock(nil)
	if _, err := p.CompileUntil(1, done); !errors.Is(err, cancel.ErrStopped) {
		t.Errorf("error %v", err)
	}
	p.code.Busy.Unlock()
	if fc, err := p.CompileUntil(1, make(chan struct{})); err != nil || !slices.Equal(fc.Code, want.Code) {
		t.Errorf("another code, %v", err)
	}
}
