package load

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbed(t *testing.T) {
	const text = `
-- go.mod --
module m
go 1.26
-- main.go --
package main

import "embed"

//go:embed a.txt
var s string

//go:embed "a.txt"
var b []byte

type text string

var (
	//go:embed a.txt
	named text

	//go:embed d *.txt
	//go:embed all:h/sub
	files embed.FS
)

func main() {}
-- a.txt --
content of a
-- b.txt --
-- d/x --
x
-- d/.hidden --
-- d/_hidden --
-- d/e/y --
y
-- d/mod/go.mod --
-- d/mod/z --
-- h/sub/.hidden --
hidden
`
	check := func(p *Packages) {
		t.Helper()
		main := p.Package("main")
		embed := func(name string) *Embed {
			e := main.Embeds[main.Types.Scope().Lookup(name).(*types.Var)]
			if e == nil {
				t.Fatalf("%s has no content", name)
			}
			return e
		}
		for name, kind := range map[string]EmbedKind{"s": EmbedString, "b": EmbedBytes, "named": EmbedString} {
			e := embed(name)
			if e.Kind != kind || len(e.Files) != 1 || string(e.Files[0].Data) != "content of a\n" {
				t.Errorf("%s: %v", name, e)
			}
		}
		e := embed("files")
		var got strings.Builder
		for _, f := range e.Files {
			fmt.Fprintf(&got, "%s %q; ", f.Name, f.Data)
		}
		want := `a.txt "content of a\n"; b.txt ""; d/ ""; h/ ""; d/e/ ""; d/x "x\n"; d/e/y "y\n"; h/sub/ ""; h/sub/.hidden "hidden\n"; `
		if e.Kind != EmbedFS || got.String() != want {
			t.Errorf("files: %s\nwant:  %s", got.String(), want)
		}
	}
	check(mustLoad(t, text, Options{cacheOverlay: true}))

	dir := t.TempDir()
	writeTree(t, dir, text)
	if err := os.Symlink("x", filepath.Join(dir, "d", "link")); err == nil {
		os.Symlink("a.txt", filepath.Join(dir, "link")) // neither is embedded: the patterns do not match it, and directories skip it
	}
	p, err := Load(t.Context(), Options{Dir: dir, Overlay: overlay, cacheOverlay: true})
	if err != nil {
		t.Fatal(err)
	}
	check(p)
}
