// Guests that recurse without end.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"sort"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"plain":  func() { sink = plain(0) },
	"mutual": func() { sink = even(1) },
	"interface": func() {
		var r recurser = twice(1)
		sink = r.recurse(0)
	},
	"closure": func() {
		var f func(int) int
		f = func(n int) int { return f(n+1) + 1 }
		sink = f(0)
	},
	"method value": func() {
		f := twice.recurse
		sink = f(1, 1)
	},
	"defer": deferred,
	"deferred closure": func() {
		var f func()
		f = func() { defer f() }
		f()
	},
	"panic": func() {
		var f func()
		f = func() {
			defer f()
			panic("again")
		}
		f()
	},
	"recover": func() {
		var f func()
		f = func() {
			defer func() {
				recover()
				f()
			}()
			panic("again")
		}
		f()
	},
	"frames with locals": func() { sink = wide(0) },
	"many parameters":    func() { sink = params(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) },
	"goroutine": func() {
		done := make(chan int)
		go func() { done <- plain(0) }()
		<-done
	},
	"finalizer": func() {
		p := new([2]int)
		runtime.SetFinalizer(p, func(*[2]int) { sink = plain(0) })
		p = nil
		runtime.GC()
		select {}
	},
	"String prints itself":  func() { fmt.Println(printing{}) },
	"Error prints itself":   func() { fmt.Println(failing{}) },
	"Format formats itself": func() { fmt.Println(formatting{}) },
	"panic with itself":     func() { panic(failing{}) },
	"errors.Is of itself":   func() { fmt.Println(errors.Is(circular{}, errors.New("x"))) },
	"MarshalJSON of itself": func() { json.Marshal(marshaling{}) },
	"print a circle": func() {
		s := []any{nil}
		s[0] = s
		fmt.Println(s)
	},
	"sort": func() {
		var less func(i, j int) bool
		s := []int{3, 2, 1}
		less = func(i, j int) bool { sort.Slice(s, less); return s[i] < s[j] }
		sort.Slice(s, less)
	},
	"reflect call": func() {
		var f func(int) int
		f = func(n int) int {
			return int(reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(n + 1)})[0].Int()) + 1
		}
		sink = f(0)
	},
	"reflect method": func() {
		sink = byName(0).Again(1)
	},
	"MakeFunc": func() {
		var f func(int) int
		v := reflect.MakeFunc(reflect.TypeOf(f), func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(f(int(args[0].Int()) + 1))}
		})
		f = v.Interface().(func(int) int)
		sink = f(0)
	},
	"range over func": func() {
		for range nested {
			sink++
		}
	},
	"pull": func() { sink = pull(0) },
	"equality of a chain": func() {
		var x, y any
		for range 1 << 19 {
			x, y = [1]any{x}, [1]any{y}
		}
		println(x == y)
	},
	"hash of a chain": func() {
		var x any
		for range 1 << 19 {
			x = [1]any{x}
		}
		println(len(map[any]int{x: 1}))
	},
	"less than the limit": func() {
		println(count(100_000))
	},
}

var sink int

func plain(n int) int { return plain(n+1) + 1 }

func even(n int) int { return odd(n+1) + 1 }
func odd(n int) int  { return even(n+1) + 2 }

func count(n int) int {
	if n == 0 {
		return 0
	}
	return count(n-1) + 1
}

type recurser interface{ recurse(int) int }

type twice int

func (t twice) recurse(n int) int {
	var r recurser = t + 1
	return r.recurse(n+1) + 1
}

func deferred() {
	defer deferred()
}

func wide(n int) int {
	var a [512]int
	for i := range a {
		a[i] = n
	}
	return wide(n+1) + a[n&511]
}

func params(a, b, c, d, e, f, g, h, i, j, k, l int) int {
	return params(l, a, b, c, d, e, f, g, h, i, j, k) + a
}

type printing struct{}

func (p printing) String() string { return fmt.Sprint(p) }

type failing struct{}

func (f failing) Error() string { return "no: " + f.Error() }

type formatting struct{}

func (f formatting) Format(s fmt.State, c rune) { fmt.Fprint(s, f) }

type circular struct{}

func (c circular) Error() string { return "circular" }
func (c circular) Unwrap() error { return struct{ error }{c} }
func (c circular) Is(target error) bool {
	return errors.Is(c, target)
}

type marshaling struct{}

func (m marshaling) MarshalJSON() ([]byte, error) { return json.Marshal(m) }

type byName int

func (b byName) Again(n int) int {
	r := reflect.ValueOf(b).MethodByName("Again").Call([]reflect.Value{reflect.ValueOf(n + 1)})
	return int(r[0].Int()) + 1
}

func nested(yield func() bool) {
	for range nested {
		if !yield() {
			return
		}
	}
}

func pull(n int) int {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(pull(n + 1)) })
	defer stop()
	v, _ := next()
	return v + 1
}
