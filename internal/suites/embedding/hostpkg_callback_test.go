package embedding_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestCallbacksAgain: results of a callback do not change with later calls of it. A callback of an
// earlier call is invalid even while another call of the function runs, and one that panicked does
// not affect the next. This holds for callbacks of common types and of others.
func TestCallbacksAgain(t *testing.T) {
	var old func(string) (string, error)
	var older func(string, int32) (string, error)
	over := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return ""
	}
	var late []string
	p := compileHost(t, `package guest

import (
	"errors"
	"example.com/h"
	"strings"
)

func answer(key string) (string, error) {
	switch key {
	case "panic":
		panic("no")
	case "error":
		return "with an error", errors.New("an error")
	}
	return strings.ToUpper(key), nil
}

func F(keys string) string {
	defer func() { recover() }()
	return h.Common(func(key string) (string, error) { return answer(key) }, strings.Fields(keys)) +
		h.Other(func(key string, n int32) (string, error) { return answer(key) }, strings.Fields(keys))
}
`, true, gyr.HostPackage{
		Path: "example.com/h",
		Source: `package h

func Common(f func(key string) (string, error), keys []string) string
func Other(f func(key string, n int32) (string, error), keys []string) string
`,
		Funcs: map[string]any{
			"Common": func(f func(string) (string, error), keys []string) string {
				if old != nil {
					late = append(late, over(func() { old("late") }))
				}
				old = f
				return answers(f, keys)
			},
			"Other": func(f func(string, int32) (string, error), keys []string) string {
				if older != nil {
					late = append(late, over(func() { older("late", 1) }))
				}
				older = f
				return answers(func(key string) (string, error) { return f(key, 2) }, keys)
			},
		},
	})
	for _, tier := range tiers() {
		old, older, late = nil, nil, nil
		in := newInstance(t, p, gyr.Config{Tier: tier})
		for _, c := range []struct{ keys, want string }{
			{"a b c", "[A] [B] [C] [A] [B] [C] "},
			{"a error b", "[A] [with an error]an error [B] [A] [with an error]an error [B] "},
			{"a panic b", ""},
			{"d", "[D] [D] "},
		} {
			if out, err := in.Call(t.Context(), "F", c.keys); err != nil || out[0] != c.want {
				t.Errorf("%s, %s: %q %v, want %q", tier, c.keys, out, err, c.want)
			}
		}
		if len(late) != 5 { // the panic in Common prevents the call of Other
			t.Errorf("%s: %d callbacks of earlier calls", tier, len(late))
		}
		for _, text := range late {
			if !strings.Contains(text, "only be called during the call") {
				t.Errorf("%s: a callback of an earlier call: %s", tier, text)
			}
		}
	}
}

// answers is what f returns for keys, printed after all calls.
func answers(f func(string) (string, error), keys []string) string {
	var texts []string
	var errs []error
	for _, key := range keys {
		s, err := f(key)
		texts, errs = append(texts, s), append(errs, err)
	}
	var b strings.Builder
	for i, s := range texts {
		fmt.Fprintf(&b, "[%s]", s)
		if errs[i] != nil {
			b.WriteString(errs[i].Error())
		}
		b.WriteString(" ")
	}
	return b.String()
}

// TestCallbacksOfOtherGoroutines: goroutines of the host call a callback while its function runs,
// waits in it, or calls it as well. They are refused every time, and the function's own calls get
// their own results; for callbacks of common types and of others.
func TestCallbacksOfOtherGoroutines(t *testing.T) {
	const goroutines, calls = 8, 200
	refused := func(f func()) {
		defer func() {
			if e := recover(); fmt.Sprint(e) != "gyr: a callback can only be called during the call that has got it, on the goroutine of that call" {
				t.Errorf("a goroutine of the host's that calls back: %v", e)
			}
		}()
		f()
		t.Error("a goroutine of the host's was answered")
	}
	// crowd calls f from goroutines, and with calling also from the function's own.
	crowd := func(f func(int) string, calling bool) int {
		var all sync.WaitGroup
		for i := range goroutines {
			all.Go(func() {
				for j := range calls {
					refused(func() { f(i*calls + j) })
				}
			})
		}
		right := 0
		if calling {
			for i := range calls {
				if f(i) == fmt.Sprint(i) {
					right++
				}
			}
		}
		all.Wait()
		return right
	}
	var late func(int) string
	p := compileHost(t, `package guest

import (
	"example.com/h"
	"fmt"
	"runtime"
)

var asked int

func answer(n int) string {
	asked++
	runtime.Gosched()
	return fmt.Sprint(n)
}

func Common(calling bool) (int, int) {
	asked = 0
	right := h.Common(answer, calling)
	return right, asked
}

func Other(calling bool) (int, int) {
	asked = 0
	right := h.Other(func(_, _, _ int32, n int) string { return answer(n) }, calling)
	return right, asked
}

// Inside has the goroutines call while the function waits for the guest.
func Inside() string { return h.Inside(func(n int) string { h.Crowd(); return answer(n) }) }
`, true, gyr.HostPackage{
		Path: "example.com/h",
		Source: `package h

func Common(f func(int) string, calling bool) int
func Other(f func(_, _, _ int32, n int) string, calling bool) int
func Inside(f func(int) string) string
func Crowd()
`,
		Funcs: map[string]any{
			"Common": func(f func(int) string, calling bool) int { return crowd(f, calling) },
			"Other": func(f func(_, _, _ int32, n int) string, calling bool) int {
				return crowd(func(n int) string { return f(1, 2, 3, n) }, calling)
			},
			"Inside": func(f func(int) string) string {
				late = f
				return f(7)
			},
			"Crowd": func() { crowd(late, false) },
		},
	})
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier})
		for _, name := range []string{"Common", "Other"} {
			for _, calling := range []bool{false, true} {
				want := 0
				if calling {
					want = calls
				}
				if out, err := in.Call(t.Context(), name, calling); err != nil || out[0] != want || out[1] != want {
					t.Errorf("%s, %s: the function's own calls: %v right %v, want %d", tier, name, out, err, want)
				}
			}
		}
		if out, err := in.Call(t.Context(), "Inside"); err != nil || out[0] != "7" {
			t.Errorf("%s: %v %v", tier, out, err)
		}
		crowd(late, false) // the call is over
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		crowd(late, false) // the goroutine that it ran on has ended, too
	}
}
