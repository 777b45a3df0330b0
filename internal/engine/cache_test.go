package engine

import (
	"context"
	"flag"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// Every field of Source is part of the identity of a program, or changes nothing in the compiled
// program.
func TestIdentityOfSource(t *testing.T) {
	nothing := map[string]bool{"Verify": true, "Cache": true, "Standalone": true, "Progress": true, "Moved": true, "Observer": true,
		"BaseOnly": true, "Warm": true, "Native": true, "Rebuild": true, "Recompile": true, "Plan": true, "Resident": true,
		"Upgrades": true, "Shift": true} // programs with these two are not in the cache
	values := map[string]any{
		"Dir": "/tmp", "Patterns": []string{"x.go"}, "Tags": []string{"x"}, "NoPass": []string{"phaseb"},
		"Image": []byte("image"), "Unsafe": api.UnsafeDependencies, "Test": true, "State": true, "Cover": []string{"x"}, "Exports": true, "FS": fstest.MapFS{}, "Base": &Base{}, "NoBase": true,
		"Limits": api.Limits{Nesting: 1}, "Modules": "/tmp", "Host": []api.HostPackage{{Path: "example.com/x", Source: "package x"}}, "Settings": load.Settings{Mod: "vendor"}, "Command": &load.Command{Path: "cmd/x"},
	}
	base, err := (&Source{}).Identity()
	if err != nil {
		t.Skip(err)
	}
	for i := range reflect.TypeFor[Source]().NumField() {
		name := reflect.TypeFor[Source]().Field(i).Name
		if nothing[name] || !reflect.TypeFor[Source]().Field(i).IsExported() || name == "GOROOT" {
			continue
		}
		v, ok := values[name]
		if !ok {
			t.Errorf("field %s: does it decide what is compiled? then it belongs to identity, and here", name)
			continue
		}
		var src Source
		reflect.ValueOf(&src).Elem().Field(i).Set(reflect.ValueOf(v))
		id, err := src.Identity()
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(id, base) {
			t.Errorf("field %s is not part of the identity", name)
		}
	}
	if _, err := (&Source{GOROOT: t.TempDir()}).Identity(); err == nil {
		t.Error("a missing GOROOT has an identity")
	}
}

var allCode = flag.Bool("code", false, "compare the code of all functions in TestCodeFromCache, not of a part each day")

// A function is compiled to the same code whether its module comes from the cache or not, whatever
// was compiled before it.
func TestCodeFromCache(t *testing.T) {
	daily.Turn(t, 3, false)
	fsys := fstest.MapFS{"main.go": {Data: []byte(`package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

type point struct{ X, Y int }

func main() {
	b, err := json.Marshal(map[string]any{"a": point{1, 2}})
	xs := strings.Fields("c b a")
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	defer func() { fmt.Println(recover()) }()
	fmt.Println(string(b), err, xs, xs[len(b)])
}
`)}}
	src := Source{FS: fsys, Patterns: []string{"main.go"}, Cache: filepath.Join(t.TempDir(), "cache")}
	var programs [3]*Program
	for i := range programs {
		if i == 2 {
			src.Cache = ""
		}
		var err error
		if programs[i], err = Compile(context.Background(), src); err != nil {
			t.Fatal(err)
		}
	}
	cold, warm, plain := programs[0], programs[1], programs[2]
	if warm.Stats().Cached != api.CacheHit {
		t.Fatal(warm.Stats().Cached, warm.Stats().CacheNote)
	}
	text := func(p *Program, i int32) string {
		code, err := p.program()
		if err != nil {
			t.Fatal(err)
		}
		fc, err := code.Compile(i)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := fc.Print(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	n := int32(cold.mod.NumFuncs())
	if warm.mod.NumFuncs() != int(n) || plain.mod.NumFuncs() != int(n) {
		t.Fatal("modules of different sizes")
	}
	differ := 0
	today := daily.Numbers(t, int(n)-1, int(n)/4, *allCode)
	for _, k := range today {
		i := int32(k) + 1
		want := text(plain, i)
		for _, p := range []*Program{cold, warm} {
			if got := text(p, i); got != want {
				if differ++; differ < 3 {
					t.Errorf("code of %s:\n%s\nwant\n%s", cold.mod.Func(int(i)).Name, got, want)
				}
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d functions differ", differ)
	}
	// Code compiled so far is saved, and read by the next Compile.
	if err := cold.disk.save(cold); err != nil {
		t.Fatal(err)
	}
	src.Cache = cold.disk.dir.Path()
	again, err := Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range today {
		i := int32(k) + 1
		if text(again, i) != text(plain, i) {
			t.Fatalf("code of %s differs", again.mod.Func(int(i)).Name)
		}
	}
	if c := again.Stats().Compiled; c != 0 {
		t.Errorf("%d functions compiled", c)
	}
}
