package load

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// TestSpans: the sources that errors are about begin and end where they should. source is the text
// of main.go. want has these sources in the order of the errors, with - for an unknown end.
func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"names and expressions", `package main

import "os"

func main() {
	x := 1
	var y string = 2
	undefined()
	_ = "a" + 1.5
	y.nothing()
	f(1, "two")
	return 1, 2
}

func f(int) (a int) { }
`, []string{`"os"`, "x", "2", "undefined", `"a" + 1.5`, "nothing", `"two"`, "1", "}"}},
		{"declarations", `package main

type T struct{ t *T; u U }

func (T) m() {}
func (T) m() {}
func g()
func main() { L: for { } }
`, []string{"U", "m", "L"}},
		{"bodies", "package main\n\nfunc g()\nfunc main() {}\n", []string{"g"}},
		{"calls of several lines", "package main\n\nfunc f(int) {}\nfunc main() {\n\tf(func() {\n\t})\n}\n", []string{"func() {\n\t}"}},
		{"bytes and not characters", "package main\n\nfunc main() { _ = \"é\" + öä }\n", []string{"öä"}},
		{"imports", "package main\n\nimport (\n\t\"nosuch/a\"\n\tb \"nosuch/b\"\n)\n\nfunc main() {}\n",
			[]string{`"nosuch/a"`, `b "nosuch/b"`}},
		{"unsafe", "package main\n\nimport \"unsafe\"\n\nfunc main() { _ = unsafe.Sizeof(1) }\n", []string{`"unsafe"`}},
		{"syntax: a token", "package main\n\nfunc main() { x := }\n", []string{"}"}},
		{"syntax: a name", "package main\n\nfunc main() { x y }\n", []string{"y"}},
		{"syntax: a raw string", "package main\n\nfunc main() { x `a\r\nb` }\n", []string{"`a\r\nb`"}},
		{"syntax: the end of a line", "package main\n\nfunc main() {\n\tf(1\n\t)\n}\n", []string{"-"}},
		{"syntax: the end of the file", "package main\n\nfunc main() {\n", []string{"-"}},
		{"scanner", "package main\n\nvar a = \"text\n", []string{"-"}},
		{"package clause", "func main() {}\n", []string{"func"}},
		{"line directives", "package main\n\nfunc main() {\n//line x.go:5:1\n\tundefined()\n}\n", []string{"x.go:5:2-11"}},
		{"line directives in between", "package main\n\nfunc main() {\n\tf(1+\n//line x.go:1\n\"a\")\n}\n\nfunc f(int) {}\n", []string{"-"}},
		{"too large", "package main\n\nvar c chan [100000]int\n\nfunc main() { _ = c }\n", []string{"c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Options{FS: fstest.MapFS{"main.go": {Data: []byte(tt.source)}}, Patterns: []string{"main.go"}, cacheOverlay: true}
			_, err := Load(t.Context(), cfg)
			var list diag.Errors
			if !errors.As(err, &list) {
				t.Fatalf("error %v", err)
			}
			lines := strings.SplitAfter(tt.source, "\n")
			offset := func(line, column int) int { return len(strings.Join(lines[:line-1], "")) + column - 1 }
			var got []string
			for _, e := range list {
				switch pos, end := e.Pos, e.End; {
				case !end.IsValid():
					got = append(got, "-")
				case end.Line < pos.Line || end.Line == pos.Line && end.Column <= pos.Column:
					t.Errorf("%v: from %v to %v", e, pos, end)
				case strings.HasSuffix(pos.Filename, "main.go"):
					got = append(got, tt.source[offset(pos.Line, pos.Column):offset(end.Line, end.Column)])
				default:
					got = append(got, strings.TrimPrefix(pos.String(), "./")+"-"+fmt.Sprint(end.Column))
				}
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("errors:\n%v\nare about %q, want %q", err, got, tt.want)
			}
		})
	}
}

// The type checker keeps the end of errors in an unexported field. If Go removes the field, ends
// become those of the smallest node, and this test says why.
func TestCheckerEnd(t *testing.T) {
	if f, ok := reflect.TypeFor[types.Error]().FieldByName("go116end"); !ok {
		t.Errorf("go/types.Error has no go116end any more: see checkerEnd")
	} else if f.Type.String() != "token.Pos" {
		t.Errorf("go116end has type %s", f.Type)
	}
}
