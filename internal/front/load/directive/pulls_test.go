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

// TestLinknameDocs: docs/linknames.md has the list.
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

A program's go:linkname directives may lead to other packages of the program, in both directions, and to the symbols of
the standard library in this list. A program that reaches another one is refused, and the error names it. The overlay's
package runtime (` + "`_src/runtime/pulled.go`" + `) answers most of them, not the standard library's own functions with these
names. The exceptions are functions on types of package reflect, functions on vectors of package math/big, and
variables of package crypto/tls: they are the packages' own, for programs that import these packages. A declaration must
have the layout of the one here. A call costs as much as a call of the runtime, and the price in the third column, which
is charged before the work is done.

The list is ` + "`internal/front/load/directive/pulls.go`" + `. After adding a line, run

* ` + "`go test ./internal/front/load/directive -run TestLinknameDocs -linknames.update`" + `, which writes this page, and
* ` + "`go test ./internal/suites/hostile -run TestLinknameCalls -linknames.update`" + `, which makes hostile guests for the line.

The last column names the modules that pull a symbol, according to the standard library's own comments.

| symbol | as | price beside the call | who pulls it |
|---|---|---|---|
`

// TestMapLinknames: if the standard library's own comments say that modules pull a function of
// maps, the function is in the list, whatever its pointer size.
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
