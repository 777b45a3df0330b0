package load

import (
	"strings"
	"testing"
)

// vendoring is a program with three vendored modules: one unchanged, one replaced by a version, one
// by a directory.
const vendoring = `
-- go.mod --
module m
go 1.26
require (
	example.com/a v1.0.0
	example.com/b v1.1.0
	example.com/c v1.2.0
)
replace example.com/b v1.1.0 => example.com/bb v1.5.0
replace example.com/c => ./c
-- main.go --
package main
import (
	"example.com/a"
	"example.com/b"
	"example.com/c"
)
const V = a.V + b.V + c.V
func main() {}
-- c/go.mod --
module example.com/c
-- vendor/example.com/a/a.go --
package a
const V = "a"
-- vendor/example.com/b/b.go --
package b
const V = "b"
-- vendor/example.com/c/c.go --
package c
const V = "c"
`

const modulesTxt = `# example.com/a v1.0.0
## explicit; go 1.21
example.com/a
# example.com/b v1.1.0 => example.com/bb v1.5.0
## explicit
example.com/b
# example.com/c v1.2.0 => ./c
## explicit; go 1.18
example.com/c
# example.com/c => ./c
`

// TestVendorConsistency expects the go command's errors about a vendor directory.
func TestVendorConsistency(t *testing.T) {
	const head = "inconsistent vendoring in "
	for _, c := range []struct {
		name, old, now string // in modules.txt
		want           string
		differ         string // why the go command says something else
	}{
		{"consistent", "", "", "", ""},
		{"not explicit", "## explicit; go 1.21\n", "## go 1.21\n", "example.com/a@v1.0.0: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt", ""},
		{"another version", "a v1.0.0", "a v1.0.1", "example.com/a@v1.0.1: is marked as explicit in vendor/modules.txt, but not explicitly required in go.mod", ""},
		{"not replaced", " => example.com/bb v1.5.0", "", "example.com/b@v1.1.0: is replaced in go.mod, but not marked as replaced in vendor/modules.txt", ""},
		{"replaced by another", "bb v1.5.0", "bb v1.6.0", "example.com/b@v1.1.0: is replaced by example.com/bb@v1.5.0 in go.mod, but marked as replaced by example.com/bb@v1.6.0 in vendor/modules.txt", ""},
		{"no wildcard", "# example.com/c => ./c\n", "", "example.com/c: is replaced in go.mod, but not marked as replaced in vendor/modules.txt", ""},
		{"replaced in vain", "a v1.0.0\n", "a v1.0.0 => ./a\n", "example.com/a@v1.0.0: is marked as replaced in vendor/modules.txt, but not replaced in go.mod", ""},
		{"one more", "# example.com/a", "# example.com/d v1.0.0\n## explicit\nexample.com/d\n# example.com/a", "example.com/d@v1.0.0: is marked as explicit in vendor/modules.txt, but not explicitly required in go.mod", ""},
		{"one more that is not explicit", "# example.com/a", "# example.com/d v1.0.0\nexample.com/d\n# example.com/a", "", "it wants it in go.mod"},
		{"a line that nobody understands", "# example.com/a", "# example.com/d\n# example.com/e what\nexample.com/f\n# example.com/a", "", ""},
		{"of a future Go", "go 1.21", "go 1.99", "module example.com/a@v1.0.0 requires go1.99, but gyr runs ", "it names no cure"},
		{"for a workspace", "# example.com/a v1", "## workspace\n# example.com/a v1", "missing go.sum entry", "it reads the graph before it says that c is empty"},
		{"everything", modulesTxt, "", "To sync the vendor directory, run:\n\t\tgo mod vendor", ""},
	} {
		h := newHost(t, cachedModules, vendoring)
		text := modulesTxt
		if c.old != "" {
			text = strings.Replace(text, c.old, c.now, 1)
		}
		writeTree(t, h.dir, "-- vendor/modules.txt --\n"+text)
		got := h.load(".")
		if !strings.Contains(got, c.want) || got != "" && c.want == "" || strings.Contains(c.want, "required in go.mod") && !strings.HasPrefix(got, head) {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
		if theirs := h.golist("."); theirs != got && c.differ == "" {
			t.Errorf("%s: the go command says\n%s\nand the loader\n%s", c.name, theirs, got)
		}
	}
}

// TestVendorWorkspace vendors for a workspace, with a replacement of a module in it.
func TestVendorWorkspace(t *testing.T) {
	const program = `
-- go.work --
go 1.26
use (
	./app
	./lib
)
replace example.com/a => ./mine
-- app/go.mod --
module m
go 1.26
require example.com/a v1.0.0
-- app/main.go --
package main
import ("example.com/lib"; "example.com/a")
const V = lib.V + a.V
func main() {}
-- lib/go.mod --
module example.com/lib
go 1.24
require example.com/b v1.1.0
replace example.com/b => ../other
-- lib/lib.go --
package lib
import "example.com/b"
const V = b.V
-- other/go.mod --
module example.com/b
-- mine/go.mod --
module example.com/a
-- vendor/example.com/a/a.go --
package a
const V = "a"
-- vendor/example.com/b/b.go --
package b
const V = "b"
`
	const list = "## workspace\n# example.com/a v1.0.0 => ./mine\n## explicit\nexample.com/a\n# example.com/b v1.1.0 => ./other\n## explicit\nexample.com/b\n# example.com/a => ./mine\n# example.com/b => ./other\n"
	for _, c := range []struct{ name, old, now, want string }{
		{"consistent", "", "", ""},
		{"another directory", "=> ./other", "=> ../other", "example.com/b: is replaced by ../other in lib/go.mod, but marked as replaced by"},
		{"not required", "# example.com/a =>", "# example.com/d v1.0.0\n## explicit\nexample.com/d\n# example.com/a =>", "example.com/d@v1.0.0: is marked as explicit in vendor/modules.txt, but not explicitly required in a go.mod"},
		{"not for a workspace", "## workspace\n", "", "does not exist"},
	} {
		h := newHost(t, cachedModules, program)
		text := list
		if c.old != "" {
			text = strings.ReplaceAll(text, c.old, c.now)
		}
		writeTree(t, h.dir, "-- vendor/modules.txt --\n"+text)
		got, theirs := h.load("./app"), h.golist("./app")
		if c.name == "not for a workspace" { // the loader looks at the directories that replace modules
			if got == "" || theirs == "" {
				t.Errorf("%s: got %q, the go command %q", c.name, got, theirs)
			}
			continue
		}
		if !strings.Contains(got, c.want) || got != "" && c.want == "" {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
		if theirs != got {
			t.Errorf("%s: the go command says\n%s\nand the loader\n%s", c.name, theirs, got)
		}
	}
}
