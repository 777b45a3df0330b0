package load

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCommand loads a command of the Go installation: with the packages of its vendor directory,
// without the module in the current directory, and with a declaration that is replaced.
func TestCommand(t *testing.T) {
	files := fstest.MapFS{AnswersDir + "/cmd/internal/telemetry/counter/gyr_open.go": {Data: []byte("package counter\n\nfunc Open() {}\n")}}
	p, err := Load(context.Background(), Options{Dir: t.TempDir(), Command: &Command{Path: "cmd/vet", Files: files}})
	if err != nil && strings.Contains(err.Error(), "cannot find GOROOT") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Main.Func("main") == nil || p.Std("cmd/vendor/golang.org/x/tools/go/analysis/passes/printf") == nil {
		t.Error("the command or a package that it vendors is missing")
	}
	for _, q := range p.Packages {
		if !q.Std {
			t.Errorf("package %s is not of the installation", q.Path)
		}
		if q.Path == "cmd/internal/telemetry/counter" {
			at := p.Fset.Position(q.Types.Scope().Lookup("Open").Pos())
			if filepath.Base(at.Filename) != "gyr_open.go" {
				t.Errorf("Open is that of %s", at)
			}
		}
	}
}
