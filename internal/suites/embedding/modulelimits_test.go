package embedding_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// measuredModule takes something of each limit for modules.
var measuredModule = fstest.MapFS{
	"go.mod": {Data: []byte("module example.com/Lent\n\ngo 1.26\n")},
	"data":   {Data: []byte("0123456789")},
	"lent.go": {Data: []byte(`package lent

import (
	_ "embed"

	"example.com/Lent/more"
)

//go:embed data
var data string

type pair[T any] struct{ a, b T }

func max[T int | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func Max(x any) any {
	switch x := x.(type) {
	case int, bool:
		return x
	case string:
		return max(x, data)
	}
	return pair[int]{max(1, 2), more.Two}
}
`)},
	"more/more.go": {Data: []byte("package more\n\nvar Two = 2\n")},
}

const measuredMain = `package main

import "example.com/Lent"

func main() { println(lent.Max("a") == "b") }
`

// below returns a copy of the files in a directory.
func below(dir string, files fstest.MapFS) fstest.MapFS {
	list := fstest.MapFS{}
	for name, f := range files {
		list[dir+"/"+name] = f
	}
	return list
}

// TestModuleLimits: packages of the module cache count for Limits.Modules alone. The same packages
// in a vendor directory, or in a directory that replaces the module, are the program's own, whose
// limits nobody evades by it. A limit accepts exactly what CompileStats.Measured says.
func TestModuleLimits(t *testing.T) {
	const head = "module m\n\ngo 1.26\n\nrequire example.com/Lent v1.0.0\n"
	cache, sums := lendFiles(t, measuredModule)
	required := fstest.MapFS{"go.mod": {Data: []byte(head)}, "go.sum": {Data: []byte(sums)}, "main.go": {Data: []byte(measuredMain)}}
	vendored := maps.Clone(required)
	maps.Copy(vendored, below("vendor/example.com/Lent", measuredModule))
	delete(vendored, "vendor/example.com/Lent/go.mod")
	vendored["vendor/modules.txt"] = &fstest.MapFile{Data: []byte("# example.com/Lent v1.0.0\n## explicit; go 1.26\nexample.com/Lent\nexample.com/Lent/more\n")}
	replaced := maps.Clone(required)
	maps.Copy(replaced, below("lent", measuredModule))
	replaced["go.mod"] = &fstest.MapFile{Data: []byte(head + "\nreplace example.com/Lent => ./lent\n")}

	var apart, own gyr.Limits
	for _, c := range []struct {
		name  string
		files fstest.MapFS
	}{{"required", required}, {"vendored", vendored}, {"replaced", replaced}} {
		src := gyr.Source{FS: c.files, Modules: cache, Limits: gyr.UntrustedLimits()}
		p, err := gyr.Compile(t.Context(), src, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m := p.Stats().Measured
		switch c.name {
		case "required":
			apart = m
		case "vendored":
			own = m
			if a, b := apart.SourceBytes+apart.Modules.SourceBytes, own.SourceBytes; a != b {
				t.Errorf("%d bytes apart, %d together", a, b)
			}
		default:
			if m != own {
				t.Errorf("%s: %+v, vendored: %+v", c.name, m, own)
			}
		}
		if (m.Modules == gyr.ModuleLimits{}) != (c.name != "required") {
			t.Errorf("%s: modules take %+v", c.name, m.Modules)
		}
		eachLimit(t, c.name, src, m)
	}
}

// eachLimit checks each limit of which a program takes something: the measure is accepted, and one
// less is refused.
func eachLimit(t *testing.T, name string, src gyr.Source, m gyr.Limits) {
	t.Helper()
	check := func(field string, measured int64, set func(l *gyr.Limits, n int64)) {
		src.Limits = gyr.UntrustedLimits()
		set(&src.Limits, measured)
		if _, err := gyr.Compile(t.Context(), src, nil); err != nil {
			t.Errorf("%s, with its measure of %s: %v", name, field, err)
		}
		set(&src.Limits, measured-1)
		_, err := gyr.Compile(t.Context(), src, nil)
		var over *gyr.CompileLimitError
		switch {
		case !errors.As(err, &over) || over.Limit != field || over.Max != measured-1:
			t.Errorf("%s, with less than its measure of %s: %v", name, field, err)
		case over.Measured != 0 && over.Measured != measured:
			t.Errorf("%s: %v: %d are measured, want %d", name, err, over.Measured, measured)
		}
	}
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		field := v.Type().Field(i).Name
		if f := v.Field(i); f.Kind() == reflect.Int64 && f.Int() > 1 {
			check(field, f.Int(), func(l *gyr.Limits, n int64) { reflect.ValueOf(l).Elem().Field(i).SetInt(n) })
		}
	}
	v = reflect.ValueOf(m.Modules)
	for i := range v.NumField() {
		field := v.Type().Field(i).Name
		if n := v.Field(i).Int(); n > 1 {
			check("Modules."+field, n, func(l *gyr.Limits, n int64) { reflect.ValueOf(&l.Modules).Elem().Field(i).SetInt(n) })
		} else if n == 0 && name == "required" {
			t.Errorf("the module takes nothing of %s", field)
		}
	}
}

// TestSourceBytes: the error of sources that are too large has the size of all of them, whichever
// file was read first. Far beyond the limits, counting ends.
func TestSourceBytes(t *testing.T) {
	files := fstest.MapFS{"go.mod": {Data: []byte("module m\n\ngo 1.26\n")}}
	imports := ""
	for i := range 20 {
		name := fmt.Sprintf("p%d", i)
		imports += fmt.Sprintf("import _ \"m/%s\"\n", name)
		files[name+"/a.go"] = &fstest.MapFile{Data: []byte("package p\n//" + strings.Repeat("x", 2000) + "\nvar x = undefined\n")}
		files[name+"/b.go"] = &fstest.MapFile{Data: []byte("package p\n")} // counts as 1024 bytes
	}
	files["main.go"] = &fstest.MapFile{Data: []byte("package main\n" + imports + "func main() { ) }\n")}
	total := int64(1024 + 20*1024)
	for name, f := range files {
		if strings.HasSuffix(name, "a.go") {
			total += int64(len(f.Data))
		}
	}
	for range 10 {
		for _, c := range []struct {
			own, modules, measured int64
			want                   string
		}{
			{total - 1, 0, total, fmt.Sprintf("the program's own files have %d bytes, more than the limit of %d (Limits.SourceBytes)", total, total-1)},
			{2000, total, total, fmt.Sprintf("the program's own files have %d bytes, more than the limit of 2000 (Limits.SourceBytes)", total)},
			{2000, 1000, 0, "the program's files and those of its modules together have more than 6000 bytes, more than the limit of 2000 (Limits.SourceBytes)"},
		} {
			_, err := gyr.Compile(t.Context(), gyr.Source{FS: files, Limits: gyr.Limits{SourceBytes: c.own, Modules: gyr.ModuleLimits{SourceBytes: c.modules}}}, nil)
			var over *gyr.CompileLimitError
			if !errors.As(err, &over) || over.Measured != c.measured || err.Error() != c.want {
				t.Fatalf("%v, want\n%s", err, c.want)
			}
		}
	}
}
