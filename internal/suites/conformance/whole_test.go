package conformance

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

var wholeFlag = flag.String("whole", "", "run the programs of testdata/whole that match, `all` for all")

// A wholeProgram is a program written by others, with its task. testdata/whole is a module whose
// go.mod has the programs as tools, in pinned versions; its folder in has their input.
type wholeProgram struct {
	path  string
	args  []string
	stdin func() []byte
}

var wholePrograms = []wholeProgram{
	{path: "mvdan.cc/gofumpt", args: []string{"-d", "in/fmt.go.txt"}},
	{path: "mvdan.cc/sh/v3/cmd/gosh", args: []string{"in/s.sh"}},
	{path: "github.com/evanw/esbuild/cmd/esbuild", args: []string{"in/a.js", "--bundle", "--minify", "--format=iife", "--target=es2018"}},
	{path: "github.com/google/go-jsonnet/cmd/jsonnet", args: []string{"in/t.jsonnet"}},
	{path: "github.com/dop251/goja/goja", args: []string{"in/g.js"}},
	{path: "github.com/klauspost/compress/s2/cmd/s2c", args: []string{"-c", "-q", "-cpu=1", "-"}, stdin: records},
	{path: "github.com/traefik/yaegi/cmd/yaegi", args: []string{"run", "in/y.go.txt"}},
	{path: "github.com/d5/tengo/v2/cmd/tengo", args: []string{"in/x.tengo"}},
	{path: "github.com/mikefarah/yq/v4", args: []string{"-p=json", "-o=yaml", "[.[] | select(.id % 500 == 7)]", "-"}, stdin: records},
}

// records is a table in JSON.
func records() []byte {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%c{\"id\":%d,\"name\":\"n%d\",\"tags\":[\"%c\",\"%c\"],\"x\":{\"y\":%g}}", "[,"[min(i, 1)], i, i*i%977, 'a'+i%6,
			'f'-i%5, float64(i)/7)
	}
	return []byte(b.String() + "]")
}

// TestWhole: programs of others print the same as natively and end with the same status, with only
// their directory granted. It logs the times of both.
func TestWhole(t *testing.T) {
	if *wholeFlag == "" {
		t.Skip("fetches and builds nine programs of others: run with -whole all")
	}
	re, err := regexp.Compile(strings.TrimPrefix(*wholeFlag, "all"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata/whole")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	for _, p := range wholePrograms {
		if !re.MatchString(p.path) {
			continue
		}
		t.Run(p.path, func(t *testing.T) { p.compare(t, dir, cache) })
	}
}

func (p *wholeProgram) compare(t *testing.T, dir, cache string) {
	binary := filepath.Join(t.TempDir(), "native")
	build := exec.Command("go", "build", "-mod=readonly", "-o", binary, p.path)
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "dial tcp") || strings.Contains(string(out), "lookup ") {
			t.Skipf("modules cannot be fetched: %s", firstLine(string(out)))
		}
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var stdin []byte
	if p.stdin != nil {
		stdin = p.stdin()
	}
	native := exec.Command(binary, p.args...)
	native.Dir, native.Stdin = dir, bytes.NewReader(stdin)
	start := time.Now()
	var want, wantErrors bytes.Buffer
	native.Stdout, native.Stderr = &want, &wantErrors
	if err := native.Run(); native.ProcessState == nil {
		t.Fatal(err)
	}
	took, status := time.Since(start), native.ProcessState.ExitCode()
	prog, err := gyr.Compile(context.Background(), wholeSource(dir, p.path), &gyr.CompileOptions{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"first", "again"} {
		var out, stderr bytes.Buffer
		cfg := gyr.Config{Tier: gyr.Tier(*tierFlag), Memory: gyr.DefaultMemory}
		cfg.Args, cfg.Stdin, cfg.Stdout, cfg.Stderr = p.args, bytes.NewReader(stdin), &out, &stderr
		cfg.Dirs = []gyr.Dir{{Host: dir, Guest: "/", ReadOnly: true}}
		start = time.Now()
		in, err := prog.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		code := exitCode(in.Run(context.Background()))
		in.Close()
		sandboxed := time.Since(start)
		got, wanted := out.String()+undated(&stderr), want.String()+undated(&wantErrors)
		if got != wanted || code != status {
			t.Fatalf("%s run: status %d, natively %d: %s\nstderr: %s", run, code, status, firstDiff(got, wanted), clip(stderr.String()))
		}
		t.Logf("%s run: %d bytes of output, %v, natively with the start of its process %v", run, len(wanted), sandboxed, took)
	}
}

// undated is a program's standard error without the times that package log writes.
func undated(b *bytes.Buffer) string { return logTime.ReplaceAllString(b.String(), "") }

var logTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

func wholeSource(dir, path string) gyr.Source {
	return gyr.Source{Dir: dir, Patterns: []string{path}, Unsafe: gyr.UnsafeAll}
}

// exitCode returns the exit status that the command would have.
func exitCode(err error) int {
	var exit *gyr.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return -1
}
