package headless

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpen: Open finds what a page would hide: errors of scripts, and what its policy forbids, such
// as network access.
func TestOpen(t *testing.T) {
	const ran = `<script>document.body.dataset.ran = "yes"</script>`
	policy := func(p string) string { return `<meta http-equiv="Content-Security-Policy" content="` + p + `">` }
	for _, x := range []struct {
		head, body, console string
		runs                bool
	}{
		{"", ran, "", true},
		{"", ran + `<script>undefinedFunction()</script>`, "undefinedFunction is not defined", true},
		{policy("script-src 'none'"), ran, "Content Security Policy", false},
		{policy("img-src 'none'"), ran + `<img src="http://example.com/x.png">`, "example.com/x.png", true},
	} {
		file := filepath.Join(t.TempDir(), "x.html")
		if err := os.WriteFile(file, []byte("<!DOCTYPE html><head>"+x.head+"<title>x</title></head><body>"+x.body), 0o666); err != nil {
			t.Fatal(err)
		}
		r := Open(t, Page{File: file, Width: 300, Height: 300})
		if got := strings.Join(r.Console, "\n"); x.console == "" && got != "" || !strings.Contains(got, x.console) {
			t.Errorf("%s: the console says %q", x.body, got)
		}
		if x.runs != strings.Contains(r.DOM, `data-ran="yes"`) {
			t.Errorf("%s: that the script runs is not %v: %s", x.body, x.runs, r.DOM)
		}
	}
}
