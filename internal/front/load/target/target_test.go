package target

import (
	"testing"

	"github.com/gyrvm/gyr/internal/release"
)

func TestMatchHeader(t *testing.T) {
	m := New(release.OfMinor(26), nil)
	for src, want := range map[string]bool{
		"package p\n":                      true,
		"//go:build wasip1\n\npackage p\n": true,
		"// text\n\n//go:build linux || go1.99\n\npackage p\n":      false,
		"/* text\n//go:build linux */\n\npackage p\n":               true,
		"/* text */ //go:build linux\n\npackage p\n":                false,
		"\ufeff//go:build linux\npackage p\n":                       false,
		"// +build linux\n\npackage p\n":                            false,
		"// +build linux\npackage p\n":                              true, // this is the package's documentation
		"// +build linux\n\n//go:build wasm\n\npackage p\n":         true,
		"// +build wasip1 linux\n// +build !cgo\n\npackage p\n":     true,
		"// +build wasip1,linux\n\npackage p\n":                     false,
		"package p\n\n//go:build linux\n":                           true,
		"//go:build ignore\n\npackage p\n":                          false,
		"//go:build go1.26 && !go1.27 && purego && !cgo\npackage p": true,
	} {
		if got, _ := m.Header([]byte(src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}

func TestAssembly(t *testing.T) {
	for src, want := range map[string]bool{
		"":                          false,
		"// TEXT ·f(SB), 4, $0\n":   false,
		"/* TEXT\n*/ // x":          false,
		"/* open":                   false,
		"#include \"textflag.h\"\n": false,
		"\n\t#define F 1\n":         false,
		"TEXT ·f(SB), 4, $0\n":      true,
		"/**/GLOBL ·x(SB), 8, $8":   true,
		"DATA ·x+0(SB)/8, $\"//\"":  true,
		"/":                         true,
		"a/b":                       true,
	} {
		if got := HasCode([]byte(src)); got != want {
			t.Errorf("%q has code: %v", src, got)
		}
	}
	m := New(release.Oldest(), []string{"set"})
	for constraint, want := range map[string]string{
		"":                       "",
		"wasm":                   "",
		"!noasm":                 "noasm",
		"!custom && !appengine":  "appengine",
		"!custom":                "custom",
		"!set || wasm":           "",
		"!linux && gc && !gccgo": "",
		"!a || !b":               "",
		"wasm && (!safe || x)":   "safe",
	} {
		src := "//go:build " + constraint + "\n\nTEXT\n"
		if constraint == "" {
			src = "TEXT\n"
		}
		if got := m.TagWithout([]byte(src)); got != want {
			t.Errorf("%q: tag %q, want %q", constraint, got, want)
		}
	}
}
