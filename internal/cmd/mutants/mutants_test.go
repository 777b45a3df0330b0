//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a source with points of every kind.
const sample = `package p

type kind uint8

type list []int

func small(x int) bool { return x < 10 && x > -5 || x == 100 }

func f(k kind, a []int, m map[int]bool) (n int) {
	for i := 0; i < len(a); i++ {
		switch k {
		case 1, 2:
			continue
		case 3:
			n += a[i] << 2
		}
		n++
		if !m[a[i]] && small(n-i) {
			m[n] = true
			put(a, i, n)
			break
		}
	}
	switch {
	case n > 3:
		return sub(n, 1) &^ 7
	}
	return n
}

func put(a []int, i, x int) { a[i] = x }

func sub(a, b int) int { return a - b }
`

func samplePoints(t *testing.T) *source {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := packagePoints(token.NewFileSet(), &types.Config{}, dir, ".", []string{"p.go"})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// TestPoints: the points of the sample are the expected ones.
func TestPoints(t *testing.T) {
	var got strings.Builder
	for _, m := range samplePoints(t).points {
		fmt.Fprintf(&got, "%d %s: %s => %s\n", m.line, m.fn, m.from, m.to)
	}
	for _, line := range []string{"17 f: n++ => nothing", "18 f: !m[a[i]] => !(!m[a[i]])", "18 f: small(n-i) => !(small(n-i))", "18 f: n-i => n + i",
		"19 f: m[n] = true => nothing", "19 f: true => false", "20 f: put(a, i, n) => put(a, n, i)", "20 f: put(a, i, n) => nothing", "21 f: break => nothing",
		"13 f: continue => nothing", "12 f: 2 => no case 2", "15 f: a[i] << 2 => a[i] >> 2", "15 f: 2 => 3", "15 f: n += a[i] << 2 => n -= a[i] << 2",
		"26 f: sub(n, 1) => sub(1, n)", "26 f: sub(n, 1) &^ 7 => sub(n, 1) & 7", "7 small: x < 10 && x > -5 => x > -5", "7 small: -5 => -6", "7 small: (begin) => return false"} {
		if strings.Count("\n"+got.String(), "\n"+line+"\n") != 1 {
			t.Errorf("%q is there %d times in\n%s", line, strings.Count("\n"+got.String(), "\n"+line+"\n"), got.String())
		}
	}
}

// TestSchemata: with all mutants in it a source still compiles and behaves as before, and with each
// of them on it is another program.
func TestSchemata(t *testing.T) {
	s := samplePoints(t)
	drawn := draw([]*source{s}, 1<<30, 1, "")
	dir := t.TempDir()
	const main = `
func main() {
	for k := range kind(4) {
		for j := range 7 {
			m := map[int]bool{2: true}
			a := []int{5, -6, 2, 9, 1, 40}
			println(f(k, a[:j], m), f(k, a[:j], m), len(m), m[3], a[0], a[1], a[2], a[3], a[4], a[5])
		}
	}
	for i := -9; i < 102; i++ {
		println(small(i))
	}
}
`
	text := strings.Replace(withMutants([]byte(sample), drawn), "package p", "package main", 1) + main
	files := map[string]string{"p.go": text, "on.go": fmt.Sprintf(support, "main", len(drawn)+1), "go.mod": "module p\n\ngo 1.26\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "p", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	run := func(id int) string {
		cmd := exec.Command("sh", "-c", "ulimit -t 1; exec ./p")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), fmt.Sprintf("GYR_MUTANTS=%d", id))
		out, err := cmd.CombinedOutput()
		return string(out) + fmt.Sprint(err)
	}
	want := run(0)
	if !strings.HasSuffix(want, "<nil>") {
		t.Fatal(want)
	}
	same := 0
	for _, m := range drawn {
		if run(m.id) == want {
			t.Logf("no difference: %v", m)
			same++
		}
	}
	if same > len(drawn)/5 {
		t.Errorf("%d of %d mutants make no difference", same, len(drawn))
	}
}

// TestAllCompile: the packages with all their mutants in them type-check.
func TestAllCompile(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := findSources(root)
	if err != nil {
		t.Fatal(err)
	}
	all := draw(sources, 1<<30, 1, "")
	if len(all) < 20_000 {
		t.Errorf("%d mutation points", len(all))
	}
	texts, keys := map[string]string{}, map[string]bool{}
	for _, s := range sources {
		var of []*mutant
		for _, m := range all {
			if m.file == s.name {
				of = append(of, m)
			}
		}
		texts[s.name] = withMutants(s.text, of)
	}
	for _, m := range all {
		if keys[m.key()] {
			t.Fatalf("two mutants are %s", m.key())
		}
		keys[m.key()] = true
	}
	if err := checkTexts(root, texts, len(all)); err != nil {
		t.Error(err)
	}
}

// checkTexts type-checks the packages with other contents for some of their files.
func checkTexts(root string, texts map[string]string, n int) error {
	fset := token.NewFileSet()
	args := []string{"list", "-deps", "-export", "-f", "{{.ImportPath}}={{.Export}}"}
	for _, dir := range mutated() {
		args = append(args, modulePath+"/"+dir)
	}
	export, err := exec.Command("go", args...).Output()
	if err != nil {
		return err
	}
	files := map[string]string{}
	for _, line := range strings.Fields(string(export)) {
		path, file, _ := strings.Cut(line, "=")
		files[path] = file
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })}
	for _, dir := range mutated() {
		names, err := exec.Command("go", "list", "-f", "{{range .GoFiles}}{{.}} {{end}}{{.Name}}", modulePath+"/"+dir).Output()
		if err != nil {
			return err
		}
		var parsed []*ast.File
		words := strings.Fields(string(names))
		for i, name := range words {
			name = dir + "/" + name
			text := any(nil)
			if s := texts[name]; s != "" {
				text = s
			}
			if i == len(words)-1 {
				name, text = "mutants_on.go", fmt.Sprintf(support, words[i], n+1)
			} else if text == nil {
				name = filepath.Join(root, name)
			}
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			parsed = append(parsed, f)
		}
		if _, err := conf.Check(modulePath+"/"+dir, fset, parsed, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestJudged: judged.txt can be read.
func TestJudged(t *testing.T) {
	if _, err := readJudged(); err != nil {
		t.Error(err)
	}
}
