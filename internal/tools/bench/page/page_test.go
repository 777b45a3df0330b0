package page_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/tools/bench/fixture"
	"github.com/gyrvm/gyr/internal/tools/bench/page"
	"github.com/gyrvm/gyr/internal/tools/bench/result"
	"github.com/gyrvm/gyr/internal/tools/markup/headless"
)

var out = flag.String("page.out", "", "directory in which TestBrowser leaves pages and what they look like")

func html(t testing.TB, r *result.Report) string {
	t.Helper()
	var b strings.Builder
	if err := page.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestShots(t *testing.T) {
	dir := *out
	if dir == "" {
		dir = t.TempDir()
	}
	file := filepath.Join(dir, "page.html")
	text := html(t, fixture.Report())
	os.WriteFile(file, []byte(text), 0o666)
	open := filepath.Join(dir, "open.html")
	os.WriteFile(open, []byte(strings.ReplaceAll(text, "<details ", "<details open ")), 0o666)
	r := headless.Open(t, headless.Page{File: file, Width: 1200, Height: 1000})
	t.Log(len(text), r.Console, strings.Contains(r.DOM, `data-script="done"`))
	headless.Open(t, headless.Page{File: file, Width: 1200, Height: 1900, Screenshot: filepath.Join(dir, "light.png")})
	headless.Open(t, headless.Page{File: open, Width: 1200, Height: 9000, Screenshot: filepath.Join(dir, "open.png")})
	headless.Open(t, headless.Page{File: open, Width: 1200, Height: 9000, Dark: true, Screenshot: filepath.Join(dir, "dark.png")})
}
