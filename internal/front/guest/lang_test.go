package guest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestLanguage compiles the files of the runtime overlay's language half that need nothing but
// memory. It compiles them natively, under another package name, and compares their results with
// those of the running Go (testdata/lang).
func TestLanguage(t *testing.T) {
	dir := t.TempDir()
	directive := regexp.MustCompile(`(?m)^//go:(linkname .*|noescape)$`)
	builtin := regexp.MustCompile(`\tprint\(`)
	copyfile := func(name, src string) {
		b, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		text := directive.ReplaceAllString("\n"+string(b), "")
		text = strings.Replace(text, "\npackage runtime\n", "\npackage lang\n", 1)
		text = strings.ReplaceAll(text, `"internal/abi"`, `"emulated/abi"`)
		text = strings.ReplaceAll(text, `"internal/goarch"`, `"emulated/goarch"`)
		text = strings.ReplaceAll(text, `"internal/strconv"`, `"emulated/strconv"`)
		if name == "lang/panic.go" {
			text = strings.Replace(text, "\t\trungoexit(gp, p)\n", "\t\tinactivation(p, func() { rungoexit(gp, p) })\n", 1)
		}
		if strings.HasPrefix(name, "lang/") {
			text = builtin.ReplaceAllString(text, "\tbuiltinprint(")
		}
		text = strings.ReplaceAll(text, `"internal/bytealg"`, `bytealg "strings"`)
		text = strings.ReplaceAll(text, `bytealg.IndexByteString`, `bytealg.IndexByte`)
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module emulated\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("alg charge error malloc panic print sizeclass slice string symbols symtab texts126 texts127 traceback") {
		copyfile("lang/"+name+".go", "_src/runtime/"+name+".go")
	}
	for _, name := range strings.Fields("host lang_test panic_test trace_test") {
		copyfile("lang/"+name+".go", "testdata/lang/"+name+".go")
	}
	goroot := runtime.GOROOT()
	for _, pkg := range []string{"abi", "goarch", "strconv"} {
		files, err := filepath.Glob(filepath.Join(goroot, "src/internal", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Skip("no GOROOT sources")
		}
		for _, file := range files {
			name := filepath.Base(file)
			if strings.HasSuffix(name, "_test.go") || name == "funcpc.go" || name == "funcpc_gccgo.go" {
				continue
			}
			copyfile(pkg+"/"+name, file)
		}
	}
	cmd := exec.Command(filepath.Join(goroot, "bin/go"), "test", "-count=1", "-vet=off", "./lang")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
