package rt

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cancel"
)

// A gate is a Writer and a Reader that announces each call and returns when told to.
type gate struct {
	entered chan []byte
	leave   chan func()
}

func newGate() *gate { return &gate{make(chan []byte, 1), make(chan func(), 1)} }

func (g *gate) Write(p []byte) (int, error) {
	g.entered <- p
	if f := <-g.leave; f != nil {
		f()
	}
	return len(p), nil
}

func (g *gate) Read(p []byte) (int, error) { return g.Write(p) }

// write is a run that writes once.
func write(vm *VM) func() Status {
	return func() Status {
		_, st := call(vm, "write", 1, scratchAt, 5)
		if st != OK {
			return st
		}
		return Exit
	}
}

// read is a run that reads once, through the system interface.
func read(t *testing.T, vm *VM) func() Status {
	put32(t, vm, scratchAt, scratchAt+100)
	put32(t, vm, scratchAt+4, 8)
	return func() Status {
		_, st := call(vm, "wasi_snapshot_preview1.fd_read", 0, scratchAt, 1, scratchAt+200)
		if st != OK {
			return st
		}
		return Exit
	}
}

func put32(t *testing.T, vm *VM, at uint64, v uint32) {
	t.Helper()
	b, ok := vm.Space.Bytes(at, 4)
	if !ok {
		t.Fatalf("no memory at %#x", at)
	}
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

// TestTheContextEndsABlockedCall: the run ends although the host's Reader or Writer does not
// return, and the instance can be closed. An abandoned call that returns later still has its
// memory, and ends.
func TestTheContextEndsABlockedCall(t *testing.T) {
	for name, c := range map[string]struct {
		config func(g *gate) Config
		run    func(vm *VM) func() Status
	}{
		"write": {func(g *gate) Config { return Config{Config: api.Config{Stdout: g}} }, write},
		"read":  {func(g *gate) Config { return Config{Config: api.Config{Stdin: g}} }, func(vm *VM) func() Status { return read(t, vm) }},
	} {
		for _, order := range []string{"reset", "close first", "return first", "reset, long", "close first, long", "return first, long"} {
			t.Run(name+", "+order, func(t *testing.T) {
				order, kind, _ := strings.Cut(order, ", ")
				long := kind == "long"
				g := newGate()
				cfg := c.config(g)
				ctx, cancel := context.WithCancelCause(context.Background())
				cfg.Context = ctx
				vm, _ := newVM(t, cfg)
				var p []byte
				go func() { p = <-g.entered; cancel(io.ErrNoProgress) }()
				if st := vm.Supervise(long, c.run(vm)); st != Interrupted {
					t.Fatalf("status %d", st)
				}
				var d *api.DeadlineError
				if err := vm.Finish(Interrupted); !errors.As(err, &d) || !errors.Is(err, io.ErrNoProgress) {
					t.Errorf("%v", err)
				}
				if err := vm.Reset(Config{}); err == nil {
					t.Error("reset while the call holds the memory")
				}
				over := vm.super.finished
				touch := func() { p[0]++; p[len(p)-1]++ } // faults if the memory is gone
				switch order {
				case "reset":
					g.leave <- touch
					<-over
					if err := vm.Reset(Config{}); err != nil {
						t.Error(err)
					}
				case "close first":
					if err := vm.Close(); err != nil {
						t.Error(err)
					}
					g.leave <- touch
					<-over
				case "return first":
					g.leave <- touch
					<-over
					if err := vm.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestAPanicLeftBehind: a panic of an abandoned call is dropped.
func TestAPanicLeftBehind(t *testing.T) {
	g := newGate()
	stop := NewStop()
	vm, _ := newVM(t, Config{Config: api.Config{Stdout: g}, Setup: Setup{Stop: stop}})
	go func() { <-g.entered; stop.Ask() }()
	if st := vm.Supervise(true, write(vm)); st != Interrupted || vm.Finish(st).(*api.DeadlineError).Err != ErrStopped {
		t.Fatalf("status %d, %v", st, vm.Err)
	}
	over := vm.LeftBehind()
	if over == nil {
		t.Fatal("nothing is left behind")
	}
	if err := vm.Close(); err != nil {
		t.Error(err)
	}
	g.leave <- func() { panic("oops") }
	<-over
}

// TestStop: a Stop ends runs that nothing else can end, between host calls and while they sleep.
func TestStop(t *testing.T) {
	stop := NewStop()
	vm, _ := newVM(t, Config{Config: api.Config{Realtime: true, Stdout: writerFunc(func(p []byte) (int, error) { stop.Ask(); return len(p), nil })}, Setup: Setup{Stop: stop}})
	if st := write(vm)(); st != Exit {
		t.Fatalf("status %d", st)
	}
	for name, f := range map[string]func() Status{"poll": vm.Poll, "write": write(vm), "idle": func() Status { return vm.Idle(1 << 62) }} {
		if st := f(); st != Interrupted || vm.Err != ErrStopped {
			t.Errorf("%s: status %d, %v", name, st, vm.Err)
		}
	}
	if done, over := vm.Until(); !cancel.Asked(done) {
		t.Error("work goes on")
	} else {
		over()
	}
	stop = NewStop()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	vm, _ = newVM(t, Config{Config: api.Config{Realtime: true}, Setup: Setup{Stop: stop, Context: ctx}})
	done, over := vm.Until()
	if cancel.Asked(done) {
		t.Error("work ends at once")
	}
	time.AfterFunc(time.Millisecond, stop.Ask)
	if st := vm.Idle(1 << 62); st != Interrupted {
		t.Errorf("status %d", st)
	}
	<-done
	over()
}

// TestSupervisedRunsGoOn: calls that return leave no trace, and a context that has ended prevents
// the next call.
func TestSupervisedRunsGoOn(t *testing.T) {
	g := newGate()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	vm, _ := newVM(t, Config{Config: api.Config{Stdout: g}, Setup: Setup{Context: ctx}})
	for i, long := range []bool{false, true, false, false, false, false, false, false, false} { // after many calls, the next run is like a long one
		for range 1 + i%2 {
			go func() { <-g.entered; g.leave <- nil }()
		}
		if st := vm.Supervise(long, func() Status {
			for range i % 2 {
				write(vm)()
			}
			return write(vm)()
		}); st != Exit {
			t.Fatalf("status %d", st)
		}
	}
	st := vm.Supervise(false, func() Status {
		cancel()
		return write(vm)()
	})
	if st != Interrupted {
		t.Errorf("status %d after the context ended", st)
	}
	select {
	case <-g.entered:
		t.Error("Write was called after the context ended")
	default:
	}
}

// TestWritersThatPanic: a panic of the host's code ends the run with an error, supervised or not.
// Its Goexit ends the goroutine that started the run.
func TestWritersThatPanic(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	oops := errors.New("oops")
	for i, c := range []Config{{Setup: Setup{Context: ctx}}, {}, {Setup: Setup{Context: ctx}}} {
		long := i == 2
		c.Stdout = writerFunc(func([]byte) (int, error) { panic(oops) })
		vm, _ := newVM(t, c)
		if st := vm.Supervise(long, write(vm)); st != Failed {
			t.Errorf("status %d", st)
		}
		err := vm.Finish(Failed)
		var h *api.HostError
		var p *api.HostPanicError
		if !errors.As(err, &h) || h.Op != "Config.Stdout" || !errors.As(err, &p) || p.Method != "Write" || !errors.Is(err, oops) || !strings.Contains(string(p.Stack), "writerFunc.Write") {
			t.Errorf("%v", err)
		}
	}
	for _, long := range []bool{false, true} {
		vm, _ := newVM(t, Config{Config: api.Config{Stdout: writerFunc(func([]byte) (int, error) { runtime.Goexit(); return 0, nil })}, Setup: Setup{Context: ctx}})
		ended := make(chan bool)
		go func() {
			returned := false
			defer func() { ended <- returned }()
			vm.Supervise(long, write(vm))
			returned = true
		}()
		if <-ended {
			t.Error("Supervise returned")
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSupervisedAtRandom ends contexts at random moments around calls.
func TestSupervisedAtRandom(t *testing.T) {
	for i := range 300 {
		ctx, cancel := context.WithCancel(context.Background())
		vm, _ := newVM(t, Config{Config: api.Config{Stdout: writerFunc(func(p []byte) (int, error) { runtime.Gosched(); return len(p), nil })}, Setup: Setup{Context: ctx}})
		go func() {
			if i%2 == 0 {
				time.Sleep(time.Duration(i) * time.Microsecond)
			}
			cancel()
		}()
		run := write(vm)
		st := vm.Supervise(i%3 == 0, func() Status {
			for {
				if st := run(); st != Exit {
					return st
				}
			}
		})
		if st != Interrupted {
			t.Fatalf("status %d", st)
		}
		vm.Close()
	}
}
