//go:build unix

package hostile

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr"
)

// A crossWay is a way for values between the host and a guest. In texts # is the number of a type,
// K# the type and v# a variable of it.
type crossWay struct {
	name   string
	enters bool   // the host makes the value; otherwise the guest does
	guest  string // what the guest declares
	host   string // what the package of the host declares
	once   bool   // the declarations are for all types

	// run sends the value of a type. It returns what the host has received.
	run func(s *side, k int) (reflect.Value, error)
	// bind implements the host's function, of type t.
	bind func(s *side, in []reflect.Value) []reflect.Value
}

// calls returns a call of the guest's function of a name; # in it is the number of the type.
func calls(name string) func(s *side, k int) (reflect.Value, error) {
	return func(s *side, k int) (reflect.Value, error) {
		s.got = reflect.Value{}
		list, err := s.call(numbered(name, k))
		if err == nil && len(list) > 0 {
			s.got = reflect.ValueOf(list[0])
		}
		return s.got, err
	}
}

// gives returns a call of such a function with the value.
func gives(name string) func(s *side, k int) (reflect.Value, error) {
	return func(s *side, k int) (reflect.Value, error) {
		list, err := s.call(numbered(name, k), s.value.Interface())
		if err == nil && len(list) > 0 {
			return reflect.ValueOf(list[0]), nil
		}
		return reflect.Value{}, err
	}
}

func numbered(text string, k int) string { return strings.ReplaceAll(text, "#", strconv.Itoa(k)) }

// called calls a callback and ignores its error, which is only a value.
func (s *side) called(f reflect.Value, in ...reflect.Value) {
	if out := f.Call(in); len(out) > 0 {
		s.got = out[0]
	}
}

var crossWays = []crossWay{
	{name: "result", guest: "func Get#() K# { return v# }", run: calls("Get#")},
	{name: "bound result", guest: "func Bound#() K# { return v# }", run: func(s *side, k int) (reflect.Value, error) {
		return s.bound(numbered("Bound#", k), nil, s.c.kinds[k])
	}},
	{name: "any result", guest: "func GetAny#() any { return v# }", run: calls("GetAny#")},
	{name: "list result", guest: "func List#() []any { return []any{v#, &v#, []K#{v#, v#}, failure} }", run: calls("List#")},
	{name: "error result", guest: "func Fail#() (K#, error) { return v#, failure }", run: calls("Fail#")},
	{name: "panic", guest: "func Panic#() { panic(v#) }", run: calls("Panic#")},
	{name: "panic with error", guest: "func PanicError() { panic(failure) }", run: calls("PanicError"), once: true},
	{name: "host argument", guest: "func Give#() { host.Give#(v#) }", host: "func Give#(x K#)", run: calls("Give#"), bind: func(s *side, in []reflect.Value) []reflect.Value {
		s.got = in[0]
		return nil
	}},
	{name: "host any argument", guest: "func GiveAny#() { host.GiveAny#(v#) }", host: "func GiveAny#(x any)", run: calls("GiveAny#"), bind: func(s *side, in []reflect.Value) []reflect.Value {
		s.got = in[0].Elem()
		return nil
	}},
	{name: "host panic", guest: "func Blame#() { defer func() { recover() }(); host.Blame#(v#) }", host: "func Blame#(x K#)", run: calls("Blame#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { panic(in[0].Interface()) }},
	{name: "callback result", guest: "func Ask#() { host.Ask#(func() (K#, error) { return v#, failure }) }", host: "func Ask#(f func() (K#, error))", run: calls("Ask#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0]); return nil }},
	{name: "callback any result", guest: "func AskAny#() { host.AskAny#(func() any { return v# }) }", host: "func AskAny#(f func() any)", run: calls("AskAny#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0]); return nil }},
	{name: "callback panic", guest: "func Unwind#() (x any) { defer func() { x = recover() }(); host.Unwind#(func() K# { panic(v#) }); return nil }", host: "func Unwind#(f func() K#)", run: calls("Unwind#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0]); return nil }},

	{name: "argument", enters: true, guest: "func Take#(x K#) { v# = x }", run: gives("Take#")},
	{name: "bound argument", enters: true, guest: "func BoundTake#(x K#) { v# = x }", run: func(s *side, k int) (reflect.Value, error) {
		return s.bound(numbered("BoundTake#", k), []reflect.Value{s.value})
	}},
	{name: "any argument", enters: true, once: true, guest: "func TakeAny(x any) { kept = x }", run: gives("TakeAny")},
	{name: "field argument", enters: true, once: true, guest: "func TakeField(x any) any { return x }", run: func(s *side, k int) (reflect.Value, error) {
		f, err := gyr.FuncOf[struct{ X any }, struct{ X any }](s.ctx, s.in, "TakeField")
		if err != nil {
			return reflect.Value{}, err
		}
		out, stats, err := f.CallWith(s.ctx, s.opts, struct{ X any }{s.value.Interface()})
		s.gas = stats.Gas
		return reflect.ValueOf(out.X), err
	}},
	{name: "there and back", enters: true, guest: "func Echo#(x K#) K# { return x }", run: func(s *side, k int) (reflect.Value, error) {
		return s.bound(numbered("Echo#", k), []reflect.Value{s.value}, s.c.kinds[k])
	}},
	{name: "host result", enters: true, guest: "func Fetch#() { v# = host.Fetch#() }", host: "func Fetch#() K#", run: calls("Fetch#"),
		bind: func(s *side, _ []reflect.Value) []reflect.Value { return []reflect.Value{s.value} }},
	{name: "host any result", enters: true, once: true, guest: "func FetchAny() { kept = host.FetchAny() }", host: "func FetchAny() any", run: calls("FetchAny"),
		bind: func(s *side, _ []reflect.Value) []reflect.Value { return []reflect.Value{s.held()} }},
	{name: "host error", enters: true, once: true, guest: "func Refuse() { failure = host.Refuse() }", host: "func Refuse() error", run: calls("Refuse"),
		bind: func(s *side, _ []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(&s.failure).Elem()}
		}},
	{name: "callback argument", enters: true, guest: "func Each#() { host.Each#(func(x K#) { v# = x }) }", host: "func Each#(f func(x K#))", run: calls("Each#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0], s.value); return nil }},
	{name: "callback any argument", enters: true, once: true, guest: "func EachAny() { host.EachAny(func(x any) { kept = x }) }", host: "func EachAny(f func(x any))", run: calls("EachAny"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0], s.held()); return nil }},
	{name: "callback there and back", enters: true, guest: "func Trip#() { host.Trip#(func(x K#) K# { return x }) }", host: "func Trip#(f func(x K#) K#)", run: calls("Trip#"),
		bind: func(s *side, in []reflect.Value) []reflect.Value { s.called(in[0], s.value); return nil }},
	{name: "buffer", enters: true, once: true, guest: "func Lend(b []byte) int { return len(b) }", run: func(s *side, k int) (reflect.Value, error) {
		b, err := s.in.NewBuffer(s.size + 1)
		if err != nil {
			return reflect.Value{}, err
		}
		list, err := s.call("Lend", b.Slice(0, s.size))
		return reflect.ValueOf(fmt.Sprint(list...)), errors.Join(err, b.Free())
	}},
}

// held returns the value as an any.
func (s *side) held() reflect.Value {
	x := reflect.New(reflect.TypeFor[any]()).Elem()
	x.Set(s.value)
	return x
}

// funcs adds the host functions that a way needs.
func (w *crossWay) funcs(c *crossing, into map[string]any) {
	if w.bind == nil {
		return
	}
	name := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(w.host))[1]
	for k, t := range c.kinds {
		f := reflect.MakeFunc(w.funcType(t), func(in []reflect.Value) []reflect.Value { return w.bind(c.now, in) })
		into[numbered(name, k)] = gyr.HostFunc{Func: f.Interface(), Free: true, OnPanic: gyr.GuestPanic}
	}
}

// funcType returns the declared type of the host's function.
func (w *crossWay) funcType(t reflect.Type) reflect.Type {
	var (
		none []reflect.Type
		of   = func(list ...reflect.Type) []reflect.Type { return list }
		fn   = func(in, out []reflect.Type) reflect.Type { return reflect.FuncOf(in, out, false) }
		held = reflect.TypeFor[any]()
		fail = reflect.TypeFor[error]()
	)
	switch signature := w.host[strings.IndexByte(w.host, '('):]; signature {
	case "(x K#)":
		return fn(of(t), none)
	case "(x any)":
		return fn(of(held), none)
	case "() K#":
		return fn(none, of(t))
	case "() any":
		return fn(none, of(held))
	case "() error":
		return fn(none, of(fail))
	case "(f func() (K#, error))":
		return fn(of(fn(none, of(t, fail))), none)
	case "(f func() K#)":
		return fn(of(fn(none, of(t))), none)
	case "(f func() any)":
		return fn(of(fn(none, of(held))), none)
	case "(f func(x K#))":
		return fn(of(fn(of(t), none)), none)
	case "(f func(x any))":
		return fn(of(fn(of(held), none)), none)
	case "(f func(x K#) K#)":
		return fn(of(fn(of(t), of(t))), none)
	default:
		panic("no type for " + signature)
	}
}
