package embedding_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

func tiers() []gyr.Tier {
	return []gyr.Tier{gyr.TierInterp, gyr.TierNative}
}

// instanceIn makes an instance in a tier. It returns nil if the machine does not have the tier.
func instanceIn(t testing.TB, p *gyr.Program, tier gyr.Tier) *gyr.Instance {
	t.Helper()
	if tier == gyr.TierNative && p.NativeError() != nil {
		return nil
	}
	in, err := p.NewInstance(t.Context(), gyr.Config{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

func TestFunc(t *testing.T) {
	p := compileLibrary(t, library)
	ctx := context.Background()
	for _, tier := range tiers() {
		in := instanceIn(t, p, tier)
		if in == nil {
			continue
		}
		type numbers struct {
			B   bool
			I8  int8
			U16 uint16
			I32 int32
			U64 uint64
			F   float32
			G   float64
			C   complex64
			S   string
		}
		echo, err := gyr.FuncOf[numbers, numbers](ctx, in, "Echo")
		if err != nil {
			t.Fatal(err)
		}
		type moved struct{ P hostPoint }
		move, err := gyr.FuncOf[struct {
			P  hostPoint
			By [2]int
		}, moved](ctx, in, "Move")
		if err != nil {
			t.Fatal(err)
		}
		type nothing = struct{}
		calls, err := gyr.FuncOf[nothing, struct{ N int }](ctx, in, "Calls")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			want := numbers{true, -8, 65535, -1, 1 << 63, 1.5, 2.5, 1 + 2i, "text"}
			for _, want := range []numbers{want, {}, want} {
				if got, err := echo.Call(ctx, want); err != nil || got != want {
					t.Errorf("%s: %v, %v", tier, got, err)
				}
			}
			args := struct {
				P  hostPoint
				By [2]int
			}{hostPoint{1, 2, "p", []string{"a"}}, [2]int{10, 20}}
			for range 2 {
				if got, err := move.Call(ctx, args); err != nil || got.P.X != 11 || strings.Join(got.P.Tags, " ") != "a moved" {
					t.Errorf("%s: %v, %v", tier, got, err)
				}
				args.P.Name = ""
				var guest *gyr.GuestError
				if got, err := move.Call(ctx, args); !errors.As(err, &guest) || guest.Text != "no name" || got.P.X != 0 {
					t.Errorf("%s: %v, %v", tier, got, err)
				}
				args.P.Name = "q"
			}
			if got, err := calls.Call(ctx, nothing{}); err != nil || got.N != 0 {
				t.Errorf("%s: %v, %v", tier, got, err)
			}
			// They remain valid after a reset.
			if err := in.Reset(gyr.Config{Tier: tier}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := gyr.FuncOf[nothing, nothing](ctx, in, "Calls"); err == nil {
			t.Error("a result is missing")
		}
		if _, err := gyr.FuncOf[struct{ A, B string }, struct{ N int }](ctx, in, "Add"); err == nil {
			t.Error("strings for numbers")
		}
		if _, err := gyr.FuncOf[struct{ a, b int }, struct{ N int }](ctx, in, "Add"); err == nil {
			t.Error("fields that are not exported")
		}
		if _, err := gyr.FuncOf[int, struct{ N int }](ctx, in, "Add"); err == nil {
			t.Error("an int for a struct")
		}
		if _, err := gyr.FuncOf[nothing, nothing](ctx, in, "Absent"); err == nil {
			t.Error("no such function")
		}
		exit, err := gyr.FuncOf[struct{ Code int }, nothing](ctx, in, "Exit")
		if err != nil {
			t.Fatal(err)
		}
		var status *gyr.ExitError
		if _, err := exit.Call(ctx, struct{ Code int }{3}); !errors.As(err, &status) {
			t.Errorf("%s: %v", tier, err)
		}
		if _, err := exit.Call(ctx, struct{ Code int }{3}); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &status) {
			t.Errorf("%s: %v", tier, err)
		}
	}
}

// A call with numbers allocates nothing in the host or the guest.
func TestFuncAllocatesNothing(t *testing.T) {
	p := compileLibrary(t, library)
	ctx := context.Background()
	for _, tier := range tiers() {
		in := instanceIn(t, p, tier)
		if in == nil {
			continue
		}
		add, err := gyr.FuncOf[struct{ A, B int }, struct{ Sum int }](ctx, in, "Add")
		if err != nil {
			t.Fatal(err)
		}
		call := func() {
			if r, err := add.Call(ctx, struct{ A, B int }{40, 2}); err != nil || r.Sum != 42 {
				t.Fatal(r, err)
			}
		}
		call()
		before := in.Stats().Mallocs
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations of the host", tier, n)
		}
		if n := in.Stats().Mallocs - before; n != 0 {
			t.Errorf("%s: %d allocations of the guest", tier, n)
		}
	}
}
