package loop

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// TestMistakes: the generator reports what is wrong in its files, and where. Each line below is one
// change of them.
func TestMistakes(t *testing.T) {
	for _, x := range []struct{ file, old, new, want string }{
		{"integer.ops", "Neg:    A = -B\n", "", "no code for neg, operation "},
		{"integer.ops", "Neg:    A = -B\n", "Nag: A = -B\nNeg: A = -B\n", "no operation of package bytecode is called nag"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = -B\nNeg: A = B\n", "Neg has code already, at integer.ops:"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = -B\nFFloor64: FA = FB\n", "the loop leaves ffloor64 to a Go function"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = -C\n", "neg reads slot c, which the form in package"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: B = -A\n", "no operation writes slot B"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = uint64(IMMC)\n", "neg uses IMMC, but field c is '-'"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = 1\n", "neg does nothing with slot b"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = MINUS(B)\n", "MINUS is not defined"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = PTR(B, B)\n", "PTR: 2 arguments, not 1"},
		{"integer.ops", "Neg:    A = -B\n", "Neg: A = B; EXT\n", "EXT is lines, and has to have a line of its own"},
		{"integer.ops", "Neg:    A = -B\n", "Neg:\n", "Neg has to have one statement behind the colon"},
		{"integer.ops", "Neg:    A = -B\n", "Neg = -B\n", `: "Neg = -B" is no definition, operation, mode or part of one`},
		{"integer.ops", "\t8   0xff\n", "\t8\n", "1 columns, not 2"},
		{"integer.ops", "Popcnt$n:", "Popcnt$m:", "no column $m"},
		{"integer.ops", "NOTZERO(y)\n\tEXITIF", "NOTZERO(y)\n\tNOTZERO(y)\n\tEXITIF", "definitions without an end"},
		{"short.ops", "def PTR(p)", "def PTR(p) = p\ndef PTR(p)", "PTR is defined twice"},
		{"short.ops", "def PTR(p)", "def MORE = 1\ndef PTR(p)", "nothing uses MORE"},
		{"modes.ops", "\tm.tally++\n", "\tm.tally += A\n", "the code of a mode reads slot a"},
	} {
		_, err := generate(changed(t, x.file, x.old, x.new))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q for %q: %v, want %q", x.new, x.old, err, x.want)
		}
	}
}

// TestModes: a mode's code is in its loop only.
func TestModes(t *testing.T) {
	text, err := Go()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range bytes.Split(text, []byte("\nfunc "))[1:] {
		name, _, _ := bytes.Cut(f, []byte("("))
		for code, in := range map[string]string{
			"m.count(":           "runObserved",
			"t.step(":            "runObserved",
			"exitSample":         "runObserved",
			"m.tally++":          "runObserved",
			"case bytecode.Add:": "runPlain runObserved",
		} {
			if got, want := bytes.Count(f, []byte(code)) == 1, strings.Contains(in, string(name)); got != want {
				t.Errorf("%s once in %s: %v, want %v", code, name, got, want)
			}
		}
	}
}

// changed returns the files with the first old text of one replaced.
func changed(t *testing.T, file, old, new string) fstest.MapFS {
	files := fstest.MapFS{}
	names, err := sources.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if f.Name() == file {
			if !strings.Contains(string(text), old) {
				t.Fatalf("%s does not say %q", file, old)
			}
			text = []byte(strings.Replace(string(text), old, new, 1))
		}
		files[f.Name()] = &fstest.MapFile{Data: text}
	}
	return files
}
