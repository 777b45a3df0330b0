package testrun

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// age makes all files below dir look old.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Unix(1_700_000_000, 0)
	err := filepath.Walk(dir, func(name string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(name, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCached: a package's result is shown again until something changes that the package could see.
func TestCached(t *testing.T) {
	dir := module(t)
	age(t, dir)
	file := func(name string) string { return filepath.Join(dir, "reads", filepath.FromSlash(name)) }
	write := func(name, text string) func(o *Options) {
		return func(*Options) {
			if err := os.WriteFile(file(name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			age(t, dir)
		}
	}
	verbose := func(o *Options) { o.Verbose = true }
	var last *Report
	for _, test := range []struct {
		name   string
		set    func(o *Options)
		cached bool
	}{
		{"first", nil, false},
		{"again", nil, true},
		{"verbose", verbose, false},
		{"verbose again", verbose, true},
		{"-count", func(o *Options) { o.Flags = []string{"-test.count=1"} }, false},
		{"-run", func(o *Options) { o.Flags = []string{"-test.run=."} }, false},
		{"-run again", func(o *Options) { o.Flags = []string{"-test.run=."} }, true},
		{"another limit", func(o *Options) { o.Config.Gas = 1e9 }, false},
		{"the machine's clock", func(o *Options) { o.Config.Realtime = true }, false},
		{"files that it may change", func(o *Options) { o.Config.Dirs = []api.Dir{{Host: t.TempDir(), Guest: "/x"}} }, false},
		{"no cache", func(o *Options) { o.Source.Cache = "" }, false},
		{"a file that it does not read", write("testdata/unread", "x"), true},
		{"a file that it reads", write("testdata/in.txt", "one, two\n"), false},
		{"a file in a directory that it reads", write("testdata/list/b", ""), false},
		{"a file that was missing", write("testdata/later", ""), false},
		{"nothing", nil, true},
		{"the source", write("reads.go", "package reads\n"), false},
		{"nothing once more", nil, true},
		{"a file that has just changed", func(*Options) { os.WriteFile(file("testdata/in.txt"), []byte("3"), 0o666) }, false},
		{"it still has", nil, false},
	} {
		o, out, _ := options(t, dir, "./reads")
		if test.set != nil {
			test.set(&o)
		}
		usual := o.Flags == nil && !o.Verbose && o.Config.Gas == 0 && !o.Config.Realtime && o.Config.Dirs == nil && o.Source.Cache != ""
		r := report(t, o)
		if cached := strings.HasSuffix(out.String(), "ok  \tm/reads\t(cached)\n"); cached != test.cached {
			t.Errorf("%s: cached %t:\n%s", test.name, cached, out)
		} else if cached && usual && !reflect.DeepEqual(r, last) {
			t.Errorf("%s: used %+v, the first time %+v", test.name, r, last)
		}
		if o.Verbose != strings.Contains(out.String(), "reads_test.go:10: one") {
			t.Errorf("%s: printed:\n%s", test.name, out)
		}
		if usual {
			last = r
		}
	}
}

// TestCachedLikeGo: a cached result is shown as go test shows it.
func TestCachedLikeGo(t *testing.T) {
	dir := module(t)
	age(t, dir)
	for _, flags := range [][]string{nil, {"-v"}, {"-json"}, {"-run=Nothing"}} {
		var want string
		for range 2 {
			want, _, _ = goTest(t, dir, append(flags, "./good", "./bad", "./reads")...)
		}
		o, out, _ := options(t, dir, "./good", "./bad", "./reads")
		for _, f := range flags {
			switch f {
			case "-v":
				o.Verbose = true
			case "-json":
				o.JSON = true
			default:
				o.Flags = append(o.Flags, "-test."+f[1:])
			}
		}
		for range 2 {
			out.Reset()
			report(t, o)
		}
		got := out.String()
		if o.JSON {
			got, want = events(t, got), events(t, want)
		} else {
			got, want = cachedTimes(got), strings.TrimSuffix(cachedTimes(want), "FAIL\n")
		}
		if got != want || !o.JSON && strings.Count(out.String(), "\t(cached)") < 2 {
			t.Errorf("%v: got:\n%s\nwant:\n%s", flags, got, want)
		}
	}
}

// cachedTimes removes times, but not the mark for a missing time.
func cachedTimes(s string) string {
	const mark = "[cached]"
	return strings.ReplaceAll(plain(strings.ReplaceAll(s, "(cached)", mark)), mark, "(cached)")
}

// TestOrder: the packages without a known time start first, then the longest.
func TestOrder(t *testing.T) {
	m := openMemory(&Options{Source: engine.Source{Cache: filepath.Join(t.TempDir(), "cache")}})
	var list []*job
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, &job{Listed: load.Listed{Dir: name, Path: name}})
	}
	m.took(list[0], time.Second)
	m.took(list[1], time.Minute)
	m.took(list[3], 2*time.Second)
	var got bytes.Buffer
	for _, j := range m.order(list) {
		got.WriteString(j.Path)
	}
	if got.String() != "cebda" {
		t.Errorf("order %s", &got)
	}
	if none := (*memory)(nil); len(none.order(list)) != len(list) {
		t.Error("no order without memory")
	}
}
