package gyr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestCallbacksAgain: what the calls of one callback return stays as it was, a callback of an earlier call is over also while
// another call of the function runs, and one that panicked leaves nothing to the next; for callbacks of common types and of others.
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
		if len(late) != 5 { // the panic in Common keeps Other from being called
			t.Errorf("%s: %d callbacks of earlier calls", tier, len(late))
		}
		for _, text := range late {
			if !strings.Contains(text, "only be called during the call") {
				t.Errorf("%s: a callback of an earlier call: %s", tier, text)
			}
		}
	}
}

// answers are what f returns for keys, printed when all were asked.
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
