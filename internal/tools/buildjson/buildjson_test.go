package buildjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// refused compiles a program, given as an archive of its files, and returns its error.
func refused(t *testing.T, text string) *api.CompileError {
	t.Helper()
	fsys, err := txtar.FS(txtar.Parse([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Compile(t.Context(), engine.Source{FS: fsys, NoBase: true})
	var e *api.CompileError
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	return e
}

const twoPackages = `-- go.mod --
module m

go 1.26
-- main.go --
package main

import (
	"m/a"
	"m/b"
)

func main() { a.F(); b.F() }
-- a/a.go --
package a

func F() (int, error) {
	var unused int
	return 1, nil, "text"
}
-- b/b.go --
package b

func F() { undefined() }
`

// programs do not compile, each for its own reasons.
var programs = map[string]string{
	"two packages": twoPackages,
	"syntax":       "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nfunc main() { x := }\n",
	"imports":      "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nimport (\n\t\"no/a\"\n\t\"no/b\"\n)\n\nfunc main() {}\n",
	"imports of two packages": "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nimport (\n\t\"m/a\"\n\t\"no/a\"\n\t\"no/b\"\n)\n\n" +
		"func main() {}\n-- a/a.go --\npackage a\n\nimport (\n\t\"no/a\"\n\t\"no/b\"\n)\n",
	"cycle": "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nimport _ \"m/a\"\n\nfunc main() {}\n" +
		"-- a/a.go --\npackage a\n\nimport _ \"m/b\"\n-- b/b.go --\npackage b\n\nimport _ \"m/a\"\n",
	"no package":         "-- go.mod --\nmodule m\n",
	"control characters": "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nimport \"no/\\x1b[31m\"\n\nfunc main() { var x int = \"\x1b[31m\" }\n",
	"ten errors": "-- go.mod --\nmodule m\n-- main.go --\npackage main\n\nfunc main() {\n" +
		strings.Repeat("\tx()\n", 15) + "}\n",
}

// The outputs of the events are the text form, and their fields are the list of the error.
func TestOutputs(t *testing.T) {
	for name, text := range programs {
		t.Run(name, func(t *testing.T) {
			err := refused(t, text)
			var got strings.Builder
			var list []api.Diagnostic
			ended := map[string]bool{}
			for _, e := range Of(err, func(path string) string { return cmp.Or(path, "whole") }) {
				got.WriteString(e.Output)
				if ended[e.ImportPath] {
					t.Errorf("an event of a package whose build has ended: %+v", e)
				}
				ended[e.ImportPath] = e.Action == BuildFail
				if e.Text != "" {
					list = append(list, api.Diagnostic{File: e.File, Line: e.Line, Column: e.Column, EndLine: e.EndLine,
						EndColumn: e.EndColumn, Text: e.Text})
				}
				if e.Action == BuildOutput && strings.Count(e.Output, "\n") != 1 {
					t.Errorf("not a line: %q", e.Output)
				}
			}
			if want := err.Error() + "\n"; got.String() != want {
				t.Errorf("outputs:\n%s\nwant:\n%s", got.String(), want)
			}
			want := err.List()
			for i := range want {
				want[i].Package = ""
			}
			if !slices.Equal(list, want) {
				t.Errorf("events have\n%+v\nwant\n%+v", list, want)
			}
			for id, end := range ended {
				if !end {
					t.Errorf("the build of %s has no end", id)
				}
			}
		})
	}
}

// TestWrite: events are those of go build -json with additional fields.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Of(refused(t, twoPackages), func(path string) string { return path })); err != nil {
		t.Fatal(err)
	}
	const want = `{"ImportPath":"m/a","Action":"build-output","Output":"# m/a\n"}
{"ImportPath":"m/a","Action":"build-output","Output":"a/a.go:4:6: declared and not used: unused\n","File":"a/a.go","Line":4,"Column":6,"EndLine":4,"EndColumn":12,"Text":"declared and not used: unused"}
{"ImportPath":"m/a","Action":"build-output","Output":"a/a.go:5:17: too many return values\n","File":"a/a.go","Line":5,"Column":17,"EndLine":5,"EndColumn":23,"Text":"too many return values\n\thave (number, nil, string)\n\twant (int, error)"}
{"ImportPath":"m/a","Action":"build-output","Output":"\thave (number, nil, string)\n"}
{"ImportPath":"m/a","Action":"build-output","Output":"\twant (int, error)\n"}
{"ImportPath":"m/a","Action":"build-fail"}
{"ImportPath":"m/b","Action":"build-output","Output":"# m/b\n"}
{"ImportPath":"m/b","Action":"build-output","Output":"b/b.go:3:12: undefined: undefined\n","File":"b/b.go","Line":3,"Column":12,"EndLine":3,"EndColumn":21,"Text":"undefined: undefined"}
{"ImportPath":"m/b","Action":"build-fail"}
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	for line := range strings.Lines(b.String()) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
