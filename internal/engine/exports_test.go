package engine

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

// TestRefusals: the front end refuses the same signatures as the guest's descriptors when it runs.
func TestRefusals(t *testing.T) {
	const src = `package lib

import (
	"fmt"
	"io"
	"time"
)

type Deep struct{ A [2]map[string]*Deeper }
type Deeper struct {
	Back *Deep
	Bad  []chan int
}
type Ring struct{ Next *Ring; M map[Key]Ring }
type Key struct{ A int; B [2]any }
type BadKey struct{ A int; E error }
type Box[T any] struct{ V T }
type Iface interface{ io.Reader }
type Any interface{}
type Err error

func F0(a int8, b float32, c complex64, d string, e []byte, f [3]bool, g *int, h uintptr) {}
func F1(m map[string]any, e error, t time.Time, d time.Duration, a any) (any, time.Time) { return nil, t }
func F2(d Deep) {}
func F3(r Ring) Ring { return r }
func F4(m map[Key]int, n map[time.Time]int, o map[any]int) {}
func F5(m map[BadKey]int) {}
func F6(m map[error]int) {}
func F7(b Box[int]) Box[string] { return Box[string]{} }
func F8(b Box[func()]) {}
func F9(i Iface) {}
func F10(a Any, e Err) {}
func F11(s fmt.Stringer) {}
func F12(c ...chan int) {}
func F13() (x int, c <-chan int, err error) { return }
func F14(p **func(int)) {}
func F15(m map[[2]*int]int) {}
func F16(m map[string]map[string]chan int) {}
func F17(x struct{ A int; B struct{ C func() } }) {}
`

	p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module x\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for number, x := range p.mod.Exports {
		params, results, err := in.vm.Signature(number, x.Fails)
		if err != nil {
			t.Fatal(err)
		}
		var fault error
		for _, f := range append(params[:len(params):len(params)], results...) {
			if fault == nil {
				fault = f.Type.Crosses()
			}
		}
		if (fault != nil) != (x.Refusal != "") {
			t.Errorf("%s%s: %q, at run time %v", x.Name, x.Signature, x.Refusal, fault)
			continue
		}
		if fault == nil {
			continue
		}
		refused++
		_, path, _ := strings.Cut(x.Refusal, ": ")
		// The path is the same; the type at its end may be spelled otherwise.
		parts, want := strings.Split(path, ": "), strings.Split(fault.Error(), ": ")
		if len(parts) != len(want) || strings.Join(parts[:len(parts)-1], ": ") != strings.Join(want[:len(want)-1], ": ") && !strings.Contains(path, "does not cross: ") {
			t.Errorf("%s: %q, at run time %q", x.Name, path, fault)
		}
	}
	if len(p.mod.Exports) != 18 || refused != 13 {
		t.Errorf("%d of %d functions cannot be called", refused, len(p.mod.Exports))
	}
}
