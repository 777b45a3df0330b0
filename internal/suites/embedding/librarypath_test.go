package embedding_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// pathLibrary is a library whose functions say their names, and end in several ways.
const pathLibrary = `package rules

import (
	"log/slog"
	"os"
	"reflect"
	"runtime"
)

type Rule struct{}

func name() string {
	pc, _, _, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name()
}

func (Rule) Method() string   { return name() }
func (*Rule) Pointer() string { return name() }

func generic[T any]() string { return name() }

var early = func() string { return name() }()

func Names() []string {
	lit := func() string { return func() string { return name() }() }
	return []string{name(), lit(), Rule{}.Method(), (&Rule{}).Pointer(), generic[int](), early, reflect.TypeFor[Rule]().PkgPath()}
}

func Handle(list []int) int {
	return at(list, 5)
}

//go:noinline
func at(list []int, i int) int { return list[i] }

func Log() {
	slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{AddSource: true})).Info("hello")
}

func Loop() {
	for {
	}
}
`

// TestLibraryPath: the package that Exports names keeps its import path wherever a function's name
// is shown, as in native Go. A package main is main.
func TestLibraryPath(t *testing.T) {
	for _, c := range []struct {
		name, pkg, path string
		src             gyr.Source
		file            string
	}{
		{"a module's root", "rules", "example.com/my.rules", gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/my.rules\n\ngo 1.26\n")}}}, "rules.go"},
		{"a package below", "rules", "example.com/plugins/rules", gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/plugins\n\ngo 1.26\n")}}, Patterns: []string{"./rules"}}, "rules/rules.go"},
		{"its import path", "rules", "example.com/plugins/rules", gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/plugins\n\ngo 1.26\n")}}, Patterns: []string{"example.com/plugins/rules"}}, "rules/rules.go"},
		{"without a module", "rules", "command-line-arguments", gyr.Source{FS: fstest.MapFS{}}, "rules.go"},
		{"a file", "rules", "command-line-arguments", gyr.Source{FS: fstest.MapFS{}, Patterns: []string{"rules.go"}}, "rules.go"},
		{"package main", "main", "main", gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/plugins\n\ngo 1.26\n")}}}, "rules.go"},
		{"a file of package main", "main", "main", gyr.Source{FS: fstest.MapFS{}, Patterns: []string{"rules.go"}}, "rules.go"},
	} {
		src := c.src
		src.Exports = true
		src.FS.(fstest.MapFS)[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(pathLibrary, "package rules", "package "+c.pkg, 1))}
		p, err := gyr.Compile(t.Context(), src, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		// Names of functions escape dots of the last element, as the linker's do.
		path := strings.Replace(c.path, "my.rules", "my%2erules", 1)
		var logged bytes.Buffer
		in, err := p.NewInstance(t.Context(), gyr.Config{Gas: 1_000_000, Profiles: gyr.GasProfile, Stdout: &logged})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		got, err := in.Call(t.Context(), "Names")
		want := []string{path + ".Names", path + ".Names.func1.1", path + ".Rule.Method", path + ".(*Rule).Pointer", path + ".generic[...]", path + ".init.func1", c.path}
		if err != nil || fmt.Sprint(got[0]) != fmt.Sprint(want) {
			t.Errorf("%s: %v %v, want\n%v", c.name, got, err, want)
		}
		if _, err := in.Call(t.Context(), "Log"); err != nil || !strings.Contains(logged.String(), `"source":{"function":"`+path+`.Log","file":"`+c.file+`","line":`) {
			t.Errorf("%s: %v, %s", c.name, err, logged.String())
		}
		_, err = in.Call(t.Context(), "Handle", []int{1})
		var ended *gyr.PanicError
		if !errors.As(err, &ended) || ended.Func != path+".at" || len(ended.Frames) != 2 || ended.Frames[1].Func != path+".Handle" || !strings.Contains(ended.Trace, "\n"+path+".Handle(") {
			t.Errorf("%s: %v, %+v", c.name, err, ended)
		}
		seen := false
		for _, f := range parseProfile(t, in, gyr.GasProfile).Function {
			seen = seen || f.Name == path+".Handle"
		}
		lines, err := in.GasLines()
		for _, l := range lines {
			seen = seen && !strings.HasPrefix(l.Func, "main.") || c.pkg == "main"
		}
		if err != nil || !seen {
			t.Errorf("%s: profiles: %v, %v", c.name, err, lines)
		}
		if err := in.Reset(gyr.Config{Gas: 1_000_000}); err != nil {
			t.Fatal(err)
		}
		var gas *gyr.OutOfGasError
		if _, err := in.Call(t.Context(), "Loop"); !errors.As(err, &gas) || gas.Func != path+".Loop" {
			t.Errorf("%s: %v", c.name, err)
		}
		if trace := in.Traceback(); len(trace) == 0 || trace[0].Func != path+".Loop" {
			t.Errorf("%s: %v", c.name, trace)
		}
	}
}
