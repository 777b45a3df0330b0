package engine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

const poolProgram = `package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

var keep []byte

func main() {
	var p sync.Pool
	put := func() { p.Put(new([10]int)) }
	put()
	switch os.Args[1] {
	case "memory":
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 1000 {
			keep = make([]byte, 100<<10)
		}
		runtime.ReadMemStats(&after)
		fmt.Println(after.NumGC-before.NumGC > 5, p.Get() != nil)
	case "explicit":
		runtime.GC()
		fmt.Print(p.Get() != nil)
		put()
		runtime.GC()
		runtime.GC()
		fmt.Println(p.Get() != nil)
	case "gas":
		start := time.Now()
		for {
			x := p.Get()
			if x == nil {
				break
			}
			if p.Put(x); time.Since(start) > 20*time.Millisecond {
				fmt.Println("never")
				return
			}
		}
		fmt.Println(time.Since(start))
	case "idle":
		for i := range 3_000_000 {
			keep = keep[:i&0]
		}
		fmt.Println(p.Get() != nil)
	}
}
`

// TestPools: runtime.GC empties sync.Pools, and so do fixed amounts of gas, but not collections
// that the use of memory causes.
func TestPools(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(poolProgram), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Compile(context.Background(), Source{Patterns: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(interval int64, what string) string {
		var out bytes.Buffer
		cfg := Config{}
		cfg.Args, cfg.Stdout, cfg.Stderr = []string{what}, &out, &out
		cfg.Observer = &rt.Observer{} // so that none begins as a copy: the machine is replaced below
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		c := interp.Options{Options: exec.Options{PoolInterval: interval}}
		code, err := p.program()
		if err != nil {
			t.Fatal(err)
		}
		if in.m, err = interp.New(in.vm, code, c); err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil {
			t.Errorf("%s: %v\n%s", what, err, &out)
		}
		return out.String()
	}
	const never, often = 1 << 40, 1_000_000
	for _, c := range []struct {
		interval   int64
		what, want string
	}{
		{never, "memory", "true true\n"},
		{never, "explicit", "truefalse\n"},
		{never, "gas", "never\n"},
		{often, "explicit", "truefalse\n"},
		{never, "idle", "true\n"},
		{often, "idle", "false\n"},
	} {
		if got := run(c.interval, c.what); got != c.want {
			t.Errorf("%s, interval %d: %q, want %q", c.what, c.interval, got, c.want)
		}
	}
	// A pool that is in use keeps its objects: only two intervals without use empty it.
	if got := run(often, "gas"); got != "never\n" {
		t.Errorf("a pool in use was emptied after %s", got)
	}
}
