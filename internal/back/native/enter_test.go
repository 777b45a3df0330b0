//go:build (unix && amd64) || (arm64 && (linux || darwin))

package native

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// A testContext is the context page of a space.
type testContext struct{ base unsafe.Pointer }

func newTestContext(s *memory.Space) testContext {
	c := testContext{s.Base}
	c.Set(abi.Exit, uint64(exitAddress()))
	return c
}

func (c testContext) Get(off int) uint64    { return *(*uint64)(unsafe.Add(c.base, off)) }
func (c testContext) Set(off int, x uint64) { *(*uint64)(unsafe.Add(c.base, off)) = x }

// A counter runs counterCode.
type counter struct {
	t     testing.TB
	space *memory.Space
	ctx   testContext
	stack []byte
	slice uint64
	deep  int // recursion of the handler
	exits int
	panic bool
}

func newCounter(t testing.TB) *counter {
	s, err := memory.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{t: t, space: s, stack: make([]byte, 16<<10), slice: 1000}
	c.ctx = newTestContext(s)
	return c
}

func (c *counter) run(code uintptr, n uint64) uint64 {
	top := uintptr(unsafe.Pointer(&c.stack[len(c.stack)-64])) &^ 15
	c.ctx.Set(abi.PC, uint64(code))
	c.ctx.Set(abi.SP, uint64(top))
	c.ctx.Set(abi.BP, 0)
	c.ctx.Set(abi.Gas, c.slice)
	c.ctx.Set(abi.Args+8, n)
	var h Handler = c
	Enter(c.space.Base, &h)
	return c.ctx.Get(abi.Args)
}

//go:noinline
func recurse(n int) int {
	var pad [64]byte
	if n == 0 {
		return 0
	}
	return recurse(n-1) + 1 + int(pad[n%64])
}

func (c *counter) Handle() bool {
	c.exits++
	if recurse(c.deep) != c.deep {
		c.t.Error("recursion")
	}
	switch c.ctx.Get(abi.Why) {
	case 1:
		if c.panic {
			panic("out of native code")
		}
		c.ctx.Set(abi.Gas, c.slice)
		return true
	case 2:
		return false
	}
	c.t.Errorf("reason %d", c.ctx.Get(abi.Why))
	return false
}

func publish(t testing.TB, code []byte) uintptr {
	a, err := NewArena(0, 1<<20)
	if err != nil {
		t.Skip("no memory for code: ", err)
	}
	t.Cleanup(func() { a.Close() })
	at, err := a.Publish([][]byte{code}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return at[0]
}

func TestEnter(t *testing.T) {
	code := publish(t, counterCode())
	c := newCounter(t)
	defer c.space.Release()
	for _, deep := range []int{0, 10, 1000} {
		for _, n := range []uint64{0, 1, 999, 1000, 1001, 50_000} {
			c.exits, c.deep = 0, deep
			if got, want := c.run(code, n), n*(n+1)/2; got != want {
				t.Errorf("%d, want %d", got, want)
			}
			if want := int(n/(c.slice+1)) + 1; c.exits < want || c.exits > want+1 {
				t.Errorf("n=%d: %d exits, want about %d", n, c.exits, want)
			}
		}
	}
	// A panic in the handler reaches the caller; the instance can be used again.
	c.panic = true
	func() {
		defer func() {
			if r := recover(); fmt.Sprint(r) != "out of native code" {
				t.Errorf("recovered %v", r)
			}
		}()
		c.run(code, 10_000)
	}()
	c.panic = false
	if got := c.run(code, 10_000); got != 50_005_000 {
		t.Errorf("%d", got)
	}
}

// TestUnderFire runs native code beside everything that the Go runtime does to goroutines:
// collections, stack growth in handlers, signals, stack dumps.
func TestUnderFire(t *testing.T) {
	code := publish(t, counterCode())
	length := 300 * time.Millisecond
	if s := os.Getenv("GYR_FIRE"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		length = d
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	sigs := make(chan os.Signal, 16)
	signal.Notify(sigs, syscall.SIGUSR1)
	defer signal.Stop(sigs)
	var stop atomic.Bool
	var exits atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			c := newCounter(t)
			defer c.space.Release()
			for k := 0; !stop.Load(); k++ {
				c.deep = (k * 37 % 8) * 40 * (i + 1)
				if got := c.run(code, 20_000); got != 200_010_000 {
					t.Errorf("%d", got)
					return
				}
			}
			exits.Add(int64(c.exits))
		})
	}
	wg.Go(func() {
		var keep [][]byte
		for !stop.Load() {
			keep = append(keep, make([]byte, 1<<12))
			if len(keep) > 1000 {
				keep = nil
			}
		}
	})
	wg.Go(func() {
		buf := make([]byte, 1<<16)
		var m runtime.MemStats
		for !stop.Load() {
			runtime.GC()
			runtime.Stack(buf, true)
			runtime.ReadMemStats(&m)
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			time.Sleep(time.Millisecond)
		}
	})
	time.Sleep(length)
	stop.Store(true)
	wg.Wait()
	t.Logf("%d exits", exits.Load())
	if exits.Load() == 0 {
		t.Error("nothing ran")
	}
}

func TestArena(t *testing.T) {
	a, err := NewArena(0, 3*memory.HostPage)
	if err != nil {
		t.Skip(err)
	}
	for i := range 3 {
		if _, err := a.Publish([][]byte{{0xc3}}, nil); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := a.Publish([][]byte{{0xc3}}, nil); err != ErrArenaFull {
		t.Errorf("%v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Publish([][]byte{{0xc3}}, nil); err != ErrArenaFull {
		t.Errorf("%v", err)
	}
}

func BenchmarkExit(b *testing.B) {
	code := publish(b, counterCode())
	c := newCounter(b)
	defer c.space.Release()
	c.slice = 0
	c.run(code, uint64(b.N))
}

func BenchmarkEnter(b *testing.B) {
	code := publish(b, counterCode())
	c := newCounter(b)
	defer c.space.Release()
	for range b.N {
		c.run(code, 0)
	}
}
