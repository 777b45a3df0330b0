package filetest_test

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
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
	"github.com/gyrvm/gyr/internal/tools/filetest"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

var (
	all   = flag.Bool("lang.all", false, "run all filetests with the go command too, not a tenth of them each day")
	match = flag.String("lang.match", "", "run the filetests with a match for this regular expression in their names alone, all of them")
)

// langDir has filetests that cover the language specification, one folder for each chapter.
const langDir = "../../../tests/lang"

// sample is n where native Go runs every nth file each day.
const sample = 10

// files are the filetests.
func files(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(langDir + "/*/*_filetest.*")
	if err != nil || len(list) < 300 {
		t.Fatalf("%d filetests, %v", len(list), err)
	}
	if *match != "" {
		*all = true
		re := regexp.MustCompile(*match)
		list = slices.DeleteFunc(list, func(name string) bool { return !re.MatchString(filepath.ToSlash(name)) })
	}
	return list
}

// TestLanguage runs the files in gyr, in both tiers.
func TestLanguage(t *testing.T) {
	cache := t.TempDir()
	for _, tier := range []api.Tier{api.TierInterp, engine.DefaultTier} {
		var out, errs bytes.Buffer
		sum, err := testrun.Run(context.Background(), testrun.Options{
			Source: engine.Source{Cache: cache}, Config: engine.Config{Config: api.Config{Tier: tier}}, Filetests: files(t), Timeout: 10 * time.Minute, Stdout: &out, Stderr: &errs,
		})
		if err != nil || !sum.OK() || sum.Passed != 1 {
			t.Errorf("%s: %+v, %v\n%s%s", tier, sum, err, &out, &errs)
		}
	}
}

// TestLanguageNative runs the files with the go command, which must agree with the goldens. Limits
// and figures are gyr's own.
func TestLanguageNative(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module lang\n\ngo 1.26\n")
	type program struct {
		name, pkg string
		f         *filetest.File
		module    bool // has its own module
	}
	version, err := goCommand(dir, "env", "GOVERSION")
	if err != nil {
		t.Fatalf("go env: %v\n%s", err, version)
	}
	goes := release.Of(strings.TrimSpace(version))
	var run, refused []program
	list := files(t)
	for i, name := range daily.Part(t, list, (len(list)+sample-1)/sample, *all) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !filetest.For(goes, name, src) {
			continue
		}
		var ar *txtar.Archive
		if strings.HasSuffix(name, ".txtar") { // has several packages, or is not read by gofmt
			ar = txtar.Parse(src)
			src = ar.Files[slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "main.go" })].Data
		}
		f, err := filetest.Parse(name, src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := program{name, fmt.Sprintf("p%03d", i), f, ar != nil && len(ar.Files) > 1}
		file := filepath.Base(name)
		text := string(src)
		if ar != nil {
			file = "main.go"
		} else if rest, ok := strings.CutPrefix(text, "//go:build ignore && "); ok {
			text = "//go:build " + rest
		} else if rest, ok := strings.CutPrefix(text, "//go:build ignore\n"); ok {
			text = "//\n" + rest // so that lines keep their numbers
		} else {
			t.Errorf("%s: the go command would take it for a file of a package", name)
		}
		if f.Inputs.Gas > 0 || f.Inputs.Memory > 0 {
			continue
		}
		kind := "run"
		if _, ok := f.Golden("CompileError", ""); ok {
			refused, kind = append(refused, p), "refused"
		} else {
			run = append(run, p)
		}
		at := filepath.Join(dir, kind, p.pkg)
		write(t, filepath.Join(at, file), text)
		if !p.module {
			continue
		}
		write(t, filepath.Join(at, "go.mod"), "module filetest\n\ngo 1.26\n") // as a filetest has it
		for _, f := range ar.Files {
			write(t, filepath.Join(at, f.Name), string(f.Data))
		}
		if kind == "run" {
			if out, err := goCommand(at, "build", "-o", filepath.Join(dir, "bin", p.pkg), "."); err != nil {
				t.Errorf("%s: go build: %v\n%s", name, err, out)
			}
		}
	}
	if out, err := goCommand(dir, "build", "-o", filepath.Join(dir, "bin")+"/", "./run/..."); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, p := range run {
		t.Run(strings.TrimPrefix(p.name, langDir+"/"), func(t *testing.T) { native(t, filepath.Join(dir, "bin", p.pkg), p.name, p.f) })
	}
	if len(refused) == 0 {
		return
	}
	out, err := goCommand(dir, "build", "./refused/...")
	if err == nil {
		t.Error("all programs that should not build do")
	}
	messages := map[string]string{}
	pkg := ""
	for l := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(l, "# lang/refused/"); ok {
			pkg = strings.TrimSpace(name)
			continue
		}
		messages[pkg] += strings.ReplaceAll(l, filepath.Join("refused", pkg)+"/", "")
	}
	for _, p := range refused {
		want, _ := p.f.Golden("CompileError", "")
		got := messages[filepath.Base(p.pkg)]
		if p.module {
			got, _ = goCommand(filepath.Join(dir, "refused", p.pkg), "build", ".")
			got = here.ReplaceAllString(strings.TrimPrefix(got, "# filetest\n"), "$1")
		} else if strings.HasSuffix(p.name, ".txtar") {
			// After a syntax error two parsers continue in different ways.
			want, _, _ = strings.Cut(want, "\n")
			got, _, _ = strings.Cut(got, "\n")
		}
		if reworded[p.name] {
			want, got = place(want), place(got)
		}
		// The compiler's checker and go/types do not always mean the same column.
		if column.ReplaceAllString(got, ":$1:") != column.ReplaceAllString(want, ":$1:") {
			t.Errorf("%s: native Go says\n%s\nwant\n%s", p.name, got, want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// reworded are programs whose errors have different wordings in the compiler's checker and in
// go/types.
var reworded = map[string]bool{
	langDir + "/statements/goto_into_block_filetest.go":       true,
	langDir + "/statements/goto_over_declaration_filetest.go": true,
}

// place returns the place of the first message.
func place(messages string) string {
	return column.FindString(messages)
}

// here matches the go command's way to say that a file is in its directory.
var here = regexp.MustCompile(`(?m)(^|\s)\./`)

var column = regexp.MustCompile(`:(\d+):\d+\b`)

// Native Go reports the field's address for a fault. gyr reports none.
var pc = regexp.MustCompile(` (pc|addr)=0x[0-9a-f]+`)

// native runs a binary and compares its effects with the goldens.
func native(t *testing.T, binary, name string, f *filetest.File) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	cmd.Args = append([]string{strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))}, f.Inputs.Args...)
	cmd.Env = append([]string{"TMPDIR=/tmp", "HOME=/tmp"}, f.Inputs.Env...)
	cmd.Stdin = strings.NewReader(f.Inputs.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	want := func(name string) string { v, _ := f.Golden(name, ""); return v }
	if got := stdout.String(); got != want("Output") {
		t.Errorf("standard output is\n%s\nthe golden\n%s", got, want("Output"))
	}
	errs, report := stderr.String(), want("Error")
	if report != "" {
		var trace string
		errs, trace, _ = strings.Cut(errs, "\n\n")
		header, _, _ := strings.Cut(trace, "\n")
		if golden, _, _ := strings.Cut(want("Stacktrace"), "\n"); golden != "" && header != golden {
			t.Errorf("the trace begins with\n%s\nthe golden with\n%s", header, golden)
		}
		errs = strings.TrimRight(pc.ReplaceAllString(errs, ""), "\n") + "\n"
	}
	if errs != want("Stderr")+pc.ReplaceAllString(report, "") {
		t.Errorf("standard error is\n%s\nthe goldens\n%s%s", errs, want("Stderr"), report)
	}
	status := want("ExitCode")
	switch {
	case status == "" && report != "":
		status = "2"
	case status == "":
		status = "0"
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != status {
		t.Errorf("exit status %s, the golden is %s", got, status)
	}
}
