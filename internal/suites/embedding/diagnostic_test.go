package embedding_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// refusal returns the error of a program that does not compile.
func refusal(t *testing.T, src gyr.Source, opts *gyr.CompileOptions) *gyr.CompileError {
	t.Helper()
	_, err := gyr.Compile(t.Context(), src, opts)
	var refused *gyr.CompileError
	if !errors.As(err, &refused) {
		t.Fatalf("error %v", err)
	}
	return refused
}

// Messages about a program are also available as data, in the order in which they are printed.
func TestDiagnostics(t *testing.T) {
	source := fstest.MapFS{
		"go.mod":  {Data: []byte("module example.com/m\n\ngo 1.26\n")},
		"main.go": {Data: []byte("package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.F() }\n")},
		"a/a.go":  {Data: []byte("package a\n\nfunc F() int {\n\tx := \"é\"\n\treturn 1,\n\t\t\"two\"\n}\n\nvar _ = y\n")},
	}
	src := gyr.Source{FS: source, Patterns: []string{"."}}
	refused := refusal(t, src, nil)
	want := []gyr.Diagnostic{
		{Package: "example.com/m/a", File: "a/a.go", Line: 4, Column: 2, EndLine: 4, EndColumn: 3, Text: "declared and not used: x"},
		{Package: "example.com/m/a", File: "a/a.go", Line: 6, Column: 3, EndLine: 6, EndColumn: 8, Text: "too many return values\n\thave (number, string)\n\twant (int)"},
		{Package: "example.com/m/a", File: "a/a.go", Line: 9, Column: 9, EndLine: 9, EndColumn: 10, Text: "undefined: y"},
	}
	if got := refused.List(); !slices.Equal(got, want) {
		t.Errorf("messages\n%+v\nwant\n%+v", got, want)
	}
	at := 0
	for _, d := range want {
		i := strings.Index(refused.Error()[at:], d.Text)
		if i < 0 {
			t.Fatalf("%q is not behind byte %d of:\n%s", d.Text, at, refused)
		}
		at += i
	}

	source["main.go"] = &fstest.MapFile{Data: []byte("package main\n\nimport \"nosuch/pkg\"\n\nfunc main() { pkg.F() }\n")}
	list := refusal(t, src, nil).List()
	if len(list) != 1 || list[0].Package != "nosuch/pkg" || list[0].Line != 3 || list[0].Column != 8 || list[0].EndColumn != 20 {
		t.Errorf("a missing package: %+v", list)
	}

	// If even the search for the program fails, the error has one message without a place.
	refused = refusal(t, gyr.Source{FS: source, Patterns: []string{"."}}, &gyr.CompileOptions{GOROOT: t.TempDir()})
	if got := refused.List(); len(got) != 1 || got[0] != (gyr.Diagnostic{Text: refused.Error()}) {
		t.Errorf("without Go: %+v", got)
	}
}
