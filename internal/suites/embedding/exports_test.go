package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const exporting = `package lib

import (
	"io"
	"time"
)

type Order struct {
	Item  string
	Count int
	Done  chan bool
}
type Tree struct {
	Kids []*Tree
	F    func()
}
type Good struct {
	When time.Time
	Next *Good
	Tags map[string][]any
	Err  error
}
type hidden struct{ x int }
type Alias = map[string]int

func Join(sep string, parts ...string) (string, error) { return sep, nil }
func Nothing()                                          {}
func All(g Good, d time.Duration, a Alias, _ [3]int8) (*Good, []byte) { return &g, nil }
func Unnamed(int, string) (n int, err error)            { return }
func Generic[T any](x T) T                              { return x }
func Send(c chan<- int)                                 {}
func Orders(n int, list []Order)                        {}
func Walk(t *Tree)                                      {}
func Back() (int, func())                               { return 0, nil }
func Reader(r io.Reader)                                {}
func Keyed(m map[*int]string)                           {}
func Both() (error, error)                              { return nil, nil }
func Hidden(h hidden)                                   {}
func (g Good) Method()                                  {}
`

// TestExports: a program says which functions can be called, with their types, and why others
// cannot.
func TestExports(t *testing.T) {
	p := compileLibrary(t, exporting)
	image, err := gyr.Build(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(exporting)}}, Exports: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	travelled, err := gyr.CompileImage(context.Background(), image, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `func Join(sep string, parts ...string) (string, error)
func Nothing()
func All(g Good, d time.Duration, a Alias, _ [3]int8) (*Good, []byte)
func Unnamed(int, string) (n int, err error)
func Both() (error, error)
`
	refused := `func Send(c chan<- int): parameter 0 (c): chan<- int does not cross
func Orders(n int, list []Order): parameter 1 (list): element: field Done: chan bool does not cross
func Walk(t *Tree): parameter 0 (t): pointer: field F: func() does not cross
func Back() (int, func()): result 1: func() does not cross
func Reader(r io.Reader): parameter 0 (r): io.Reader does not cross: it is an interface with methods other than error
func Keyed(m map[*int]string): parameter 0 (m): map[*int]string does not cross: the host cannot order its keys
func Hidden(h hidden): parameter 0 (h): field x of hidden is not exported
func Generic[T any](x T) T: it is generic
`
	for _, p := range []*gyr.Program{p, travelled} {
		var list, no strings.Builder
		for _, e := range p.Exports() {
			fmt.Fprintln(&list, e)
		}
		for _, e := range p.Uncallable() {
			fmt.Fprintf(&no, "%v: %s\n", e, e.Refusal)
		}
		if list.String() != want {
			t.Errorf("callable:\n%s", list.String())
		}
		if no.String() != refused {
			t.Errorf("not callable:\n%s", no.String())
		}
		e := p.Exports()[0]
		if len(e.Params) != 2 || e.Params[1] != (gyr.Param{Name: "parts", Type: "...string"}) || len(e.Results) != 1 || e.Results[0] != "string" || !e.Fails {
			t.Errorf("%+v", e)
		}
		if e := p.Exports()[3]; len(e.Params) != 2 || e.Params[0] != (gyr.Param{Name: "_", Type: "int"}) {
			t.Errorf("%+v", e)
		}
		in := newInstance(t, p, gyr.Config{})
		ctx := context.Background()
		for _, e := range p.Uncallable() {
			var refused *gyr.CallError
			if _, err := in.Call(ctx, e.Name); !errors.As(err, &refused) || refused.Func != e.Name || err.Error() != "gyr: "+e.Name+" cannot be called: "+e.Refusal {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		// Every callable function can be called: its types are right at run time too.
		for _, e := range p.Exports() {
			args := make([]any, len(e.Params)+1)
			var wrong *gyr.CallError
			if _, err := in.Call(ctx, e.Name, args...); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "arguments for "+e.Name) {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		if got, err := in.Call(ctx, "Join", "a", []string{"b"}); err != nil || got[0] != "a" {
			t.Errorf("%v, %v", got, err)
		}
		var all func(g good, d int64, a map[string]int, _ [3]int8) (*good, []byte, error)
		if err := in.Bind(ctx, "All", &all); err == nil {
			t.Error("an int64 for a Duration")
		}
	}
	if list := compileMain(t, streamedMain).Exports(); list != nil {
		t.Errorf("%v", list)
	}
}

type good struct{ X int }
