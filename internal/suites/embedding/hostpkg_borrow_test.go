package embedding_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// keptError is an error that keeps a parameter.
type keptError struct{ key string }

func (e *keptError) Error() string { return "no " + e.key }

// TestBorrowedParameters: strings and byte slices of a function that keeps none live until it
// returns, even if its callback calls functions of the same kind. In results and errors they live
// on.
func TestBorrowedParameters(t *testing.T) {
	var kept []string
	var failed error
	host := gyr.HostPackage{
		Path: "example.com/h",
		Source: `package h

func Echo(s string, p []byte) (string, []byte)
func Outer(s string, p []byte, f func(n int)) string
func Lose(s string) (int, error)
func Keep(s string) int
`,
		Funcs: map[string]any{
			"Echo": gyr.HostFunc{Borrows: true, Func: gyr.Fast(func(_ context.Context, a *struct {
				S string
				P []byte
			}, r *struct {
				S string
				P []byte
			}) error {
				r.S, r.P = a.S[1:], a.P
				return nil
			})},
			"Outer": gyr.HostFunc{Borrows: true, Func: func(s string, p []byte, f func(int)) string {
				f(1)
				f(2)
				return s + string(p)
			}},
			"Lose": gyr.HostFunc{Borrows: true, Func: func(s string) (int, error) {
				err := &keptError{s}
				if failed == nil {
					failed = err
				}
				return 0, err
			}},
			"Keep": func(s string) int { kept = append(kept, s); return len(kept) },
		},
	}
	p := compileHost(t, `package guest

import (
	"bytes"
	"example.com/h"
	"fmt"
	"strings"
)

func Sizes() string {
	for _, n := range []int{1, 2, 100, 511, 513, 5000, 16000, 17000, 1 << 20, 3} {
		s, p := strings.Repeat("s", n), bytes.Repeat([]byte{'p'}, n)
		if a, b := h.Echo(s, p); a != s[1:] || !bytes.Equal(b, p) {
			return fmt.Sprint(n, " bytes come back as ", a, b)
		}
	}
	if _, b := h.Echo("x", nil); b != nil {
		return "nil comes back as something"
	}
	return ""
}

func Nested(depth int) string {
	s := strings.Repeat(string(rune('a'+depth)), 10+depth)
	out := h.Outer(s, []byte(s), func(n int) {
		h.Echo("clobber", []byte("clobber clobber clobber clobber"))
		if depth < 5 && n == 2 {
			if bad := Nested(depth + 1); bad != "" {
				panic(bad)
			}
		}
	})
	if out != s+s {
		return out
	}
	return ""
}

func Abandoned() string {
	func() {
		defer func() { recover() }()
		h.Outer("outer", []byte("outer"), func(int) { panic("x") })
	}()
	return Nested(0) + Sizes()
}

func Errors() string {
	_, err := h.Lose("first")
	h.Lose("other")
	h.Echo("clobber", []byte("clobber"))
	return err.Error()
}

func Kept() int { h.Keep("one"); h.Echo("two", nil); return h.Keep("three") }
`, true, host)
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier})
		for _, name := range []string{"Sizes", "Abandoned", "Sizes"} {
			if out, err := in.Call(t.Context(), name); err != nil || out[0] != "" {
				t.Errorf("%s, %s: %v %v", tier, name, out, err)
			}
		}
		if out, err := in.Call(t.Context(), "Nested", 0); err != nil || out[0] != "" {
			t.Errorf("%s: %v %v", tier, out, err)
		}
		failed = nil
		var e *keptError
		if out, err := in.Call(t.Context(), "Errors"); err != nil || out[0] != "no first" || !errors.As(failed, &e) || e.key != "first" {
			t.Errorf("%s: %v %v, and the host has %v", tier, out, err, failed)
		}
		kept = nil
		if _, err := in.Call(t.Context(), "Kept"); err != nil || strings.Join(kept, " ") != "one three" {
			t.Errorf("%s: %v, the host has %q", tier, err, kept)
		}
	}
}
