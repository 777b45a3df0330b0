package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

const handleLibrary = `package lib

type Conn struct{ n uint64 }
type File uint64

func (c Conn) Number() uint64 { return c.n }

var kept []Conn

func Keep(c Conn) int { kept = append(kept, c); return len(kept) }
func Kept(i int) Conn { return kept[i] }
func Numbers() (list []uint64) { for _, c := range kept { list = append(list, c.n) }; return list }
func Forge(n uint64) Conn { return Conn{n} }
func Files(l []File, m map[string]File) ([]File, map[string]File) { return l, m }
func Plain(n uint64) uint64 { return n }
func Other(s struct{ A uint64 }) {}
func Same(f File) File { return f }
`

type conn struct {
	name   string
	closed int
	done   chan bool // if not nil, it is closed by Close
}

func (c *conn) Close() error {
	c.closed++
	if c.done != nil {
		close(c.done)
	}
	return errors.New("of Close")
}

type file struct{ name string }

func TestHandle(t *testing.T) {
	valuesIn(t, compileLibrary(t, handleLibrary), func(t *testing.T, in *gyr.Instance) {
		ctx := context.Background()
		var keep func(gyr.Handle[*conn]) (int, error)
		var kept func(int) (gyr.Handle[*conn], error)
		var forge func(uint64) (gyr.Handle[*conn], error)
		var files func([]gyr.Handle[*file], map[string]gyr.Handle[*file]) ([]gyr.Handle[*file], map[string]gyr.Handle[*file], error)
		for name, fn := range map[string]any{"Keep": &keep, "Kept": &kept, "Forge": &forge, "Files": &files} {
			if err := in.Bind(ctx, name, fn); err != nil {
				t.Fatal(err)
			}
		}
		a, b := &conn{name: "a"}, &conn{name: "b"}
		for i, c := range []*conn{a, b, a, nil} {
			h := gyr.NewHandle(c)
			if c == nil {
				h = gyr.Handle[*conn]{}
			}
			if n, err := keep(h); n != i+1 || err != nil {
				t.Fatal(n, err)
			}
			if h, err := kept(i); h.Value() != c || err != nil {
				t.Fatal(h, err)
			}
		}
		if got := call(t, in, "Numbers")[0]; fmt.Sprint(got) != "[1 2 1 0]" {
			t.Errorf("numbers %v", got)
		}
		f := gyr.NewHandle(&file{"f"})
		l, m, err := files([]gyr.Handle[*file]{f, {}, f}, map[string]gyr.Handle[*file]{"x": f})
		if err != nil || len(l) != 3 || l[0].Value() != f.Value() || l[1].Value() != nil || m["x"].Value().name != "f" {
			t.Errorf("%v, %v, %v", l, m, err)
		}
		for n, want := range map[uint64]string{
			3: "handle 3 is a *embedding_test.file, not a *embedding_test.conn", 4: "there is no handle 4", 1 << 63: "there is no handle 9223372036854775808",
		} {
			if h, err := forge(n); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v, %v", n, h, err)
			}
		}
		c := &conn{name: "c"}
		h := gyr.NewHandle(c)
		if _, err := keep(h); err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err == nil || c.closed != 1 {
			t.Errorf("%v, closed %d times", err, c.closed)
		}
		if _, err := kept(4); err == nil || !strings.Contains(err.Error(), "handle 4, a *embedding_test.conn, is closed") {
			t.Errorf("%v", err)
		}
		for name, fn := range map[string]any{
			"Plain": new(func(gyr.Handle[*conn]) (uint64, error)), "Other": new(func(gyr.Handle[*conn]) error), "Keep": new(func(uint64) (int, error)),
			"Forge": new(func(gyr.Handle[*conn]) (gyr.Handle[*conn], error)),
		} {
			if err := in.Bind(ctx, name, fn); err == nil {
				t.Errorf("%s: %T is accepted", name, fn)
			}
		}
		if _, err := in.Call(ctx, "Kept", 0); err == nil || !strings.Contains(err.Error(), "field n is not exported") {
			t.Errorf("%v", err)
		}
		if err := in.Reset(gyr.Config{Memory: 16 << 20}); err != nil {
			t.Fatal(err)
		}
		if a.closed != 1 || b.closed != 1 || c.closed != 1 {
			t.Errorf("closed %d, %d and %d times", a.closed, b.closed, c.closed)
		}
		if _, err := forge(1); err == nil || !strings.Contains(err.Error(), "there is no handle 1") {
			t.Errorf("after Reset: %v", err)
		}
		d := &conn{done: make(chan bool)}
		if _, err := keep(gyr.NewHandle(d)); err != nil {
			t.Fatal(err)
		}
		var limit *gyr.MemoryLimitError
		for range 1000 {
			many := make([]gyr.Handle[*file], 1000)
			for i := range many {
				many[i] = gyr.NewHandle(&file{})
			}
			if _, _, err = files(many, nil); err != nil {
				break
			}
		}
		if !errors.As(err, &limit) {
			t.Errorf("a million handles in 16 MiB: %v", err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if <-d.done; d.closed != 1 { // Close does not wait long
			t.Errorf("closed %d times", d.closed)
		}
	})
}
