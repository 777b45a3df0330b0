package embedding_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/gyrvm/gyr"
)

// lentModule is a module in the host's cache that calls back, and reports its source position.
const lentModule = `package lent

import (
	"runtime"
	"sort"
)

func Where() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

func Sort(list []int, less func(i, j int) bool) { sort.Slice(list, less) }

func Loop() {
	for {
	}
}
`

const borrower = `package main

import (
	"fmt"
	"os"
	"runtime"

	"example.com/Lent"
)

func main() {
	_, file, _, _ := runtime.Caller(0)
	fmt.Println(file, lent.Where())
	if len(os.Args) > 1 {
		lent.Loop()
	}
	lent.Sort([]int{3, 2, 1}, func(i, j int) bool { panic("in the middle") })
}
`

// lend makes a module cache with one module, without the go command's records of downloads. It
// returns the cache and the lines of go.sum.
func lend(t *testing.T, text string) (cache, sums string) {
	t.Helper()
	cache = filepath.Join(t.TempDir(), "cache")
	dir := filepath.Join(cache, "example.com", "!lent@v1.0.0")
	if err := os.CopyFS(dir, fstest.MapFS{"go.mod": {Data: []byte("module example.com/Lent\n")}, "lent.go": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	tree, err := dirhash.HashDir(dir, "example.com/Lent@v1.0.0", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	mod := t.TempDir()
	if err := os.CopyFS(mod, fstest.MapFS{"go.mod": {Data: []byte("module example.com/Lent\n")}}); err != nil {
		t.Fatal(err)
	}
	own, err := dirhash.HashDir(mod, "", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return cache, fmt.Sprintf("example.com/Lent v1.0.0 %s\nexample.com/Lent v1.0.0/go.mod %s\n", tree, own)
}

// TestModulesOfHost runs a program of an uploaded tree with a module of the host. Neither the guest
// nor its author sees the name of a directory of the host.
func TestModulesOfHost(t *testing.T) {
	cache, sums := lend(t, lentModule)
	upload := fstest.MapFS{
		"app/go.mod":      {Data: []byte("module m\n\ngo 1.26\n\nrequire example.com/Lent v1.0.0\n")},
		"app/go.sum":      {Data: []byte(sums)},
		"app/cmd/main.go": {Data: []byte(borrower)},
	}
	src := gyr.Source{FS: upload, Dir: "app", Patterns: []string{"./cmd"}, Modules: cache}
	installed, err := gyr.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{filepath.Dir(cache), installed.GOROOT + "/"}
	clean := func(what, text string) {
		t.Helper()
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s shows %s:\n%s", what, s, text)
			}
		}
	}
	p, err := gyr.Compile(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(p *gyr.Program, cfg gyr.Config) (string, error) {
		t.Helper()
		var out bytes.Buffer
		cfg.Stdout, cfg.Stderr = &out, &out
		in, err := p.NewInstance(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		err = in.Run(t.Context())
		return fmt.Sprintf("%s%v\n%+v\n%+v", out.String(), err, in.Coverage(), in.Traceback()), err
	}
	text, _ := run(p, gyr.Config{})
	clean("the traceback", text)
	for _, want := range []string{"app/cmd/main.go example.com/Lent@v1.0.0/lent.go\n", "\tapp/cmd/main.go:17 ", "\texample.com/Lent@v1.0.0/lent.go:13 ", "\t$GOROOT/src/sort/slice.go:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text, err = run(p, gyr.Config{Args: []string{"prog", "x"}, Gas: 1_000_000})
	clean("the end of gas", text)
	var gas *gyr.OutOfGasError
	if !errors.As(err, &gas) || gas.File != "example.com/Lent@v1.0.0/lent.go" {
		t.Errorf("out of gas: %v", err)
	}
	image, err := gyr.Build(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	clean("the image", string(image))
	covered := src
	covered.Cover = []string{"example.com/Lent", "m/cmd"}
	blocks, err := gyr.CoverBlocks(t.Context(), covered, nil)
	if err != nil || len(blocks) == 0 {
		t.Fatal(err)
	}
	clean("coverage", fmt.Sprintf("%+v", blocks))

	// Errors.
	src.Modules = ""
	refused := refusal(t, src, nil)
	if want := "app/cmd/main.go:8:2: module example.com/Lent@v1.0.0 is needed, but the host does not grant its modules"; !strings.HasSuffix("app/"+refused.Error()[:len(want)-4], want) {
		t.Errorf("nothing granted: %v", refused)
	}
	src.Limits.Nesting = 20
	src.Modules, sums = lend(t, strings.Replace(lentModule, "for {\n\t}", "_ = "+strings.Repeat("(", 100)+"1"+strings.Repeat(")", 100), 1))
	secrets = append(secrets, filepath.Dir(src.Modules))
	upload["app/go.sum"] = &fstest.MapFile{Data: []byte(sums)}
	_, err = gyr.Compile(t.Context(), src, nil)
	var limit *gyr.CompileLimitError
	if !errors.As(err, &limit) || limit.File != "example.com/Lent@v1.0.0/lent.go" {
		t.Errorf("a limit: %v", err)
	}
	src.Limits = gyr.Limits{}
	upload["app/go.sum"] = &fstest.MapFile{Data: []byte(strings.Replace(sums, "h1:", "h1:AA", 1))}
	list := refusal(t, src, nil).List()
	if len(list) != 1 || !strings.HasPrefix(list[0].Text, "verifying example.com/Lent@v1.0.0: checksum mismatch\n\tdownloaded: h1:") {
		t.Errorf("a wrong sum: %+v", list)
	}
	clean("a wrong sum", fmt.Sprintf("%+v", list))
	src.Modules, sums = lend(t, lentModule+"var x = undefined\n")
	secrets = append(secrets, filepath.Dir(src.Modules))
	upload["app/go.sum"] = &fstest.MapFile{Data: []byte(sums)}
	list = refusal(t, src, nil).List()
	if len(list) != 1 || list[0].File != "example.com/Lent@v1.0.0/lent.go" || list[0].Line != 19 {
		t.Errorf("a module that does not compile: %+v", list)
	}
	clean("what does not compile", fmt.Sprintf("%+v", list))
}
