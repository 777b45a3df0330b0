package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDamage: lines that were changed, put in, taken out or made unreadable are named, and the other
// lines are read. A log without sums is an earlier version's.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, name, "")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	bare := make([]string, len(lines))
	for i, l := range lines {
		x, sum := unseal([]byte(strings.TrimSpace(l)))
		if sum == "" {
			t.Fatalf("line %d has no sum: %s", i+1, l)
		}
		bare[i] = string(x) + "\n"
	}
	forged := `{"run":2,"commit":"1234567","status":"keep","verdict":"keep","description":"forged","metrics":{}}` + "\n"
	with := func(i, cut int, more ...string) []string {
		return slices.Replace(slices.Clone(lines), i, i+cut, more...)
	}
	for _, c := range []struct {
		name   string
		lines  []string
		damage []int
		read   int // lines that can be read
	}{
		{"genuine", lines, nil, 5},
		{"an earlier version's", bare, nil, 5},
		{"continued from an earlier version's", append(slices.Clone(bare[:2]), "x"), nil, 2}, // the last one is torn
		{"changed", with(3, 1, strings.Replace(lines[3], `"pair":1`, `"pair":2`, 1)), []int{4}, 4},
		{"forged at the end", with(5, 0, forged), []int{6}, 5},
		{"forged", with(4, 0, forged), []int{5}, 5},
		{"forged, with a sum of another line", with(4, 0, strings.TrimSuffix(forged, "}\n")+lines[2][len(lines[2])-27:]), []int{5, 6}, 4},
		{"missing", with(2, 1), []int{3}, 3},
		{"garbled", with(2, 1, "{\"type\":\"pha\x00\x00\n"), []int{3}, 4},
		{"in another order", []string{lines[0], lines[2], lines[1], lines[3], lines[4]}, []int{2, 3, 4}, 2},
	} {
		got, _, err := Read([]byte(strings.Join(c.lines, "")))
		var d DamageError
		errors.As(err, &d)
		var at []int
		for _, x := range d {
			at = append(at, x.Line)
		}
		n := 0
		for _, l := range got {
			if l.Config != nil || l.Event != nil || l.Phase != nil || l.Sample != nil || l.Row != nil {
				n++
			}
		}
		if !slices.Equal(at, c.damage) || n != c.read {
			t.Errorf("%s: damage %v, %d lines can be read: %v", c.name, at, n, err)
		}
	}
	// A log that is continued keeps what was there, damage included, until a new segment begins.
	damaged := []byte(strings.Join(with(2, 1, "garbage\n"), ""))
	if err := os.WriteFile(name, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line   any
		damage int
	}{{&Event{Event: "start"}, 1}, {&Config{Name: "anew"}, 0}, {&Event{Event: "start"}, 0}} {
		l, err := Open(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Append(c.line), l.Close()); err != nil {
			t.Fatal(err)
		}
		if l, err = Open(name, ""); err != nil || len(l.Damage()) != c.damage {
			t.Errorf("damage %v, %v", l.Damage(), err)
		}
		l.Close()
	}
	if text, _ := os.ReadFile(name); !bytes.HasPrefix(text, damaged) {
		t.Error("the log's lines have changed")
	}
}
