package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A selection is the set of tests that a command of .ci/run selects.
type selection struct {
	flag, pattern string
	packages      []string // as in the command: ./store, ./internal/front/...
}

// TestNamesInCI: each name in a -run or -skip of .ci/run is the name of a test in one of the
// command's packages. Otherwise a renamed test would silently not run, or run where it should not.
func TestNamesInCI(t *testing.T) {
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	list := selections(string(script))
	if len(list) < 10 {
		t.Fatalf("only %d selections: the script is no longer read as it is written", len(list))
	}
	for _, s := range list {
		for _, name := range s.unknown(t, "..") {
			t.Errorf("%s %q: nothing in %s is called %s", s.flag, s.pattern, strings.Join(s.packages, " "), name)
		}
	}
}

// TestUnknownNames shows that the names of tests and subtests count, with and without anchors.
func TestUnknownNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/a_test.go":           "package a\nfunc TestOne(t *testing.T) {\n\tt.Run(\"Part\", nil)\n}\nfunc TestTwoThings(t *testing.T) {}\n",
		"a/testdata/case.txtar": "",
		"a/b/b_test.go":         "package b\nfunc TestBelow(t *testing.T) {}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ line, want string }{
		{"go test -run 'One|TwoThings' ./a", ""},
		{"go test -run '^Test(One|TwoThings)$' ./a", ""},
		{"go test -run One -skip='Two$' ./a", "Two$"},
		{"go test -run 'TestOne/(Part|case|other)$' ./a", "other"},
		{"go test -run '/Part$' \\\n\t./a", ""},
		{"go test -run 'Below' ./a", "Below"},
		{"go test -run 'Below' ./a/...", ""},
		{"go test -run '^$' -fuzz x ./a", ""},
		{`go test -run "^($names)\$" ./a`, ""},
	} {
		var unknown []string
		for _, s := range selections(tt.line) {
			unknown = append(unknown, s.unknown(t, dir)...)
		}
		if got := strings.Join(unknown, " "); got != tt.want {
			t.Errorf("%s: unknown are %q, want %q", tt.line, got, tt.want)
		}
	}
}

// words matches the words of a command, quoted or not.
var words = regexp.MustCompile(`'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"]+`)

// selections returns the selections of a script's commands. It leaves out patterns that the script
// computes.
func selections(script string) (list []selection) {
	for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
		at := strings.Index(line, "go test ")
		if at < 0 || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		var packages []string
		first := len(list)
		args := words.FindAllString(strings.NewReplacer("-run=", "-run ", "-skip=", "-skip ").Replace(line[at:]), -1)
		for i, arg := range args {
			if arg == "." || strings.HasPrefix(arg, "./") {
				packages = append(packages, arg)
			}
			if (arg != "-run" && arg != "-skip") || i+1 == len(args) {
				continue
			}
			if pattern := args[i+1]; !strings.HasPrefix(pattern, `"`) {
				list = append(list, selection{flag: arg, pattern: strings.Trim(pattern, "'")})
			}
		}
		for k := range list[first:] {
			list[first+k].packages = packages
		}
	}
	return list
}

// unknown returns the names in a pattern that match no test in the packages below root.
func (s selection) unknown(t *testing.T, root string) (names []string) {
	t.Helper()
	var tests, parts strings.Builder // the names of tests, one a line, and text that may contain names of subtests
	for _, pkg := range s.packages {
		dir, below := strings.CutSuffix(pkg, "/...")
		dir = filepath.Join(root, dir)
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			parts.WriteString("\"" + strings.TrimSuffix(d.Name(), filepath.Ext(path)) + "\"\n")
			if !strings.HasSuffix(path, ".go") {
				return nil
			}
			text, err := os.ReadFile(path)
			parts.Write(text)
			if strings.HasSuffix(path, "_test.go") && (below || filepath.Dir(path) == dir) {
				for _, m := range declared.FindAllSubmatch(text, -1) {
					tests.WriteString(string(m[1]) + "\n")
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	test, part, _ := strings.Cut(s.pattern, "/")
	for _, name := range alternatives(test) {
		if !regexp.MustCompile(`(?m)` + name).MatchString(tests.String()) {
			names = append(names, name)
		}
	}
	for _, name := range alternatives(part) {
		if name = strings.Trim(name, "^$"); !strings.Contains(parts.String(), `"`+name+`"`) {
			names = append(names, name)
		}
	}
	return names
}

var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// alternatives splits a pattern such as a|b, ^(a|b)$ or ^Test(a|b)$, as the script writes it.
func alternatives(pattern string) (list []string) {
	before, rest, grouped := strings.Cut(pattern, "(")
	inner, after, _ := strings.Cut(rest, ")")
	if !grouped || strings.Contains(before, "|") {
		before, inner, after = "", pattern, ""
	}
	for name := range strings.SplitSeq(inner, "|") {
		list = append(list, before+name+after)
	}
	return slices.DeleteFunc(list, func(name string) bool { return strings.Trim(name, "^$") == "" })
}
