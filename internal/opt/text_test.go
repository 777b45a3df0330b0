package opt

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestText runs the files of testdata. The first line of a file names the passes (or phasea,
// phaseb). Then come cases:
//
//	=== what the case shows
//	IR
//	---
//	the same functions after the passes
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { textFile(t, name) })
	}
}

func textFile(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	list, ok := strings.CutPrefix(head, "passes: ")
	if !ok {
		t.Fatalf("%s names no passes", name)
	}
	var out strings.Builder
	out.WriteString(head + "\n")
	for _, c := range strings.Split(rest, "=== ")[1:] {
		title, body, _ := strings.Cut(c, "\n")
		input, want, _ := strings.Cut(body, "---\n")
		got, err := runText(input, strings.Fields(list))
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		fmt.Fprintf(&out, "\n=== %s\n%s\n---\n%s", title, strings.TrimSpace(input), got)
		if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", title, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func runText(input string, passes []string) (string, error) {
	m, err := ir.ParseModule(input)
	if err != nil {
		return "", err
	}
	for _, f := range m.Funcs()[1:] {
		if f.Entry != nil {
			if err := ir.Verify(f); err != nil {
				return "", err
			}
		}
	}
	cfg := &Options{Verify: true}
	byName := map[string]pass{}
	for _, list := range [][]pass{cleanup, phaseB} {
		for _, p := range list {
			byName[p.name] = p
		}
	}
	for _, name := range passes {
		if name == "phasea" {
			if err := PhaseA(m, cfg); err != nil {
				return "", err
			}
			continue
		}
		for _, f := range m.Funcs()[1:] {
			if f.Entry == nil {
				continue
			}
			if name == "phaseb" {
				err = PhaseB(f, cfg)
			} else if p, ok := byName[name]; ok {
				s := newState(f, cfg)
				s.dropUnreachable()
				err = s.runPass(p, "")
			} else {
				err = fmt.Errorf("no pass named %s", name)
			}
			if err != nil {
				return "", err
			}
		}
	}
	var b strings.Builder
	for _, f := range m.Funcs()[1:] {
		if f.Entry != nil {
			b.WriteString(f.String())
		}
	}
	return b.String(), nil
}

// withoutText are the passes without a file of testdata, with what shows their effect instead.
var withoutText = map[string]string{
	"early-simplify": "simplify.txt", "early-graph": "graph.txt", "early-dce": "phasea.txt", "gvn": "TestShapes",
}

// TestEveryPassHasText: a file of testdata shows the effect of each pass.
func TestEveryPassHasText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(data), "\n")
		for _, name := range strings.Fields(head) {
			shown[name] = true
		}
	}
	for _, p := range slices.Concat(cleanup, phaseB) {
		if _, excused := withoutText[p.name]; shown[p.name] == excused {
			t.Errorf("pass %s: a file of testdata names it: %v, there is a reason why not: %v", p.name, shown[p.name], excused)
		}
	}
}
