package research

import (
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// turnFiles are a package whose tests turn a wheel, for seconds with the tag slow.
var turnFiles = map[string]string{
	"go.mod":   "module example.com/turn\n\ngo 1.24\n",
	"cost.txt": "1000\n",
	"wheel/wheel.go": `// Package wheel turns.
package wheel

// Turns is how often a wheel turns to go n steps of a circle of m, which is at least 1.
func Turns(n, m int) int {
	turns := 0
	for n >= m {
		n -= m
		turns++
	}
	return turns
}

// Wait gives a value by way of a goroutine.
func Wait(n int) int {
	c := make(chan int, 1)
	go func() { c <- n }()
	return <-c
}
`,
	"wheel/slow.go": "//go:build slow\n\npackage wheel\n\nconst slow = true\n",
	"wheel/fast.go": "//go:build !slow\n\npackage wheel\n\nconst slow = false\n",
	"wheel/slow_test.go": `//go:build slow

package wheel

import "testing"

func TestSlow(t *testing.T) {
	x := uint64(1)
	for range 1_500_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 || Turns(100, 7) != 14 {
		t.Error(x)
	}
}
`,
	"wheel/wheel_test.go": `package wheel

import "testing"

func TestTurns(t *testing.T) {
	if n := Turns(100, 7); n != 14 {
		t.Errorf("%d turns", n)
	}
	if n := Wait(3); n != 3 {
		t.Errorf("%d", n)
	}
}
`,
}

// TestEndless: a candidate whose tests loop, or wait for something that never comes, is refused for
// it long before the go command's limit. Tests that take as long as the parent's are not.
func TestEndless(t *testing.T) {
	byTurns(t)
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell what a process takes")
	}
	b := newBench(t)
	b.git("rm", "-q", "-r", ".")
	b.write(b.repo, turnFiles)
	b.git("add", "-A")
	b.git("commit", "-qm", "wheels")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{costMetric}
		c["limits"] = map[string]any{"times": 3, "extra": "1s"}
		c["risk"] = map[string]any{"off": []string{"mutation", "differential"}}
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "./..."}},
			map[string]any{"name": "slow", "run": []string{"go", "test", "-vet=off", "-tags=slow", "./..."}}}
	})
	s := b.open(c)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ch := &changer{t, s, maps.Clone(turnFiles), 1000}
	const name = "wheel/wheel.test does not come to an end: it was ended after "
	for _, x := range []struct{ name, old, new, verdict, reason string }{
		{"no step", "\t\tn -= m\n", "", "checks_failed:test", " of the processor's time, the parent's takes 0.0 s"},
		{"nobody sends", "\tgo func() { c <- n }()\n", "\tif n < 0 {\n\t\tc <- n\n\t}\n", "checks_failed:test", " of waiting, the parent's takes 0.0 s"},
		{"no step if slow", "\t\tn -= m\n", "\t\tif !slow {\n\t\t\tn -= m\n\t\t}\n", "checks_failed:slow", " of the processor's time, the parent's takes "},
		{"many steps", "\tturns := 0\n", "\tturns := 0\n\tfor i := range 50_000_000 {\n\t\tturns += i & 1\n\t}\n\tturns = 0\n", ledger.VerdictKeep, ""},
	} {
		r := ch.try(x.name, "wheel/wheel.go", x.old, x.new)
		if r.Verdict != x.verdict || x.reason != "" && (!strings.Contains(r.Reason, name) || !strings.Contains(r.Reason, x.reason)) {
			t.Errorf("%s: %s: %s", x.name, r.Verdict, r.Reason)
		}
	}
}
