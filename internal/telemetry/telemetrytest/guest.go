// Package telemetrytest has exporters observe a guest that does a bit of everything: their tests say
// what each must have told.
package telemetrytest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const source = `package lib

import "example.com/host/kv"

func Add(a, b int) int { return a + b }

// Read reads a key n times.
func Read(n int) int {
	for range n {
		kv.Get("a")
	}
	return n
}

func Miss() error {
	_, err := kv.Get("")
	return err
}

func Alloc(n int) []byte { return make([]byte, n) }

func Spin() {
	for {
	}
}

func Panic(text string) { panic(text) }
`

// Compile compiles the guest. Get, unless it is nil, is told the context of a call of kv.Get.
func Compile(tb testing.TB, hooks *gyr.Hooks, get func(context.Context)) *gyr.Program {
	tb.Helper()
	kv := gyr.HostPackage{Path: "example.com/host/kv", Source: "package kv\n\nfunc Get(key string) (string, error)\n", Funcs: map[string]any{
		"Get": func(ctx context.Context, key string) (string, error) {
			if get != nil {
				get(ctx)
			}
			if key == "" {
				return "", errors.New("no such key: a secret")
			}
			return "value", nil
		},
	}}
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(source)}}, Exports: true},
		&gyr.CompileOptions{Host: []gyr.HostPackage{kv}, Hooks: hooks})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Run has hooks told of
//
//   - two compilations, one with an error of the kind compile;
//   - two instances made, one with an error of the kind config, and two resets, of which the second
//     begins as a copy; two initialisations;
//   - calls: Read three times, with 3, 0 and 1 calls of kv.Get; Miss, which fails with an error of the
//     guest, as kv.Get in it does with another one; Alloc, of 10,000 bytes; Panic; Spin, with 10,000
//     units of gas, which ends with the kind gas and is a limit.
//
// It returns the figures of all calls together.
func Run(tb testing.TB, ctx context.Context, hooks *gyr.Hooks) (sum gyr.CallStats) {
	tb.Helper()
	p := Compile(tb, hooks, nil)
	if _, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte("package lib\n\nvar x int = nil\n")}}, Exports: true},
		&gyr.CompileOptions{Hooks: hooks}); err == nil {
		tb.Fatal("it compiles")
	}
	cfg := gyr.Config{Hooks: hooks}
	if _, err := p.NewInstance(ctx, gyr.Config{Hooks: hooks, Gas: -1}); err == nil {
		tb.Fatal("no error")
	}
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	call := func(kind, name string, opts gyr.CallOptions, args ...any) {
		tb.Helper()
		_, s, err := in.CallWith(ctx, opts, name, args...)
		if got := gyr.Kind(err); got != kind {
			tb.Fatalf("%s: %s (%v), want %s", name, got, err, kind)
		}
		sum.Gas, sum.Mallocs, sum.AllocBytes = sum.Gas+s.Gas, sum.Mallocs+s.Mallocs, sum.AllocBytes+s.AllocBytes
	}
	reset := func() {
		tb.Helper()
		if err := in.Reset(cfg); err != nil {
			tb.Fatal(err)
		}
	}
	call("ok", "Read", gyr.CallOptions{}, 3)
	call("guest", "Miss", gyr.CallOptions{})
	call("ok", "Alloc", gyr.CallOptions{}, 10_000)
	call("panic", "Panic", gyr.CallOptions{}, "a secret")
	reset()
	call("ok", "Read", gyr.CallOptions{}, 0)
	call("gas", "Spin", gyr.CallOptions{Gas: 10_000})
	reset()
	call("ok", "Read", gyr.CallOptions{}, 1)
	return sum
}

// Goroutines and calls of each by Concurrent.
const (
	Goroutines = 8
	CallsEach  = 50
)

// Concurrent calls Read(2), from Goroutines goroutines CallsEach times each, with instances of a pool
// that observe may see. Each call gets an instance. While tells that it goes on.
func Concurrent(tb testing.TB, hooks *gyr.Hooks, observe func(*gyr.Pool), while func()) {
	tb.Helper()
	ctx := context.Background()
	pool, err := gyr.NewPool(ctx, Compile(tb, hooks, nil), gyr.PoolConfig{Config: gyr.Config{Hooks: hooks}, MaxLive: 4, ResetAtGet: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer pool.Close()
	observe(pool)
	read, err := gyr.PoolFuncOf[struct{ N int }, struct{ N int }](ctx, pool, "Read")
	if err != nil {
		tb.Fatal(err)
	}
	var all sync.WaitGroup
	for range Goroutines {
		all.Go(func() {
			for range CallsEach {
				if _, err := read.Call(ctx, struct{ N int }{2}); err != nil {
					tb.Error(err)
				}
				while()
			}
		})
	}
	all.Wait()
}

// Bench measures a call of a small function of numbers, and a call with 100 calls of the host, with
// hooks.
func Bench(b *testing.B, hooks *gyr.Hooks) {
	ctx := context.Background()
	in, err := Compile(b, nil, nil).NewInstance(ctx, gyr.Config{Hooks: hooks})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	b.Run("call", func(b *testing.B) {
		add, err := gyr.FuncOf[struct{ A, B int }, struct{ Sum int }](ctx, in, "Add")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := add.Call(ctx, struct{ A, B int }{1, 2}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("100hostcalls", func(b *testing.B) {
		read, err := gyr.FuncOf[struct{ N int }, struct{ N int }](ctx, in, "Read")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := read.Call(ctx, struct{ N int }{100}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
