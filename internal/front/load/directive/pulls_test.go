package directive

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var updateLinknames = flag.Bool("linknames.update", false, "write docs/linknames.md")

// TestLinknameDocs holds that docs/linknames.md has the list.
func TestLinknameDocs(t *testing.T) {
	const name = "../../../../docs/linknames.md"
	var b bytes.Buffer
	b.WriteString(linknamesHead)
	for _, l := range Answers() {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", l.Symbol, l.Sig, l.Price, l.Why)
	}
	if *updateLinknames {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s does not have the list (%v): go test ./internal/front/load/directive -run TestLinknameDocs -linknames.update", name, err)
	}
}

const linknamesHead = `# Linknames into the standard library

A program's go:linkname directives may lead to other packages of the program, in both directions, and to these symbols of the
standard library. All others are refused by name where the program reaches them. The functions are answered by the overlay's
package runtime (` + "`_src/runtime/pulled.go`" + `), not by what the standard library has under the name, but for those that ask types of
package reflect or work on vectors of package math/big, and for variables of package crypto/tls, which are the packages' own, for programs that import them; a declaration has to have the layout of the one here. A call costs what a call of the runtime does, and what the third column says before the work is done. The list is
` + "`internal/front/load/directive/pulls.go`" + `; who adds a line runs ` + "`go test ./internal/front/load/directive -run TestLinknameDocs -linknames.update`" + ` and
` + "`go test ./internal/suites/hostile -run TestLinknameCalls -linknames.update`" + `, which makes hostile guests of it. Who pulls a symbol is
what the standard library's own comments say.

| symbol | as | price beside the call | who pulls it |
|---|---|---|---|
`

// TestMapLinknames holds that the functions of maps that the standard library's own comments say modules pull are in the
// list, whatever the size of a pointer for which they are.
func TestMapLinknames(t *testing.T) {
	directive := regexp.MustCompile(`((?://.*\n)+)//go:linkname (\w+)(?: (\S+))?\n`)
	found := 0
	for _, dir := range []string{"runtime", "reflect", "internal/runtime/maps"} {
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s: %v", dir, err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range directive.FindAllStringSubmatch(string(src), -1) {
				symbol := cmp.Or(m[3], dir+"."+m[2])
				if !strings.Contains(m[1], "hall of shame") || !strings.Contains(m[2], "map") || strings.HasSuffix(m[2], "verify1") {
					continue
				}
				found++
				if len(AnswersTo(symbol)) == 0 {
					t.Errorf("%s: %s is not in the list", filepath.Base(name), symbol)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d map functions have comments about who pulls them", found)
	}
}
