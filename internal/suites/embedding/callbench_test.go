package embedding_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

// BenchmarkCallForms measures the cost of each form of call of a guest function, with a Writer that
// may block: the processor time of a call, and the host's allocations.
func BenchmarkCallForms(b *testing.B) {
	p := compileLibrary(b, library+"\ntype Order struct {\n\tItem string\n\tCount int\n}\n\nfunc Price(o Order) int { return o.Count * len(o.Item) }\n")
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		ctx := context.Background()
		timed, cancel := context.WithTimeout(ctx, time.Hour)
		b.Cleanup(cancel)
		in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier, Stdout: streamFunc(func(p []byte) (int, error) { return len(p), nil })})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { in.Close() })
		add, err := gyr.FuncOf[pair, sum](ctx, in, "Add")
		if err != nil {
			b.Fatal(err)
		}
		var bound func(a, b int) (int, error)
		var boundCtx func(ctx context.Context, a, b int) (int, error)
		var figures func(a, b int) (int, gyr.CallStats, error)
		var join func(sep string, parts []string) (string, error)
		for name, f := range map[string]any{"Add": &bound, "Join": &join} {
			if err := in.Bind(ctx, name, f); err != nil {
				b.Fatal(err)
			}
		}
		if err := errors.Join(in.Bind(ctx, "Add", &boundCtx), in.Bind(ctx, "Add", &figures)); err != nil {
			b.Fatal(err)
		}
		var price func(o struct {
			Item  string
			Count int
		}) (int, error)
		if err := in.Bind(ctx, "Price", &price); err != nil {
			b.Fatal(err)
		}
		order := struct {
			Item  string
			Count int
		}{"tea", 2}
		parts := []string{"a", "b"}
		// The cost of package reflect for a function of this type, whatever the function does.
		var empty func(a, b int) (int, error)
		zero := []reflect.Value{reflect.Zero(reflect.TypeFor[int]()), reflect.Zero(reflect.TypeFor[error]())}
		reflect.ValueOf(&empty).Elem().Set(reflect.MakeFunc(reflect.TypeOf(empty), func([]reflect.Value) []reflect.Value { return zero }))
		for _, c := range []struct {
			name string
			call func() error
		}{
			{"Func", func() error { _, err := add.Call(ctx, pair{1, 2}); return err }},
			{"Func-context", func() error { _, err := add.Call(timed, pair{1, 2}); return err }},
			{"Func-gas", func() error {
				_, _, err := add.CallWith(ctx, gyr.CallOptions{Gas: 1 << 20}, pair{1, 2})
				return err
			}},
			{"Func-limits", func() error {
				_, _, err := add.CallWith(ctx, gyr.CallOptions{Gas: 1 << 20, Memory: 1 << 20, Timeout: time.Hour}, pair{1, 2})
				return err
			}},
			{"Func-fresh-context", func() error {
				ctx, cancel := context.WithTimeout(ctx, time.Hour)
				defer cancel()
				_, err := add.Call(ctx, pair{1, 2})
				return err
			}},
			{"fresh-context-alone", func() error {
				ctx, cancel := context.WithTimeout(ctx, time.Hour)
				defer cancel()
				return ctx.Err()
			}},
			{"MakeFunc-alone", func() error { _, err := empty(1, 2); return err }},
			{"Bind", func() error { _, err := bound(1, 2); return err }},
			{"Bind-context", func() error { _, err := boundCtx(timed, 1, 2); return err }},
			{"Bind-figures", func() error { _, _, err := figures(1, 2); return err }},
			{"Bind-struct", func() error { _, err := price(order); return err }},
			{"Bind-strings", func() error { _, err := join("-", parts); return err }},
			{"Call", func() error { _, err := in.Call(ctx, "Add", 1, 2); return err }},
		} {
			b.Run(string(tier)+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				cpu := cpuTime()
				for b.Loop() {
					if err := c.call(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
