package lazy

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

const text = `
func @main () -> () {
b0:
  ret
}
func @absent () -> () {
}
func @other () -> () {
b0:
  ret
}
entry @main
`

// A fake makes the names of functions as their code.
type fake struct {
	made    atomic.Int32
	entered [4]atomic.Int32
	make    func(stop func() bool) error
}

func (m *fake) Stored(i int32) (*string, error) { return nil, nil }
func (m *fake) Make(f *ir.Func, stop func() bool) (*string, error) {
	m.made.Add(1)
	if m.make != nil {
		if err := m.make(stop); err != nil {
			return nil, err
		}
	}
	return &f.Name, nil
}
func (m *fake) Missing(i int32, f *ir.Func) (*string, error) { return nil, errors.New("missing") }
func (m *fake) Place(c *string) error                        { return nil }
func (m *fake) Enter(i int32, c *string)                     { m.entered[i].Add(1) }

func table(t *testing.T, m *fake, bodies *Bodies) *Table[string] {
	mod, err := ir.ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	var tab Table[string]
	if err := tab.Init("fake code", m, nil, mod, bodies); err != nil {
		t.Fatal(err)
	}
	return &tab
}

// Each function is made once, after its body, however many ask for it at the same time.
func TestOnce(t *testing.T) {
	var m fake
	var mu sync.Mutex
	var steps []string
	note := func(s string) { mu.Lock(); steps = append(steps, s); mu.Unlock() }
	tab := table(t, &m, &Bodies{
		Body:    func(f *ir.Func) error { note("body " + f.Name); return nil },
		Prepare: func(f *ir.Func, _ <-chan struct{}) error { note("prepare " + f.Name); return nil },
	})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if c, err := tab.Compile(1, nil); err != nil || *c != "main" {
				t.Errorf("%v, %v", c, err)
			}
		})
	}
	wg.Wait()
	if m.made.Load() != 1 || m.entered[1].Load() != 1 || !slices.Equal(steps, []string{"body main", "prepare main"}) {
		t.Errorf("made %d times, entered %d times, %q", m.made.Load(), m.entered[1].Load(), steps)
	}
	if _, err := tab.Compile(2, nil); err == nil || tab.Code(2) != nil {
		t.Error("a function without a body has code")
	}
}

// A failure leaves nothing behind: the next request begins anew.
func TestAgain(t *testing.T) {
	failed := errors.New("failed")
	for name, test := range map[string]struct {
		make func(stop func() bool) error
		want func(error) bool
	}{
		"error": {func(func() bool) error { return failed }, func(err error) bool { return err == failed }},
		"panic": {func(func() bool) error { panic("planted") }, func(err error) bool {
			return errors.As(err, new(*api.InternalError))
		}},
		"stopped by panic": {func(func() bool) error { panic(cancel.ErrStopped) }, func(err error) bool {
			return err == cancel.ErrStopped
		}},
		"stopped": {func(stop func() bool) error {
			if stop() {
				return cancel.ErrStopped
			}
			return nil
		}, func(err error) bool { return err == cancel.ErrStopped }},
	} {
		m := fake{make: test.make}
		tab := table(t, &m, &Bodies{})
		done := make(chan struct{})
		if name == "stopped" {
			m.make = func(stop func() bool) error { close(done); return test.make(stop) }
		}
		if c, err := tab.Compile(3, done); !test.want(err) || c != nil || tab.Code(3) != nil {
			t.Errorf("%s: code %v, error %v", name, c, err)
		}
		m.make = nil
		if c, err := tab.Compile(3, nil); err != nil || *c != "other" {
			t.Errorf("%s: then %v, %v", name, c, err)
		}
	}
}

// A run that waits for another's compilation waits no longer than it lasts itself.
func TestWaits(t *testing.T) {
	tab := table(t, &fake{}, &Bodies{})
	tab.Busy.Lock(nil)
	done := make(chan struct{})
	close(done)
	if _, err := tab.Compile(1, done); err != cancel.ErrStopped {
		t.Errorf("error %v", err)
	}
	tab.Busy.Unlock()
	if _, err := tab.Compile(1, nil); err != nil {
		t.Error(err)
	}
}

// The base makes the code of its functions, for all programs that continue it.
func TestBase(t *testing.T) {
	var below fake
	base := table(t, &below, &Bodies{})
	base.Mod.Sigs = []ir.Sig{}
	for range 2 {
		var own fake
		mod := &ir.Module{Base: base.Mod}
		var tab Table[string]
		if err := tab.Init("fake code", &own, base, mod, &Bodies{}); err != nil {
			t.Fatal(err)
		}
		c, err := tab.Compile(1, nil)
		if err != nil || c != base.Code(1) || own.made.Load() != 0 || own.entered[1].Load() != 1 || below.made.Load() != 1 {
			t.Errorf("%v, %v, made %d times here and %d times by the base", c, err, own.made.Load(), below.made.Load())
		}
		if err := new(Table[string]).Init("fake code", &own, nil, mod, &Bodies{}); err == nil {
			t.Error("a module that continues a base is taken without it")
		}
	}
}
