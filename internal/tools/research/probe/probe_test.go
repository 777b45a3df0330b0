package probe

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unsafe"
)

// Functions that treat memory in all ways.
var kept []byte

var scratch = make([]byte, 64)

type box struct {
	Label string
	Data  []byte
	inner []byte
}

func (b *box) keep(x []byte)     { b.inner = x }
func (b *box) copied(x []byte)   { b.inner = append([]byte(nil), x...) }
func (b box) size(n int) int     { return len(b.Data) + n }
func part(x []byte) []byte       { return x[:len(x)/2] }
func clone(x []byte) []byte      { return append([]byte(nil), x...) }
func zero(x []int)               { clear(x) }
func shared(s string) []byte     { return append(scratch[:0], s...) }
func cast(x []byte) string       { return unsafe.String(unsafe.SliceData(x), len(x)) }
func double(n int) int           { return 2 * n }
func first(x []int) int          { return x[0] }
func nothing(func())             {}
func to(w io.Writer, s string)   { io.WriteString(w, s) }
func names(m map[string]int) int { return len(m) }
func join(x ...string) string    { return strings.Join(x, "") }
func same(b *box) *box           { return b }
func fails(n int) error          { return fmt.Errorf("no %d", n) }
func global(x []byte)            { kept = x }
func circle() *ring              { r := &ring{}; r.next = r; return r }

type ring struct{ next *ring }

func TestRun(t *testing.T) {
	for _, x := range []struct {
		name string
		f    any
		want string // of Input, Later, Alias, Back
	}{
		{"part", part, "AB"}, {"clone", clone, ""}, {"zero", zero, "I"}, {"shared", shared, "L"}, {"cast", cast, "A"},
		{"double", double, ""}, {"first", first, ""}, {"names", names, ""}, {"join", join, ""}, {"same", same, "AB"}, {"fails", fails, ""},
		{"global", global, ""}, {"circle", circle, ""}, {"to", to, ""},
		{"(*box).keep", (*box).keep, "A"}, {"(*box).copied", (*box).copied, ""}, {"(box).size", box.size, ""},
		{"nothing", nothing, "takes a func()"},
	} {
		r := Run(x.name, x.f)
		got := r.Unsupported
		for i, is := range []bool{r.Input, r.Later, r.Alias, r.Back} {
			if is {
				got += "ILAB"[i : i+1]
			}
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
		if again := Run(x.name, x.f); r.Unsupported == "" && fmt.Sprint(again.Cases) != fmt.Sprint(r.Cases) {
			t.Errorf("%s: another run has other cases", x.name)
		}
	}
}

// TestResults: what is noted of a call.
func TestResults(t *testing.T) {
	panics, ends := 0, 0
	for _, c := range Run("first", first).Cases {
		if c.Out == "panic" {
			panics++
		} else {
			ends++
		}
	}
	if panics == 0 || ends == 0 {
		t.Errorf("%d panics of %d", panics, panics+ends)
	}
	for _, c := range Run("to", to).Cases {
		if _, s, _ := strings.Cut(c.Args, ", "); !strings.HasSuffix(c.Out, "wrote "+s) {
			t.Errorf("%s: %s", c.Args, c.Out)
		}
	}
	if c := Run("fails", fails).Cases[0]; c.Out != fmt.Sprintf("*errors.errorString(error %q)", "no "+c.Args) {
		t.Errorf("%+v", c)
	}
}
