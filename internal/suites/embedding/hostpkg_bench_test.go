package embedding_test

import (
	"context"
	"testing"

	"github.com/gyrvm/gyr"
)

// BenchmarkHostCalls measures calls of the host by the guest: ns/call is the time of one call.
func BenchmarkHostCalls(b *testing.B) {
	host := gyr.HostPackage{
		Path: "example.com/host",
		Source: `package host
func Fast(a, b int) int
func Plain(a, b int) int
func FastText(s string, p []byte) int
func BorrowedText(s string, p []byte) int
func PlainText(s string, p []byte) int
func Bytes(n int) []byte
func Back(f func(int) int) int
`,
		Funcs: map[string]any{
			"Fast":  gyr.Fast(func(_ context.Context, a *struct{ A, B int }, r *struct{ R int }) error { r.R = a.A + a.B; return nil }),
			"Plain": func(a, b int) int { return a + b },
			"FastText": gyr.Fast(func(_ context.Context, a *struct {
				S string
				P []byte
			}, r *struct{ R int }) error {
				r.R = len(a.S) + len(a.P)
				return nil
			}),
			"BorrowedText": gyr.HostFunc{Borrows: true, Func: gyr.Fast(func(_ context.Context, a *struct {
				S string
				P []byte
			}, r *struct{ R int }) error {
				r.R = len(a.S) + len(a.P)
				return nil
			})},
			"PlainText": func(s string, p []byte) int { return len(s) + len(p) },
			"Bytes":     func(n int) []byte { return make([]byte, n) },
			"Back":      func(f func(int) int) int { return f(1) },
		},
	}
	p := compileHost(b, `package guest

import "example.com/host"

var text, data = string(make([]byte, 100)), make([]byte, 100)

func Fast(n int) (s int)      { for i := range n { s += host.Fast(i, 1) }; return s }
func Plain(n int) (s int)     { for i := range n { s += host.Plain(i, 1) }; return s }
func FastText(n int) (s int)  { for range n { s += host.FastText(text, data) }; return s }
func BorrowedText(n int) (s int)  { for range n { s += host.BorrowedText(text, data) }; return s }
func PlainText(n int) (s int) { for range n { s += host.PlainText(text, data) }; return s }
func Bytes(n int) (s int)     { for range n { s += len(host.Bytes(100)) }; return s }
func Back(n int) (s int)      { for range n { s += host.Back(func(i int) int { return i + n }) }; return s }
`, true, host)
	for _, name := range []string{"Fast", "Plain", "FastText", "BorrowedText", "PlainText", "Bytes", "Back"} {
		b.Run(name, func(b *testing.B) {
			in, err := p.NewInstance(context.Background(), gyr.Config{Gas: 1 << 60})
			if err != nil {
				b.Fatal(err)
			}
			defer in.Close()
			f, err := gyr.FuncOf[struct{ N int }, struct{ S int }](context.Background(), in, name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			before := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/call") }()
			if _, err := f.Call(context.Background(), struct{ N int }{b.N}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
