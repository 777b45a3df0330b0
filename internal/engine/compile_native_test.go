//go:build linux && (amd64 || arm64)

package engine

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
)

// processTime returns the processor time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCompile compiles the functions of a program that uses text/template to machine code: all
// of them, and only those that a run calls. Times are processor time, including the host's garbage
// collector: that of the native compiler alone, and (ms_prepare) that of phase B, which both tiers
// need.
func BenchmarkCompile(b *testing.B) {
	for _, which := range []string{"all", "called"} {
		b.Run(which, func(b *testing.B) {
			var called []int32
			funcs, bytes := 0, int64(0)
			var prepare, compile time.Duration
			for b.Loop() {
				p, err := Compile(context.Background(), Source{Dir: "../../programs/template", NoBase: true})
				if err != nil {
					b.Fatal(err)
				}
				if err := p.NativeError(); err != nil {
					b.Skip(err)
				}
				list := called
				if list == nil {
					if which == "called" {
						cfg := Config{Config: api.Config{Tier: api.TierNative}}
						cfg.Args = []string{"10"}
						in, err := p.NewInstance(context.Background(), cfg)
						if err != nil {
							b.Fatal(err)
						}
						if err := in.Run(context.Background()); err != nil {
							b.Fatal(err)
						}
						in.Close()
					}
					for _, f := range p.mod.Funcs() {
						if f != nil && f.Entry != nil && (which == "all" || p.native.code.code.Code(f.Index) != nil) {
							called = append(called, f.Index)
						}
					}
					continue
				}
				start := processTime()
				for _, i := range list {
					if err := p.ready.prepare(p.mod.Func(int(i)), nil); err != nil {
						b.Fatal(err)
					}
				}
				prepare += processTime() - start
				start = processTime()
				for _, i := range list {
					if _, err := p.native.code.code.Compile(i); err != nil {
						b.Fatal(err)
					}
				}
				compile += processTime() - start
				n, size := p.native.code.code.Compiled()
				funcs += n
				bytes += size
			}
			if funcs == 0 {
				return
			}
			rounds := float64(funcs) / float64(len(called))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(called)), "funcs")
			b.ReportMetric(float64(prepare.Milliseconds())/rounds, "ms_prepare")
			b.ReportMetric(float64(compile.Milliseconds())/rounds, "ms_compile")
			b.ReportMetric(float64(funcs)/compile.Seconds(), "funcs/s")
			b.ReportMetric(float64(bytes)/1e6/compile.Seconds(), "MB/s")
			b.ReportMetric(float64(bytes)/float64(funcs), "B/func")
		})
	}
}
