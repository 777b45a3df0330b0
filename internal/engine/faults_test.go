//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

package engine

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// TestFaultsNotCaught: on a system where a fault ends the process, a program that runs checked is
// interpreted, with the reason, and others are not.
func TestFaultsNotCaught(t *testing.T) {
	if err := CheckNative(); err != nil {
		t.Skip(err)
	}
	defer func(was bool) { catchesFaults = was }(catchesFaults)
	catchesFaults = false
	for _, c := range []struct{ name, text, why string }{
		{"type-safe", "package main\n\nfunc main() { println(1) }\n", ""},
		{"unsafe", "package main\n\nimport \"unsafe\"\n\nfunc main() { println(unsafe.Sizeof(1)) }\n", "unsafe in command-line-arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := Compile(t.Context(), Source{Patterns: []string{file}, NoBase: true, Unsafe: api.UnsafeAll})
			if err != nil {
				t.Fatal(err)
			}
			run := func(tier api.Tier) (string, error) {
				in, err := p.NewInstance(t.Context(), Config{Config: api.Config{Tier: tier, Stderr: io.Discard}})
				if err != nil {
					return "", err
				}
				defer in.Close()
				return in.Tier(), in.Run(t.Context())
			}
			forced, ferr := run(api.TierNative)
			usual, uerr := run(api.TierAuto)
			if uerr != nil {
				t.Fatal(uerr)
			}
			if c.why == "" {
				if forced != string(api.TierNative) || usual != string(DefaultTier) || ferr != nil {
					t.Errorf("%s, %s, %v", forced, usual, ferr)
				}
				return
			}
			want := "the program runs checked (" + c.why + "), so it may fault"
			if usual != string(api.TierInterp) || ferr == nil || !strings.Contains(ferr.Error(), want) {
				t.Errorf("%s, %v; want %q", usual, ferr, want)
			}
		})
	}
}
