package filetest

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const program = "package main\n\nfunc main() {}\n\n" // four lines

func TestParse(t *testing.T) {
	f, err := Parse("x_filetest.go", []byte(program+`// Args: a "b c" `+"`d`"+`
// Env: A=1 "B=2 3"
// Seed: 7
// Stdin:
// one
//
//	two
// \"three "
// four
// \

// GasLimit: 10
// MemoryLimit: 3M
// Timeout: 2s
// Tier: interp
// Skip: short && !linux // because

// Output:

// IR main.(*T).m:
// x
// Gas: 5
// Allocs:
`))
	want := `line 26: directive Gas inside the text of IR main.(*T).m: put an empty line above it, or, if it is text, write \"Gas: 5"
line 27: directive Allocs inside the text of IR main.(*T).m: put an empty line above it, or, if it is text, write \"Allocs:"`
	if err == nil || !strings.Contains(err.Error(), "line 11: Stdin: a blank is missing behind //") {
		t.Errorf("got %v", err)
	}
	if s := strings.Replace(err.Error(), "line 11: Stdin: a blank is missing behind //\n", "", 1); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	in := f.Inputs
	if !slices.Equal(in.Args, []string{"a", "b c", "d"}) || !slices.Equal(in.Env, []string{"A=1", "B=2 3"}) || in.Seed != 7 ||
		in.Stdin != "one\n\nthree \nfour" || in.Gas != 10 || in.Memory != 3<<20 || in.Timeout != 2*time.Second || in.Tier != "interp" ||
		in.Skip.String() != "short && !linux" || in.SkipWhy != "because" {
		t.Errorf("got %+v", in)
	}
	if d := f.find("Output", ""); d == nil || d.Value != "" || d.Line != 22 {
		t.Errorf("Output: %+v", d)
	}
	if d := f.find("IR", "main.(*T).m"); d == nil || d.Value != "x\n" {
		t.Errorf("IR: %+v", d)
	}
}

// TestErrors: the comments after the code of a file, and the errors that they give.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"// Output:\n", ""},
		{"// Output: \n", ""},
		{"// Args: a\n// Env: A=b\n\n// Output:\n// x\n", ""},
		{"// Output:\n// Error: it failed\n// Results:\n", ""}, // text
		{"//Output:\n", "line 5: directive Output: a blank is missing behind //"},
		{"// output:\n", "line 5: comment behind the code that is no directive: want // Name:"},
		{"// Stderrr:\n", "line 5: unknown directive Stderrr; did you mean Stderr?"},
		{"// Nothing:\n", "line 5: unknown directive Nothing"},
		{"/* Output: */\n", "line 5: comment behind the code that is no directive"},
		{" // Output:\n", "line 5: a directive begins its line"},
		{"// Args: x\n// y\n", "line 6: comment behind the code that is no directive: want // Name:"},
		{"// Gas: 1\n// Gas: 1\n", "line 6: second Gas; the first is in line 5"},
		{"// IR f:\n\n// IR g:\n\n// IR f:\n", "line 9: second IR f; the first is in line 5"},
		{"// Output f:\n", "line 5: directive Output: a colon is missing behind the name"},
		{"// Gas: -1\n", `line 5: Gas: "-1" is not a number that fits`},
		{"// Gas: 1x\n", `line 5: Gas: "1x" is not a number that fits`},
		{"// GasLimit: 0\n", "line 5: GasLimit: 0 is not positive"},
		{"// Seed: x\n", `line 5: Seed: "x" is not a number that fits`},
		{"// MemoryLimit: 1T\n", `line 5: MemoryLimit: "1T" is not a size such as 512K, 64M or 1G`},
		{"// MemoryLimit: M\n", `line 5: MemoryLimit: "M" is not a size such as 512K, 64M or 1G`},
		{"// Timeout: 0s\n", "line 5: Timeout: 0s is not positive"},
		{"// Env: A\n", `line 5: Env: "A" is not NAME=value`},
		{"// Env: =A\n", `line 5: Env: "=A" is not NAME=value`},
		{"// Args: \"a\n", `line 5: Args: "a: not a Go string`},
		{"// Args: \"a\"b\n", `line 5: Args: no blank behind "a"`},
		{"// Skip: a b\n", `line 5: Skip: "a b" is not a condition as in //go:build`},
		{"// Skip: short || weekend\n", "line 5: Skip: unknown condition weekend"},
		{"// Output:\n// \\x\n", `line 6: Output: \x: want a Go string of one line behind a backslash`},
		{"// Output:\n// \\\"a\\n\"\n", `line 6: Output: \"a\n": want a Go string of one line behind a backslash`},
		{"// Output:\n// \\\n", `line 6: Output: \: want a Go string of one line behind a backslash`},
		{"// Output:\n// a\r\n", "line 6: the line ends in a carriage return"},
		{"// Output:\n//x\n", "line 6: Output: a blank is missing behind //"},
		{"// CompileError:\n// x\n\n// Gas: 1\n", "line 8: Gas is never checked: the program does not compile, says line 5"},
		{"// CompileError:\n\n// Gas: 1\n", ""},
	} {
		_, err := Parse("x_filetest.go", []byte(program+test.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"// Output:\n// x\npackage main\n", "line 1: directive Output above the end"},
		{"package main\n\nfunc main() {\n\t// Gas: 5\n}\n", "line 4: directive Gas above the end"},
		{"package main\n\nfunc main() {} // Output:\n", "line 3: directive Output above the end"},
		{"package main\n\n/*\n * Output:\n */\nfunc main() {}\n", "line 4: directive Output above the end"},
		{"package main\n\n// Output: of all kinds.\nfunc main() {}\n", ""},
		{"package main\n\nfunc main() { x := }\n// Results:\n", "line 4: unknown directive Results"}, // does not parse as Go
		{"package main\n\nvar s = `\n// Output:\n`\n", ""},
	} {
		_, err := Parse("x_filetest.go", []byte(test.text))
		if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
}

// TestText: any text survives being written into a file and read again.
func TestText(t *testing.T) {
	for _, text := range texts {
		roundTrip(t, text)
	}
}

var texts = []string{"", "\n", "x", "x\n", "\n\n", " x\n\ty\n", "x \n", "\\\n", "\\", "Output:\n", "Gas: 1\n", "IR f:\n", "a\rb\r\n",
	"\x00\xff\n", "é\u00a0\n", "\u2028", "Output: x\n", "//\n", "x\n\\", " ", "\t\n", "x\n\n\n"}

//fuzz:runs 2000
func FuzzText(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(roundTrip)
}

func roundTrip(t *testing.T, text string) {
	f, err := Parse("x_filetest.go", []byte(program+"// Gas: 1\n\n// Output:\n// old\n// text\n\n// Allocs: 2"))
	if err != nil {
		t.Fatal(err)
	}
	src := f.rewrite([]change{{f.find("Output", ""), kindOf("Output"), "", text}, {nil, kindOf("Stderr"), "", text}})
	g, err := Parse("x_filetest.go", src)
	if err != nil {
		t.Fatalf("%q: %v in\n%s", text, err, src)
	}
	for _, name := range []string{"Output", "Stderr"} {
		if got := g.find(name, "").Value; got != text {
			t.Errorf("%s: got %q, want %q, in\n%s", name, got, text, src)
		}
	}
	if !strings.HasPrefix(string(src), program+"// Gas: 1\n\n// Output:\n") || !strings.Contains(string(src), "\n\n// Allocs: 2\n\n// Stderr:\n") {
		t.Errorf("rewritten:\n%s", src)
	}
}

// TestTrim: goldens contain nothing that depends on the machine.
func TestTrim(t *testing.T) {
	tr := trimmer{dir: "/home/me/m/pkg", goroot: "/usr/go/src"}
	for _, test := range []struct{ text, want string }{
		{"\t/home/me/m/pkg/x_filetest.go:5", "\tx_filetest.go:5"},
		{"in main.f (/home/me/m/pkg/sub/x.go:5)", "in main.f (sub/x.go:5)"},
		{"\t/home/me/m/other/x.go:5", "\t../other/x.go:5"},
		{"\t/usr/go/src/fmt/print.go:225", "\t$GOROOT/src/fmt/print.go"},
		{"see http://host/x.go:80", "see http://host/x.go:80"},
		{"/elsewhere/x/y.go:5", "/elsewhere/x/y.go:5"},
	} {
		if got := tr.places(test.text); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if got := tr.trace("main.f(...)\n\t/home/me/m/pkg/x.go:5 +0x41\n"); got != "main.f(...)\n\tx.go:5\n" {
		t.Errorf("got %s", got)
	}
	if got := tr.report("panic: nil\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4711]\n"); got != "panic: nil\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0]\n" {
		t.Errorf("got %s", got)
	}
}
